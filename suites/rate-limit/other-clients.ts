// Whether another client can explain a response, and which refusals are the first of their key.

import type { Context, LimitKey } from '../../engine/context.ts'
import type { Trace } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { rateHeaders } from '../../engine/quota/rate-headers.ts'
import { gapsIn, type Round } from '../../engine/quota/round.ts'
import { mayBeShared, type Step, stepsWith } from '../invariants/steps.ts'
import { operationOf } from '../responses.ts'
import { shortList, unlessLost } from './burst.ts'
import { fromMs, isServed, isShutOut, minuteMs, minuteSaid, toMs, waitOf } from './reading.ts'

/** A client that spends a whole minute again and again shows within this time. */
const listenMs = 3_500
/** So many of the calls that look for other clients may still count at the end. */
const maxOwnCalls = 3
/** Calls in a row that take one each: a call of another client meanwhile shows in one of them. */
const rowLength = 30
/** A bucket that refills quickly hides the calls of other clients. */
const evenShare = 0.8

/** Whether a rested key has what this run left of it, and no other client takes from it. */
const looksUntouched = ({ quota }: LimitKey, first: Answered, second: Answered): boolean => {
  const [said, left] = [rateHeaders(first), rateHeaders(second)]
  if (!isServed(first) || !isServed(second) || !said || !left) return false
  const isWhole =
    (minuteSaid(first, quota)?.remaining ?? quota.perMinute - 1) >= quota.perMinute - 1
  return isWhole && (said.limit !== left.limit || said.remaining - left.remaining <= 1)
}

/** A round begins like that: on a rested key, with a pause between its probes. */
const wasUntouched = (round: Round): boolean => {
  const [first, second] = round.probes.slice(-2)
  if (!first || !second || gapsIn(round) > 0) return false
  return looksUntouched(round.key, first, second)
}

/** What is known of a key so far. */
export const traceOf = ({ limits }: Context, label: string): Trace => {
  const quotas = new Map(allKeys(limits).map((key) => [key.label, key.quota]))
  const none = { perMinute: 0, perDay: 0 }
  return {
    exchanges: limits.responsesTo(label),
    shared: limits.shared,
    quotaOf: (key) => quotas.get(key) ?? none,
  }
}

/** Each call with a key that came straight after another one, in the whole run so far. */
export const stepsOf = (context: Context, label: string): readonly Step[] =>
  stepsWith(label, traceOf(context, label))

/** Whether Remaining fell by more than was sent, at any time in the run. */
export const sawOtherClient = (context: Context, { label }: LimitKey): boolean =>
  mayBeShared(label, traceOf(context, label))

const isRow = (steps: readonly Step[]): boolean =>
  steps.filter(({ fall }) => fall === 1).length >= evenShare * rowLength

/**
 * With the test clock only network time passes for other clients. A call of theirs shows in a row
 * of calls, which takes many times as long as the responses that it is to explain.
 */
const isOnlyClientInstantly = (context: Context, key: LimitKey): Promise<boolean> => {
  const { limits } = context
  if (sawOtherClient(context, key)) return Promise.resolve(false)
  if (isRow(stepsOf(context, key.label))) return Promise.resolve(true)
  return context.once(`alone on the wire: ${key.label}`, async () => {
    await limits.rest(key.label)
    for (let calls = 0; calls <= rowLength; calls += 1) {
      if (!isServed(await unlessLost(limits.sendAnyway(key.label, shortList)))) return false
    }
    return !sawOtherClient(context, key) && isRow(stepsOf(context, key.label))
  })
}

/**
 * Whether no other client uses a key. In real time this takes three minutes, in which the key rests
 * and is watched; so it is done only after a refusal that another client would explain.
 * @param round a burst on this key, if there was one
 */
export const isOnlyClient = async (
  context: Context,
  key: LimitKey,
  round?: Round,
): Promise<boolean> => {
  const { limits } = context
  if (limits.shared || (round && gapsIn(round) > 0)) return false
  if (limits.instant) return isOnlyClientInstantly(context, key)
  if (sawOtherClient(context, key)) return false
  if (round && wasUntouched(round)) return true
  return context.once(`alone: ${key.label}`, async () => {
    const call = () => unlessLost(limits.sendAnyway(key.label, shortList))
    await limits.rest(key.label)
    const first = await call()
    await limits.pass(listenMs)
    if (!isServed(first) || !looksUntouched(key, first, await call())) return false
    // A client that calls only a few times a minute shows within one.
    await limits.pass(minuteMs)
    const last = await call()
    const left = minuteSaid(last, key.quota)?.remaining ?? key.quota.perMinute
    return isServed(last) && left >= key.quota.perMinute - maxOwnCalls
  })
}

/** Whether a response may be that of a ban that another client provoked. */
export const mayBeBanOfOthers = async (
  context: Context,
  key: LimitKey,
  response: Answered,
): Promise<boolean> => {
  if (![401, 403].includes(statusOf(response))) return false
  return !context.limits.instant || !(await isOnlyClient(context, key))
}

/** Whether a call that was not served may have failed, or another client explains it. */
export const mayBeOthers = async (
  context: Context,
  key: LimitKey,
  response: Answered,
  round?: Round,
): Promise<boolean> =>
  !isShutOut(response) ||
  (await mayBeBanOfOthers(context, key, response)) ||
  !(await isOnlyClient(context, key, round))

/** Between calls this close together there is no time for repeated calls of other clients. */
const soonMs = 1_000

export interface FirstRefusal {
  readonly key: LimitKey
  readonly refusal: Answered
  /** The latest call before it that was served. */
  readonly before: Answered | undefined
  /** Whether no other client can have been refused in between. */
  readonly isOurs: boolean
}

/** Of several at once one is the first: if no other states a wait, all of them have that fault. */
const mayBeFirst = (refusal: Answered, other: Answered): boolean =>
  toMs(other) > fromMs(refusal) && 'fault' in waitOf(other)

const firstOf = (context: Context, key: LimitKey): FirstRefusal[] => {
  const { limits } = context
  const responses = limits.responsesTo(key.label).filter((one) => operationOf(one) !== undefined)
  const refusals = responses.filter(isShutOut)
  return refusals.flatMap((refusal): FirstRefusal[] => {
    const before = responses.findLast((one) => isServed(one) && toMs(one) <= fromMs(refusal))
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
    const isOurs = isSoon || (limits.instant && !limits.shared && !sawOtherClient(context, key))
    return [{ key, refusal, before, isOurs }]
  })
}

/** The refusals of the run that repeat no other, so that none of them is a ban; key by key. */
export const firstRefusals = (context: Context): readonly FirstRefusal[] =>
  allKeys(context.limits).flatMap((key) => firstOf(context, key))
