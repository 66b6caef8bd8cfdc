// The scenarios `steady`, at 80 % of a key's quota, and `soak`, over hours at a low rate: latency
// and errors at an even pace.

import { describeLatency, errorsVerdict } from '../meter.ts'
import { computePace, type Kept, keepLane, type PaceLimits } from '../pace.ts'
import { type Scenario, scenario } from '../scenario.ts'

interface PaceForm extends Pick<Scenario, 'id' | 'says' | 'needs' | 'named'> {
  readonly limits: PaceLimits
  /** What it keeps a key at. */
  readonly share: string
  readonly sends: string
}

const evenPace = ({ limits, share, sends, ...form }: PaceForm): Scenario =>
  scenario<Kept>({
    ...form,
    withinQuota: true,
    baselines: ['prism', 'reference'],
    cost: (plan) => {
      const { key, requests, seconds } = computePace(plan, limits)
      return { requests, seconds, does: `keeps ${key.label} at ${share}` }
    },
    run: (lane) => keepLane(lane, limits),
    verdicts: [
      {
        id: `load-${form.id}-latency`,
        requirement: 'gap.load',
        sends,
        records: 'The latency, from the time at which each request was due.',
        observe: ({ perSecond, latestMs }, { figures }) =>
          `${describeLatency(figures)} at ${perSecond.toFixed(1)} /s, from the time at which ` +
          `each request was due (sent at most ${latestMs.toFixed(1)} ms later)`,
      },
      { id: `load-${form.id}-errors`, ...errorsVerdict },
    ],
  })

export const steady = evenPace({
  id: 'steady',
  says: 'Latency and errors at an even pace, at 80 % of the quota.',
  needs: { allow: [], key: true },
  share: '80 % of its quota',
  sends: 'Requests at 80 % of the quota of one key, at an even pace.',
  limits: {
    ofMinute: 0.8,
    ofDay: 0.8,
    maxSliceMs: 5_000,
    usualDurationMs: 60_000,
    // Our own client does not send more than this on time; a larger quota is not used up.
    maxPerSecond: 200,
    rests: false,
  },
})

export const soak = evenPace({
  id: 'soak',
  says: 'Latency and errors over hours, at a low rate.',
  named: true,
  needs: { allow: ['exhaust'], key: true },
  share: "10 % of its quota, at most half of a day's in all",
  sends: 'Requests at a low rate over hours.',
  limits: {
    ofMinute: 0.1,
    ofDay: 0.5,
    maxPerSecond: 5,
    maxSliceMs: 30_000,
    usualDurationMs: 3_600_000,
    rests: true,
  },
})
