// The scenario `steady`: latency and errors at 80 % of a key's quota, at an even pace.
import type { LoadFigures } from '../../engine/run-file.ts'
import type { Quota } from '../../spec/plans.ts'
import { describeErrors, describeLatency, errorsRecorded } from '../meter.ts'
import { keepLane, type Pace, paceOf, requestsOf } from '../pace.ts'
import { type Lane, scenario, strongest } from '../scenario.ts'

/** Our own client does not send more than this on time; a larger quota is not used up. */
const maxPerSecond = 200

const steadyPace = (quota: Quota, durationMs: number | null, lanes: number): Pace => {
  const limits = { ofMinute: 0.8, ofDay: 0.8, maxPerSecond, maxSliceMs: 5_000, minSlices: 1 }
  return paceOf(quota, { ...limits, usualDurationMs: 60_000, catchesUp: true }, durationMs, lanes)
}

interface Seen {
  readonly perSecond: number
  /** How late the latest was sent; null: latencies count from when a request was sent. */
  readonly latestMs: number | null
  readonly figures: LoadFigures
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = strongest(lane.keys)
  const pace = steadyPace(key.quota, lane.settings.durationMs, lane.columns)
  await lane.ensureDay(key.label, requestsOf(pace))
  const latestMs = yield* keepLane(lane, key.label, pace)
  return { perSecond: pace.perSecond, latestMs, figures: lane.figures() }
}

export const steady = scenario<Seen>({
  id: 'steady',
  says: 'Latency and errors at an even pace, at 80 % of the quota.',
  needs: { allow: [], key: true },
  baselines: ['prism', 'reference'],
  cost: ({ keys, durationMs }) => {
    const key = strongest(keys)
    const pace = steadyPace(key.quota, durationMs, 1)
    return {
      requests: requestsOf(pace),
      seconds: (pace.slices * pace.sliceMs) / 1_000,
      does: `keeps ${key.label} at 80 % of its quota`,
    }
  },
  run,
  k6: {
    phases: ({ keys, durationMs }) => {
      const key = strongest(keys)
      const { perSecond, slices, sliceMs } = steadyPace(key.quota, durationMs, 1)
      const perMinute = Math.max(1, Math.floor(perSecond * 60))
      const vus = Math.min(200, Math.max(10, Math.ceil(perMinute / 30)))
      const seconds = Math.ceil((slices * sliceMs) / 1_000)
      return [{ kind: 'rate', vus, seconds, label: key.label, perMinute }]
    },
    seen: ({ plan, figures }) => {
      const { perSecond } = steadyPace(strongest(plan.keys).quota, plan.durationMs, 1)
      return { perSecond, latestMs: null, figures }
    },
  },
  verdicts: [
    {
      id: 'load-steady-latency',
      requirement: 'gap.load',
      sends: 'Requests at 80 % of the quota of one key, at an even pace.',
      records: 'The latency, from the time at which each request was due.',
      observe: ({ figures, perSecond, latestMs }) =>
        `${describeLatency(figures)} at ${perSecond.toFixed(1)} /s, from the time at which each ` +
        (latestMs === null
          ? 'request was sent'
          : `request was due (sent at most ${latestMs.toFixed(1)} ms later)`),
    },
    {
      id: 'load-steady-errors',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: errorsRecorded,
      observe: ({ figures }) => describeErrors(figures),
    },
  ],
})
