// The scenario `soak`: hours at a low rate, in which nothing may grow.
import type { Quota } from '../spec/plans.ts'
import type { LoadFigures } from '../suites/kit/load-figures.ts'
import { rateHeaders } from '../suites/kit/quota/rate-headers.ts'
import type { Lane } from './lane.ts'
import { amountIn, keepLane, type Pace } from './paced-lane.ts'
import { type LoadPlan, scenario } from './scenario.ts'
import { bins, createSoakLog, type SoakLog } from './soak-log.ts'
import { strongest } from './steady.ts'
import { tellDrift, tellLedger, tellRise } from './tell-drift.ts'
import { tellErrors, tellLatency } from './tell-figures.ts'

/** Of the quotas of a minute and of a day. */
const share = { ofMinute: 0.1, ofDay: 0.5 }
const perSecondMost = 5
const sliceMs = 30_000
const usualDurationMs = 3_600_000

const soakPace = (quota: Quota, durationMs: number | null, lanes: number): Pace => {
  const wholeMs = durationMs ?? usualDurationMs
  // A short soak has short slices, so that each lane has many.
  const ownMs = Math.min(sliceMs, wholeMs / (lanes * bins.least))
  const cycleMs = ownMs * lanes
  const slices = Math.ceil(wholeMs / cycleMs)
  const ofMinute = (share.ofMinute * quota.perMinute) / 60
  const ofDay = (share.ofDay * quota.perDay * 1_000) / (slices * ownMs)
  return { perSecond: Math.min(ofMinute, ofDay, perSecondMost), sliceMs: ownMs, slices, cycleMs }
}

interface Seen {
  readonly figures: LoadFigures
  readonly log: SoakLog
  readonly shared: boolean
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = strongest(lane.keys)
  if (!key) throw new Error('soak needs a key')
  const pace = soakPace(key.quota, lane.settings.durationMs, lane.columns)
  const expected = amountIn(0, { ...pace, sliceMs: pace.sliceMs * pace.slices })
  await lane.ensureDay(key.label, expected)
  await lane.rest(key.label)
  const wholeMs = pace.slices * pace.cycleMs
  const log = createSoakLog(key.quota, wholeMs, expected, () => performance.now())
  yield* keepLane(lane, key.label, pace, {
    sending: log.sending,
    heard: (sample) => log.heard(sample, rateHeaders(lane.exchangeOf(sample))),
  })
  return { figures: lane.figures(), log, shared: lane.shared }
}

const cost = ({ keys, durationMs }: LoadPlan) => {
  const key = strongest(keys)
  const pace = soakPace(key?.quota ?? { perMinute: 0, perDay: 0 }, durationMs, 1)
  return {
    requests: Math.ceil((pace.slices * pace.sliceMs * pace.perSecond) / 1_000),
    seconds: (pace.slices * pace.cycleMs) / 1_000,
    does: `keeps ${key?.label ?? 'a key'} at 10 % of its quota, at most half of a day's in all`,
  }
}

export const soak = scenario<Seen>({
  id: 'soak',
  says: 'Whether latency, counts or errors grow over hours at a low rate.',
  named: true,
  needs: { allow: ['exhaust'], keys: 1 },
  beside: ['prism', 'reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-soak-latency',
      requirement: 'gap.load',
      observe: ({ figures }) => tellLatency(figures),
    },
    {
      id: 'load-soak-drift',
      requirement: 'gap.load',
      observe: ({ log }) => tellDrift(log.medians()),
    },
    {
      id: 'load-soak-ledger',
      requirement: 'gap.load',
      observe: ({ log, shared }) => tellLedger(log.excesses(), shared),
    },
    {
      id: 'load-soak-errors',
      requirement: 'gap.load',
      observe: ({ figures, log }) => {
        const rise = tellRise(log.halves())
        return typeof rise === 'string' ? tellErrors(figures) : rise
      },
    },
  ],
})
