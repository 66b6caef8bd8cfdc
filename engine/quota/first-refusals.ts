// The refusals of each key that follow no other refusal, so that none may be a ban of our making,
// and whether another client may have drawn one.

import { type AnsweredExchange, memoized } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { recognizeOperation } from '../../history/operations.ts'
import { fromMs, isServed, isShutOut, readWaitMs, toMs } from '../../history/rate-headers.ts'
import { isUndatedWait } from '../../history/target-dates.ts'
import type { Call } from '../../model/limiter/calls.ts'
import { listCalls } from '../../model/limiter/relation.ts'
import { mayBeShared } from './remaining-steps.ts'

/** Between calls this close together nobody else is refused again and again. */
const soonMs = 250

/** Whether every request from one to another was answered. */
const isWhole = (from: AnsweredExchange, to: AnsweredExchange, { exchanges }: History): boolean =>
  exchanges.filter(({ seq }) => seq > from.seq && seq <= to.seq).length === to.seq - from.seq

/**
 * Whether no other client can have drawn a ban before a refusal: this run had just been served the
 * last request that remained.
 */
const isOwnRefusal = (exchange: AnsweredExchange, trace: History): boolean => {
  const isLast = (call: Call): boolean =>
    call.served &&
    call.window !== undefined &&
    call.remaining === 0 &&
    exchange.sentMs - call.exchange.receivedMs <= soonMs &&
    call.exchange.sentMs <= exchange.receivedMs &&
    isWhole(call.exchange, exchange, trace)
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

export const describeRefusal = (refusal: AnsweredExchange, trace: History) => ({
  refusal,
  isOurs: isOwnRefusal(refusal, trace),
  isUndated: isUndatedWait(refusal, trace),
})

/** Of several concurrent refusals any may be the first, unless another one states a wait. */
const mayBeFirst = (refusal: AnsweredExchange, other: AnsweredExchange, trace: History): boolean =>
  toMs(other) > fromMs(refusal) && readWaitMs(other) === undefined && !isUndatedWait(other, trace)

const firstOf = (responses: readonly AnsweredExchange[], trace: History): FirstRefusal[] => {
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
  (trace: History): ReadonlyMap<AnsweredExchange, FirstRefusal> => {
    const responses = trace.exchanges.filter((one) => recognizeOperation(one) !== undefined)
    const byKey = Map.groupBy(responses, ({ key }) => key)
    byKey.delete(null)
    const firsts = [...byKey.values()].flatMap((own) => firstOf(own, trace))
    return new Map(firsts.map((first) => [first.refusal, first]))
  },
)
