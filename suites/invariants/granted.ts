// What a key is granted over time: no refusal while requests remain, never more than two windows'
// worth at once, and refills at least a window apart.

import { invariant, type Trace } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  isSuccess,
  memoized,
  statusCode,
} from '../../engine/check/exchange.ts'
import { violate, violateAs, violateHeader } from '../../engine/check/expect.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import {
  areAlike,
  type Call,
  callsIn,
  isBefore,
  latestBefore,
  listCalls,
  mayBeBan,
  mayBeBanned,
} from '../../engine/quota/calls.ts'
import { isOwnRefusal } from '../../engine/quota/first-refusals.ts'
import { appliedQuota, dayMs, minuteMs, rateHeaders } from '../../engine/quota/rate-headers.ts'
import { mayBeShared } from '../../engine/quota/remaining-steps.ts'
import { servedTooMany } from '../../engine/quota/round.ts'
import { overfilled } from './rate-limit-headers.ts'

const hasQuotaRefusal = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null &&
  recognizeOperation(exchange) !== undefined &&
  statusCode(exchange) === 429 &&
  rateHeaders(exchange) !== undefined

/** A ban may last for so long after repeated refusals. */
const banMemoryMs = 120_000

/**
 * A refusal although an earlier response had announced that requests remain. Of calls in flight
 * together, at most those that were not refused came before the first refused one; so what was
 * announced beyond their number was still there.
 */
const earlyOf = (refused: Call, calls: readonly Call[], trace: Trace) => {
  const announced = latestBefore(calls, refused, (call) => !call.refused)
  if (!announced || !callsIn(trace).noneLost(announced, refused)) return undefined
  if (mayBeBanned(calls, announced.fromMs - banMemoryMs, announced.toMs)) return undefined
  const consumers = calls.filter(
    (call) =>
      call !== announced &&
      statusCode(call.exchange) !== 429 &&
      call.toMs > announced.fromMs &&
      call.fromMs < refused.toMs,
  ).length
  const left = (announced.said?.remaining ?? 0) - consumers
  // Next to calls in flight, a single one may have been used by another client.
  return left >= (consumers > 0 ? 2 : 1) ? { announced, refused } : undefined
}

type Early = NonNullable<ReturnType<typeof earlyOf>>

/** A longer pause leaves room for the calls of another client, again and again. */
const promptMs = 1_000

const isQuick = ({ announced, refused }: Early): boolean =>
  refused.exchange.sentMs - announced.exchange.receivedMs <= promptMs

/** Calls of another client explain some occasions, but not each at the same number. */
const minOccasions = { real: 2, moved: 4 }

/** A moved clock gives another client a whole minute to spend, again and again. */
const enoughFor = (quick: readonly Early[]): number =>
  quick.some(({ refused }) => refused.exchange.movedMs > 0) ? minOccasions.moved : minOccasions.real

const areAlikeCut = (quick: readonly Early[]): boolean => {
  const left = quick.map(({ announced }) => announced.said?.remaining ?? 0)
  return left.length > 1 && Math.max(...left) - Math.min(...left) <= 1
}

/** One per announcement, however many calls are refused after it. */
const earlyRefusals = memoized((trace: Trace): readonly Early[] => {
  const all = [...callsIn(trace).byKey.values()].flatMap((calls) =>
    calls
      .filter(({ exchange }) => hasQuotaRefusal(exchange))
      .flatMap((call) => earlyOf(call, calls, trace) ?? []),
  )
  const occasions = Map.groupBy(all, ({ announced }) => announced).values()
  return [...occasions].flatMap(([first]) => first ?? [])
})

const expectNotEarly = (exchange: AnsweredExchange, trace: Trace): void => {
  const early = earlyRefusals(trace)
  const own = early.find(({ refused }) => refused.exchange === exchange)
  if (!own) return
  const evidence = [own.announced.exchange, exchange]
  const remaining = own.announced.said?.remaining
  const quick = early.filter(isQuick)
  const isMore = quick.length >= enoughFor(quick) || areAlikeCut(quick)
  if (!isMore || !quick.includes(own) || mayBeShared(exchange.key, trace)) {
    const message = `refused after a response with Remaining ${remaining}; another client may have`
    throw new Suspicion(`${message} used the key: run with a key that nobody else uses`, evidence)
  }
  const actual = `429 after Remaining: ${remaining}`
  violateAs({ aspect: 'status' }, 'no 429 while requests remain', actual, ...evidence)
}

const expectZero = (exchange: AnsweredExchange, trace: Trace): void => {
  const remaining = rateHeaders(exchange)?.remaining ?? 0
  if (remaining === 0) return
  const calls = listCalls(exchange.key, trace)
  // What a ban says of the quota is open.
  if (mayBeBan(callsIn(trace).of(exchange), calls)) return
  if (!isOwnRefusal(exchange, trace)) {
    const message = 'a 429 says that requests remain; another client may have drawn a ban'
    throw new Suspicion(message, [exchange])
  }
  const actual = `Remaining: ${remaining}`
  violateHeader('X-RateLimit-Remaining', 'not 0', 'Remaining: 0 on a 429', actual, exchange)
}

const isServed = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null && isSuccess(exchange)

/** Clocks drift a little, and a server may end its windows on whole seconds. */
const graceMs = 3_000

const servedIn = memoized((calls: readonly Call[]) => calls.filter(({ served }) => served))

