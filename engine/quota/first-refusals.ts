// The refusals of each key that follow no other refusal, so that none may be a ban of our making,
// and whether another client may have drawn one.

import type { Trace } from '../check/declare.ts'
import { type AnsweredExchange, memoized } from '../check/exchange.ts'
import { recognizeOperation } from '../check/operations.ts'
import { type Call, callsIn, listCalls } from './calls.ts'
import { fromMs, isServed, isShutOut, readWaitMs, toMs } from './rate-headers.ts'
import { mayBeShared } from './remaining-steps.ts'
import { isUndatedWait } from './target-dates.ts'

/** Between calls this close together nobody else is refused again and again. */
const soonMs = 250

/**
 * Whether no other client can have drawn a ban before a refusal: this run had just been served the
 * last request that remained.
 */
export const isOwnRefusal = (exchange: AnsweredExchange, trace: Trace): boolean => {
  const { of, noneLost } = callsIn(trace)
  const isLast = (call: Call): boolean =>
    call.served &&
    call.said?.remaining === 0 &&
    exchange.sentMs - call.exchange.receivedMs <= soonMs &&
    call.exchange.sentMs <= exchange.receivedMs &&
    noneLost(call, of(exchange))
  return !mayBeShared(exchange.key, trace) && listCalls(exchange.key, trace).some(isLast)
}

export interface FirstRefusal {
  readonly refusal: AnsweredExchange
  /** The latest served call before it. */
  readonly before: AnsweredExchange | undefined
  /** Whether no other client can have been refused before it. */
  readonly isOurs: boolean
  /** Whether no Date shows when its wait ends. */
  readonly isUndated: boolean
}

export const describeRefusal = (refusal: AnsweredExchange, trace: Trace) => ({
  refusal,
  isOurs: isOwnRefusal(refusal, trace),
  isUndated: isUndatedWait(refusal, trace),
})

/** Of several concurrent refusals any may be the first, unless another one states a wait. */
const mayBeFirst = (refusal: AnsweredExchange, other: AnsweredExchange, trace: Trace): boolean =>
  toMs(other) > fromMs(refusal) && readWaitMs(other) === undefined && !isUndatedWait(other, trace)

const firstOf = (responses: readonly AnsweredExchange[], trace: Trace): FirstRefusal[] => {
  const refusals = responses.filter(isShutOut)
  const served = refusals.length > 0 ? responses.filter(isServed) : []
  return refusals.flatMap((refusal): FirstRefusal[] => {
    const earlier = served.filter((one) => toMs(one) <= fromMs(refusal))
    // What was answered after this was sent may have been decided before it.
    const sinceMs = Math.max(...earlier.map(fromMs))
    const isRepeated = refusals.some(
      (one) =>
        one !== refusal &&
        toMs(one) > sinceMs &&
        fromMs(one) <= toMs(refusal) &&
        !mayBeFirst(refusal, one, trace),
    )
    if (isRepeated) return []
    return [{ ...describeRefusal(refusal, trace), before: earlier.at(-1) }]
  })
}

/** By the refusal. */
export const firstRefusalsIn = memoized(
  (trace: Trace): ReadonlyMap<AnsweredExchange, FirstRefusal> => {
    const responses = trace.exchanges.filter((one) => recognizeOperation(one) !== undefined)
    const byKey = Map.groupBy(responses, ({ key }) => key)
    byKey.delete(null)
    const firsts = [...byKey.values()].flatMap((own) => firstOf(own, trace))
    return new Map(firsts.map((first) => [first.refusal, first]))
  },
)
