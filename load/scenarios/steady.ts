// The scenarios `steady`, at 80 % of a key's quota, and `soak`, over hours at a low rate: latency
// and errors at an even pace.

import { describeLatency, errorsVerdict } from '../meter.ts'
import { computePace, type Kept, keepLane } from '../pace.ts'
import { scenario } from '../scenario.ts'

const steadyLimits = {
  ofMinute: 0.8,
  ofDay: 0.8,
  maxSliceMs: 5_000,
  usualDurationMs: 60_000,
  /** Our own client does not send more than this on time; a larger quota is not used up. */
  maxPerSecond: 200,
  rests: false,
}

export const steady = scenario<Kept>({
  id: 'steady',
  says: 'Latency and errors at an even pace, at 80 % of the quota.',
  needs: { allow: [], key: true },
  withinQuota: true,
  baselines: ['prism', 'reference'],
  cost: (plan) => {
    const { key, requests, seconds } = computePace(plan, steadyLimits)
    return { requests, seconds, does: `keeps ${key.label} at 80 % of its quota` }
  },
  run: (lane) => keepLane(lane, steadyLimits),
  verdicts: [
    {
      id: 'load-steady-latency',
      requirement: 'gap.load',
      sends: 'Requests at 80 % of the quota of one key, at an even pace.',
      records: 'The latency, from the time at which each request was due.',
      observe: ({ perSecond, latestMs }, { figures }) =>
        `${describeLatency(figures)} at ${perSecond.toFixed(1)} /s, from the time at which each ` +
        `request was due (sent at most ${latestMs.toFixed(1)} ms later)`,
    },
    { id: 'load-steady-errors', ...errorsVerdict },
  ],
})

const soakLimits = {
  ofMinute: 0.1,
  ofDay: 0.5,
  maxPerSecond: 5,
  maxSliceMs: 30_000,
  usualDurationMs: 3_600_000,
  rests: true,
}

export const soak = scenario<Kept>({
  id: 'soak',
  says: 'Latency and errors over hours, at a low rate.',
  named: true,
  needs: { allow: ['exhaust'], key: true },
  withinQuota: true,
  baselines: ['prism', 'reference'],
  cost: (plan) => {
    const { key, requests, seconds } = computePace(plan, soakLimits)
    const does = `keeps ${key.label} at 10 % of its quota, at most half of a day's in all`
    return { requests, seconds, does }
  },
  run: (lane) => keepLane(lane, soakLimits),
  verdicts: [
    {
      id: 'load-soak-latency',
      requirement: 'gap.load',
      sends: 'Requests at a low rate over hours.',
      records: 'Their latency.',
      observe: (_seen, { figures }) => describeLatency(figures),
    },
    { id: 'load-soak-errors', ...errorsVerdict },
  ],
})
