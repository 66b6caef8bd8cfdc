// Refusals: none while requests remain, and each says that none remain.

import type { Trace } from '../../../engine/check.ts'
import { invariant, optionalInvariant } from '../../../engine/check.ts'
import type { Answered } from '../../../engine/exchange.ts'
import { statusOf } from '../../../engine/exchange.ts'
import { violate } from '../../../engine/expect.ts'
import { Suspicion } from '../../../engine/outcome.ts'
import { rateHeaders } from '../../../engine/quota/rate-headers.ts'
import { operationOf } from '../../answers.ts'
import type { Call } from './calls.ts'
import { areAlike, callsIn, callsWith, latestBefore, mayBeBan, mayBeBanned } from './calls.ts'
import { mayBeShared } from './steps.ts'

const isRefusal = (exchange: Answered): boolean =>
  exchange.key !== null &&
  operationOf(exchange) !== undefined &&
  statusOf(exchange) === 429 &&
  rateHeaders(exchange) !== undefined

/** A ban may still be about for so long after refusals that were repeated. */
const banMemoryMs = 120_000

/** A refusal that came while an answer before it had announced that requests remain. */
interface Early {
  readonly announced: Call
  readonly refused: Call
}

/**
 * Of the calls that were under way together, the first that was refused had at most those before
 * it that were not refused; so what was announced beyond their number was still there.
 */
const earlyOf = (refused: Call, calls: readonly Call[], trace: Trace): Early | undefined => {
  const announced = latestBefore(
    calls.filter((call) => !call.refused && areAlike(call, refused)),
    refused,
  )
  if (!announced || !callsIn(trace).noneLost(announced, refused)) return undefined
  if (mayBeBanned(calls, announced.fromMs - banMemoryMs, announced.toMs)) return undefined
  const consumers = calls.filter(
    (call) =>
      call !== announced &&
      statusOf(call.exchange) !== 429 &&
      call.toMs > announced.fromMs &&
      call.fromMs < refused.toMs,
  ).length
  const left = (announced.said?.remaining ?? 0) - consumers
  // Beside others a single one may be one that somebody else made.
  return left >= (consumers > 0 ? 2 : 1) ? { announced, refused } : undefined
}

/** A longer silence in between leaves room for a crowd of another client, time and again. */
const quickMs = 1_000

const isQuick = ({ announced, refused }: Early): boolean =>
  refused.exchange.sentMs - announced.exchange.receivedMs <= quickMs

/** A crowd of another client hits some occasions by chance, but not each at the same number. */
const surely = { real: 2, moved: 4 }

/** A clock that is moved gives a whole minute to whoever hammers, again and again. */
const surelyIn = (quick: readonly Early[]): number =>
  quick.some(({ refused }) => refused.exchange.movedMs > 0) ? surely.moved : surely.real

const areAlikeCut = (quick: readonly Early[]): boolean => {
  const left = quick.map(({ announced }) => announced.said?.remaining ?? 0)
  return left.length > 1 && Math.max(...left) - Math.min(...left) <= 1
}

const known = new WeakMap<Trace, Early[]>()

/** One for each occasion: what one answer announced is broken once, however many are refused. */
const earlyRefusals = (trace: Trace): readonly Early[] => {
  const found = known.get(trace)
  if (found) return found
  const all = [...callsIn(trace).byKey.values()].flatMap((calls) =>
    calls
      .filter(({ exchange }) => isRefusal(exchange))
      .flatMap((call) => earlyOf(call, calls, trace) ?? []),
  )
  const occasions = [...Map.groupBy(all, ({ announced }) => announced).values()].flatMap(
    ([first]) => first ?? [],
  )
  known.set(trace, occasions)
  return occasions
}

const expectNotEarly = (exchange: Answered, trace: Trace): void => {
  const early = earlyRefusals(trace)
  const own = early.find(({ refused }) => refused.exchange === exchange)
  if (!own) return
  const evidence = [own.announced.exchange, exchange]
  const remaining = own.announced.said?.remaining
  const quick = early.filter(isQuick)
  const isMore = quick.length >= surelyIn(quick) || areAlikeCut(quick)
  if (!isMore || !quick.includes(own) || mayBeShared(exchange.key, trace)) {
    const message = `refused after an answer with Remaining ${remaining}; another client may have`
    throw new Suspicion(`${message} used the key: a key that nobody else uses decides`, evidence)
  }
  violate('no 429 while requests remain', `429 after Remaining: ${remaining}`, ...evidence)
}

const expectZero = (exchange: Answered, trace: Trace): void => {
  const remaining = rateHeaders(exchange)?.remaining ?? 0
  if (remaining === 0) return
  const calls = callsWith(exchange, trace)
  // What a ban says of the quota is open.
  if (mayBeBan(callsIn(trace).of(exchange), calls)) return
  if (mayBeShared(exchange.key, trace)) {
    const message = 'a 429 says that requests remain; another client may have drawn a ban'
    throw new Suspicion(message, [exchange])
  }
  violate('Remaining: 0 on a 429', `Remaining: ${remaining}`, exchange)
}

export const refusals = [
  invariant(
    'limit-not-early',
    'limits.not-early',
    (exchange) => exchange.key !== null && operationOf(exchange) !== undefined,
    expectNotEarly,
  ),

  optionalInvariant(
    'no call was refused for its quota',
    invariant('refusal-remaining-zero', 'headers.agree', isRefusal, expectZero),
  ),
]
