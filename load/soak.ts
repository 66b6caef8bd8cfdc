// The scenario `soak`: latency and errors over hours, at a low rate.

import type { LoadFigures } from '../engine/load-figures.ts'
import type { Quota } from '../spec/plans.ts'
import type { Lane } from './lane.ts'
import { keepLane, type Pace, requestsOf } from './paced-lane.ts'
import { type LoadPlan, scenario } from './scenario.ts'
import { strongest } from './steady.ts'
import { foundErrors, tellErrors, tellLatency } from './tell-figures.ts'

/** Of the quotas of a minute and of a day. */
const share = { ofMinute: 0.1, ofDay: 0.5 }
const perSecondMost = 5
const sliceMs = 30_000
/** A short soak has short slices, so that each lane has so many. */
const slicesLeast = 12
const usualDurationMs = 3_600_000

const soakPace = (quota: Quota, durationMs: number | null, lanes: number): Pace => {
  const wholeMs = durationMs ?? usualDurationMs
  const ownMs = Math.min(sliceMs, wholeMs / (lanes * slicesLeast))
  const cycleMs = ownMs * lanes
  const slices = Math.ceil(wholeMs / cycleMs)
  const ofMinute = (share.ofMinute * quota.perMinute) / 60
  const ofDay = (share.ofDay * quota.perDay * 1_000) / (slices * ownMs)
  return { perSecond: Math.min(ofMinute, ofDay, perSecondMost), sliceMs: ownMs, slices, cycleMs }
}

const run = async function* (lane: Lane): AsyncGenerator<void, LoadFigures> {
  const key = strongest(lane.keys)
  if (!key) throw new Error('soak needs a key')
  const pace = soakPace(key.quota, lane.settings.durationMs, lane.columns)
  await lane.ensureDay(key.label, requestsOf(pace))
  await lane.rest(key.label)
  yield* keepLane(lane, key.label, pace)
  return lane.figures()
}

const cost = ({ keys, durationMs }: LoadPlan) => {
  const key = strongest(keys)
  const pace = soakPace(key?.quota ?? { perMinute: 0, perDay: 0 }, durationMs, 1)
  return {
    requests: requestsOf(pace),
    seconds: (pace.slices * pace.cycleMs) / 1_000,
    does: `keeps ${key?.label ?? 'a key'} at 10 % of its quota, at most half of a day's in all`,
  }
}

export const soak = scenario<LoadFigures>({
  id: 'soak',
  says: 'Latency and errors over hours, at a low rate.',
  named: true,
  needs: { allow: ['exhaust'], key: true },
  beside: ['prism', 'reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-soak-latency',
      requirement: 'gap.load',
      sends: 'Requests at a low rate over hours.',
      records: 'Their latency.',
      observe: tellLatency,
    },
    {
      id: 'load-soak-errors',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: foundErrors,
      observe: tellErrors,
    },
  ],
})
