// What a run shows of long times. Responses whose Limit is that of the day: their Remaining and
// Reset are those of the day as well, and the days that a server announces to a key lie a day
// apart. And every wait: a key that is silent for as long as its latest response said is served.

import { invariant, type Trace } from '../../engine/check/declare.ts'
import { type AnsweredExchange, header, memoized, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, violate, violateAs, violateHeader } from '../../engine/check/expect.ts'
import { Inapplicable, Suspicion } from '../../engine/check/outcome.ts'
import { type Call, callsIn, isOfKey, listCalls, mayBeBanned } from '../../engine/quota/calls.ts'
import { appliedQuota, dayMs, is429, readWaitMs } from '../../engine/quota/rate-headers.ts'
import { mayBeShared } from '../../engine/quota/remaining-steps.ts'

const hourMs = 3_600_000
/** Where a zone changes its clocks a day has 23 or 25 hours. */
const shortDayMs = 23 * hourMs
const graceMs = 5_000

const isOfDay = ({ said, served }: Call): boolean => served && said?.windowMs === dayMs

/** Two served calls about the day, each alone, with nothing between them but served calls. */
interface Pair {
  readonly from: Call
  readonly to: Call
}

/** Whether no other call of the key was in flight: of several it is unknown which came first. */
const isAlone = ({ fromMs, toMs, place }: Call, calls: readonly Call[]): boolean => {
  const isFirst = (calls[place - 1]?.latestToMs ?? fromMs) <= fromMs
  return isFirst && (calls[place + 1]?.fromMs ?? toMs) >= toMs
}

const pairsOf = memoized((calls: readonly Call[]): readonly Pair[] => {
  const places = calls.filter((call) => isOfDay(call) && isAlone(call, calls))
  return places.flatMap((to, at) => {
    const from = places[at - 1]
    if (!from) return []
    return calls.slice(from.place, to.place).every(({ served }) => served) ? [{ from, to }] : []
  })
})

const saidIn = ({ said }: Call) => said ?? { limit: 0, remaining: 0, reset: 0, resetInMs: 0 }

/** Whether the Reset of the first is past at the second, by its Date, and nothing has come back. */
const isUnmoved = ({ from, to }: Pair): boolean => {
  if (from.dateMs === undefined) return false
  const isPast = to.fromMs - from.toMs > saidIn(from).resetInMs + graceMs
  const fall = saidIn(from).remaining - saidIn(to).remaining
  return isPast && fall >= to.servedCount - from.servedCount
}

/** Whether Remaining returned from less to the whole minute, and no further. */
const isMinuteFull = ({ from, to }: Pair, perMinute: number): boolean =>
  saidIn(to).remaining === perMinute - 1 && saidIn(from).remaining < perMinute - 1

/** The latest `count` of these pairs, if all lie within less than a day. */
const withinDay = (pairs: readonly Pair[], count: number): readonly Pair[] | undefined => {
  const some = pairs.slice(-count)
  const [first] = some
  const last = some.at(-1)
  if (!first || !last || some.length < count) return undefined
  return last.to.toMs - first.from.fromMs < shortDayMs ? some : undefined
}

/** How often Resets pass, or minutes return: neither can happen twice in a day, in any design. */
const minOccasions = { unmoved: 2, minutes: 3 }

const expectOwnNumbers = (exchange: AnsweredExchange, trace: Trace): void => {
  const call = callsIn(trace).of(exchange)
  if (!isOfDay(call)) throw noDays
  const calls = listCalls(exchange.key, trace)
  const { perMinute } = appliedQuota(exchange)
  const pairs = pairsOf(calls).filter(({ to }) => to.place <= call.place)
  if (pairs.at(-1)?.to !== call) return
  const highest = Math.max(...pairs.map(({ to }) => saidIn(to).remaining))
  const full = highest < perMinute ? pairs.filter((pair) => isMinuteFull(pair, perMinute)) : []
  const found = [
    ['X-RateLimit-Reset', withinDay(pairs.filter(isUnmoved), minOccasions.unmoved)],
    ['X-RateLimit-Remaining', withinDay(full, minOccasions.minutes)],
  ] as const
  for (const [name, some] of found) {
    if (!some || some.at(-1)?.to !== call) continue
    const evidence = some.flatMap(({ from, to }) => [from.exchange, to.exchange])
    const times = `${some.length} times`
    const actual = `Limit ${saidIn(call).limit} with the ${name} of the minute, ${times}`
    const isUnclear = mayBeShared(exchange.key, trace) || mayBeBanned(calls, 0, call.toMs)
    if (isUnclear) throw new Suspicion(`${actual}: another client may have used the key`, evidence)
    const expected = `Limit and ${name} of one window`
    violateHeader(name, 'of another window', expected, actual, ...evidence)
  }
}

const noDays = new Inapplicable('no response has the Limit of the day')
const noEnds = new Inapplicable('no two days were announced to a rested key')

/** A bucket states its next tick, a tenth of a day ahead at most. */
const tickMs = dayMs / 10 + hourMs

/**
 * The end of a day that does not depend on the call: announced with a whole day after more than a
 * day without calls, and not a day ahead. A log and a day from the first call end a day later.
 */
