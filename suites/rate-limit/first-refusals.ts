// The first refusals of every key in the whole run: those that repeat none, so none is a ban.

import type { Context, LimitKey } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { operationOf } from '../responses.ts'
import { wasFelt } from './alone.ts'
import { fromMs, isServed, isShutOut, toMs, waitOf } from './reading.ts'

/** Calls that follow one another this closely leave no room for the repeated calls of others. */
const soonMs = 1_000

export interface FirstRefusal {
  readonly key: LimitKey
  readonly refusal: Answered
  /** The latest call before it that was served. */
  readonly before: Answered | undefined
  /** Whether no other client can have been refused in between. */
  readonly isOurs: boolean
}

const isCall = (exchange: Answered): boolean => operationOf(exchange) !== undefined

/** Of several at once one is the first: where no other states a wait, it is as faulty as they. */
const mayBeFirst = (refusal: Answered, other: Answered): boolean =>
  toMs(other) > fromMs(refusal) && 'fault' in waitOf(other)

const firstOf = (context: Context, key: LimitKey): FirstRefusal[] => {
  const { limits } = context
  const heard = limits.heard(key.label).filter(isCall)
  const refusals = heard.filter(isShutOut)
  return refusals.flatMap((refusal): FirstRefusal[] => {
    const before = heard.findLast((one) => isServed(one) && toMs(one) <= fromMs(refusal))
    const sinceMs = before ? toMs(before) : Number.NEGATIVE_INFINITY
    const isRepeated = refusals.some(
      (one) =>
        one !== refusal &&
        toMs(one) > sinceMs &&
        fromMs(one) <= toMs(refusal) &&
        !mayBeFirst(refusal, one),
    )
    if (isRepeated) return []
    const isSoon = before !== undefined && refusal.sentMs - before.receivedMs <= soonMs
    const isOurs = isSoon || (limits.instant && !limits.shared && !wasFelt(context, key))
    return [{ key, refusal, before, isOurs }]
  })
}

/** In the order in which they came, key by key. */
export const firstRefusals = (context: Context): readonly FirstRefusal[] =>
  allKeys(context.limits).flatMap((key) => firstOf(context, key))