/** Served calls up to a given one that were all decided in less than this time. */
const servedWithin = (spanMs: number, last: Call, calls: readonly Call[]): readonly Call[] => {
  const sinceMs = last.toMs - spanMs + graceMs
  const served = servedIn(calls).slice(0, last.servedCount)
  const before = served.findLastIndex(({ latestServedFromMs }) => latestServedFromMs <= sinceMs)
  return served.slice(before + 1).filter(({ fromMs }) => fromMs > sinceMs)
}

/** A suspended machine, such as a virtual one, measures less time than has passed. */
const unlessSlept = (first: Call, last: Call, spanMs: number): void => {
  const [from, to] = [first.dateMs, last.dateMs]
  if (from === undefined || to === undefined || to - from < spanMs) return
  const message = 'by Date more time has passed than was measured here: one of them is wrong'
  throw new Suspicion(message, [first.exchange, last.exchange])
}

const expectNotLate = (exchange: AnsweredExchange, trace: Trace): void => {
  const calls = listCalls(exchange.key, trace)
  const last = callsIn(trace).of(exchange)
  const { perMinute, perDay } = appliedQuota(exchange)
  for (const [name, limit, spanMs] of [
    ['minute', perMinute, minuteMs],
    ['day', perDay, dayMs],
  ] as const) {
    // A call so many served ones earlier was sent before that time, as nearly always.
    const earlier = servedIn(calls)[last.servedCount - 2 * limit - 1]
    if (!earlier || earlier.latestServedFromMs <= last.toMs - spanMs + graceMs) continue
    const crowd = servedWithin(spanMs, last, calls)
    if (crowd.length <= 2 * limit) continue
    const [first = last] = crowd
    unlessSlept(first, last, spanMs)
    const expected = `at most ${2 * limit} requests served in less than a ${name}`
    const seconds = Math.ceil((last.toMs - first.fromMs) / 1000)
    const actual = `${crowd.length} served within ${seconds} s`
    violateAs(servedTooMany, expected, actual, first.exchange, exchange)
  }
  const over = overfilled(exchange, trace)
  if (!over) return
  const [first = exchange] = over.served.toSorted((a, b) => a.seq - b.seq)
  const expected = `at most ${over.max} requests served until Reset ${last.said?.reset}`
  violateAs(servedTooMany, expected, `${over.served.length} served`, first, exchange)
}

/** From few requests left to all, in one step: no design does that twice within a window. */
const refillAt = (full: Call, calls: readonly Call[]) => {
  if (!full.said || full.refused || full.said.remaining < full.said.limit - 2) return undefined
  const low = latestBefore(calls, full)
  const isLow = low?.said && low.said.remaining <= low.said.limit / 4
  return isLow ? { low, full } : undefined
}

const refillsOf = memoized((calls: readonly Call[]) =>
  calls.flatMap((call) => refillAt(call, calls) ?? []),
)

/** Thrown for nearly every response: one for all saves a stack trace each. */
const noRefills = new Untested('ambiguous', 'no key was seen to refill twice')

const expectApart = (exchange: AnsweredExchange, trace: Trace): void => {
  const calls = listCalls(exchange.key, trace)
  const call = callsIn(trace).of(exchange)
  const second = refillAt(call, calls)
  if (!second) throw noRefills
  const first = refillsOf(calls).findLast(
    ({ full }) => areAlike(full, call) && isBefore(full, second.low),
  )
  if (!first || mayBeBanned(calls, first.low.fromMs, call.toMs)) throw noRefills
  const apartMs = call.toMs - first.low.fromMs
  const windowMs = call.said?.windowMs ?? 0
  if (apartMs >= windowMs - graceMs) return
  unlessSlept(first.low, call, windowMs)
  const evidence = [first.low, first.full, second.low, call].map((one) => one.exchange)
  const expected = `two refills at least ${windowMs / 1000} s apart`
  violate(expected, `two within ${Math.ceil(apartMs / 1000)} s`, ...evidence)
}

export const granted = [
  invariant({
    id: 'limit-not-early',
    requirement: 'limits.not-early',
    judges:
      'Every 429, compared with the last response before it that gave Remaining; calls in flight ' +
      'are subtracted.',
    fails:
      'A refusal within a second while calls remained: on two occasions (four by the test ' +
      'clock), or twice at the same number.',
    inconclusive:
      'it was seen too seldom, a response was lost, the key may have been banned, or others use ' +
      'it',
    applies: (exchange) => exchange.key !== null && recognizeOperation(exchange) !== undefined,
    holds: expectNotEarly,
  }),

  invariant({
    id: 'refusal-remaining-zero',
    requirement: 'headers.agree',
    judges: 'Every 429 that carries the three headers.',
    fails: 'A Remaining above 0. What a ban says of the quota is open.',
    inconclusive: 'another client may have used the key (ambiguous)',
    optional: 'no call was refused for its quota',
    applies: hasQuotaRefusal,
    holds: expectZero,
  }),

  invariant({
    id: 'limit-not-late',
    requirement: 'limits.not-late',
    judges: 'Every 200 and 201 to a valid key.',
    fails:
      "More than twice the plan's number served in less than a minute or a day; or, until one " +
      'declared Reset, more than the number and what a bucket gives back meanwhile.',
    applies: isServed,
    holds: expectNotLate,
  }),
  invariant({
    id: 'refills-minute-apart',
    requirement: 'limits.window-ends',
    judges:
      'Every 200 and 201 to a valid key: refills, in which Remaining went from a quarter of ' +
      'Limit or less to all but two of it in one step.',
    fails: 'Two of them less than a window (minus 3 s of grace) apart.',
    inconclusive: 'no key was spent and refilled twice, or it may have been banned (ambiguous)',
    applies: isServed,
    holds: expectApart,
  }),
]