const endOf = (call: Call, calls: readonly Call[]): number | undefined => {
  const before = calls[call.place - 1]
  const said = saidIn(call)
  if (!isOfDay(call) || !before || call.dateMs === undefined) return undefined
  if (said.remaining !== said.limit - 1) return undefined
  if (call.fromMs - before.latestToMs <= dayMs + graceMs) return undefined
  const aheadMs = said.resetInMs
  return aheadMs > tickMs && aheadMs < shortDayMs ? said.reset * 1000 : undefined
}

const endsOf = memoized((calls: readonly Call[]) =>
  calls.flatMap((call) => {
    const endMs = endOf(call, calls)
    return endMs === undefined ? [] : [{ call, endMs }]
  }),
)

const expectDaysApart = (exchange: AnsweredExchange, trace: Trace): void => {
  const calls = listCalls(exchange.key, trace)
  const ends = endsOf(calls)
  const own = ends.find(({ call }) => call.exchange === exchange)
  const [first] = ends
  if (!own || !first || own === first) throw noEnds
  const offMs = (own.endMs - first.endMs) % dayMs
  if (Math.min(offMs, dayMs - offMs) <= hourMs + graceMs) return
  const evidence = [first.call.exchange, exchange]
  if (trace.shared) throw new Suspicion('other clients use the key', evidence)
  const resets = evidence.map((one) => header(one, 'x-ratelimit-reset')).join(' and ')
  const days = Number(((own.endMs - first.endMs) / dayMs).toFixed(1))
  violate('days that end whole days apart', `Resets ${resets}: ${days} days apart`, ...evidence)
}

export const dayWindows = [
  invariant({
    id: 'header-day-own-window',
    requirement: 'headers.agree',
    judges: 'Every 200 and 201 to a valid key with the Limit of the day.',
    fails:
      'Within 23 hours two of its Resets pass and nothing comes back, or Remaining returns three ' +
      'times to that of a whole minute, and never to more.',
    inconclusive: 'another client may have used the key (ambiguous)',
    optional: 'no response has the Limit of the day',
    applies: isOfKey,
    holds: expectOwnNumbers,
  }),
  invariant({
    id: 'day-ends-apart',
    requirement: 'limits.window-ends',
    judges:
      'Every 200 and 201 to a valid key that shows a whole day, after over a day without calls.',
    fails:
      'Its Reset and an earlier such Reset do not lie whole days apart (an hour more or less). A ' +
      'Reset that is a day ahead, or less than a tenth of it, is not judged.',
    inconclusive: 'no two such Resets were announced, or other clients use the key (ambiguous)',
    optional: 'no two days were announced to a rested key',
    applies: isOfKey,
    holds: expectDaysApart,
  }),
]

/** A refusal, and the next call of its key, which was sent alone and after the stated wait. */
interface Wait {
  readonly refusal: Call
  readonly next: Call
}

/** So much of a wait, or half of it, may pass while the test clock is moved by the rest. */
const realGraceMs = 1_000

const waitsOf = memoized((calls: readonly Call[]): readonly Wait[] =>
  calls.flatMap((refusal, place) => {
    const [next, third] = calls.slice(place + 1, place + 3)
    const waitMs = refusal.refused ? readWaitMs(refusal.exchange) : undefined
    if (!next || waitMs === undefined || waitMs <= 0) return []
    const isAlone = refusal.latestToMs <= next.fromMs && (!third || next.toMs <= third.fromMs)
    // In real time another client of the key may use what comes back.
    const graceMs = Math.min(realGraceMs, waitMs / 2)
    const isMoved = next.exchange.movedMs - refusal.exchange.movedMs >= waitMs - graceMs
    const isOver = next.fromMs - refusal.toMs >= waitMs
    return isAlone && isMoved && isOver ? [{ refusal, next }] : []
  }),
)

/** Another client may use up what came back, once. */
const minRefusals = 2

const isRefusedAgain = ({ next: { exchange } }: Wait): boolean =>
  is429(exchange) || statusCode(exchange) === 403

const expectServed = (exchange: AnsweredExchange, trace: Trace): void => {
  const calls = listCalls(exchange.key, trace)
  const refused = waitsOf(calls).filter(isRefusedAgain)
  const at = refused.findIndex(({ next }) => next === callsIn(trace).of(exchange))
  if (at < 0) return
  const some = refused.slice(0, at + 1)
  const evidence = some.slice(-2).flatMap(({ refusal, next }) => [refusal.exchange, next.exchange])
  const actual = `${describeResponse(exchange)} after the wait`
  if (some.length < minRefusals || mayBeShared(exchange.key, trace)) {
    throw new Suspicion(`${actual}: another client may have used the key`, evidence)
  }
  const expected = 'a request served after the stated wait'
  violateAs({ aspect: 'status' }, expected, actual, ...evidence)
}

export const keptWaits = [
  invariant({
    id: 'retry-after-each-served',
    requirement: 'retry-after.true',
    judges:
      'With the test clock: every call that its key sent alone, and after as long a silence as ' +
      'its latest response, a refusal, had stated.',
    fails: 'It is refused, on two occasions with one key.',
    inconclusive: 'it was refused once, or another client may have used the key (ambiguous)',
    optional: 'no key was refused and then silent for so long by the test clock',
    applies: (exchange) => exchange.key !== null,
    holds: expectServed,
  }),
]
