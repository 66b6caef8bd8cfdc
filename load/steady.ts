// The scenario `steady`: latency and errors at 80 % of a key's quota, in an even pace.

import type { LoadFigures } from '../engine/load-figures.ts'
import type { Quota } from '../spec/plans.ts'
import type { Lane } from './lane.ts'
import { keepLane, type Pace, requestsOf } from './paced-lane.ts'
import { type LoadPlan, scenario } from './scenario.ts'
import { foundErrors, tellErrors, tellLatency } from './tell-figures.ts'

/** Of the quota of a minute, and at most of that of a day. */
const share = 0.8
/** More than this our own client does not send on time; a larger quota is not used up. */
const perSecondMost = 200
const sliceMostMs = 5_000
const usualDurationMs = 60_000

/** The key with the largest quota tells most. */
export const strongest = <K extends { readonly quota: Quota }>(keys: readonly K[]): K | undefined =>
  keys.reduce<K | undefined>(
    (best, key) => (best && best.quota.perMinute >= key.quota.perMinute ? best : key),
    undefined,
  )

/**
 * Where lanes take turns, each is idle while the others work, and so it works the faster: a minute
 * of the whole holds the same share of the quota.
 */
export const steadyPace = (
  { perMinute, perDay }: Quota,
  durationMs: number | null,
  lanes: number,
): Pace => {
  const wholeMs = durationMs ?? usualDurationMs
  const sliceMs = Math.min(sliceMostMs, wholeMs / lanes)
  const cycleMs = sliceMs * lanes
  const slices = Math.ceil(wholeMs / cycleMs)
  const ofMinute = (share * perMinute * lanes) / 60
  const ofDay = (share * perDay * 1_000) / (slices * sliceMs)
  return { perSecond: Math.min(ofMinute, ofDay, perSecondMost), sliceMs, slices, cycleMs }
}

interface Seen {
  readonly perSecond: number
  readonly latestMs: number
  readonly figures: LoadFigures
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = strongest(lane.keys)
  if (!key) throw new Error('steady needs a key')
  const pace = steadyPace(key.quota, lane.settings.durationMs, lane.columns)
  await lane.ensureDay(key.label, requestsOf(pace))
  const latestMs = yield* keepLane(lane, key.label, pace)
  return { perSecond: pace.perSecond, latestMs, figures: lane.figures() }
}

const cost = ({ keys, durationMs }: LoadPlan) => {
  const key = strongest(keys)
  const pace = steadyPace(key?.quota ?? { perMinute: 0, perDay: 0 }, durationMs, 1)
  return {
    requests: requestsOf(pace),
    seconds: (pace.slices * pace.sliceMs) / 1_000,
    does: `keeps ${key?.label ?? 'a key'} at 80 % of its quota`,
  }
}

export const steady = scenario<Seen>({
  id: 'steady',
  says: 'Latency and errors in an even pace, at 80 % of the quota.',
  needs: { allow: [], key: true },
  beside: ['prism', 'reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-steady-latency',
      requirement: 'gap.load',
      sends: 'Requests at 80 % of the quota of one key, at an even pace.',
      records: 'The latency, from the time at which each request was due.',
      observe: ({ figures, perSecond, latestMs }) =>
        `${tellLatency(figures)} at ${perSecond.toFixed(1)} /s, from the time at which each ` +
        `request was due (sent at most ${latestMs.toFixed(1)} ms later)`,
    },
    {
      id: 'load-steady-errors',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: foundErrors,
      observe: ({ figures }) => tellErrors(figures),
    },
  ],
})
