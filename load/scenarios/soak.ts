// The scenario `soak`: latency and errors over hours, at a low rate.
import type { LoadFigures } from '../../engine/run-file.ts'
import type { Quota } from '../../spec/plans.ts'
import { describeErrors, describeLatency, errorsRecorded } from '../meter.ts'
import { keepLane, type Pace, paceOf, requestsOf } from '../pace.ts'
import { type Lane, scenario, strongest } from '../scenario.ts'

const soakPace = (quota: Quota, durationMs: number | null, lanes: number): Pace => {
  const limits = { ofMinute: 0.1, ofDay: 0.5, maxPerSecond: 5, maxSliceMs: 30_000, minSlices: 12 }
  return paceOf(
    quota,
    { ...limits, usualDurationMs: 3_600_000, catchesUp: false },
    durationMs,
    lanes,
  )
}

const run = async function* (lane: Lane): AsyncGenerator<void, LoadFigures> {
  const key = strongest(lane.keys)
  const pace = soakPace(key.quota, lane.settings.durationMs, lane.columns)
  await lane.ensureDay(key.label, requestsOf(pace))
  await lane.waitForFullQuota(key.label)
  yield* keepLane(lane, key.label, pace)
  return lane.figures()
}

export const soak = scenario<LoadFigures>({
  id: 'soak',
  says: 'Latency and errors over hours, at a low rate.',
  named: true,
  needs: { allow: ['exhaust'], key: true },
  baselines: ['prism', 'reference'],
  cost: ({ keys, durationMs }) => {
    const key = strongest(keys)
    const pace = soakPace(key.quota, durationMs, 1)
    return {
      requests: requestsOf(pace),
      seconds: (pace.slices * pace.cycleMs) / 1_000,
      does: `keeps ${key.label} at 10 % of its quota, at most half of a day's in all`,
    }
  },
  run,
  verdicts: [
    {
      id: 'load-soak-latency',
      requirement: 'gap.load',
      sends: 'Requests at a low rate over hours.',
      records: 'Their latency.',
      observe: describeLatency,
    },
    {
      id: 'load-soak-errors',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: errorsRecorded,
      observe: describeErrors,
    },
  ],
})
