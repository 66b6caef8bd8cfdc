// Whether another client may explain a response; and the first refusals of each key.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { type FirstRefusal, firstRefusalsIn } from '../../engine/quota/first-refusals.ts'
import { fallsWith, mayBeShared } from '../../engine/quota/remaining-steps.ts'
import { gapsIn, type Round } from '../../engine/quota/round.ts'
import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Suspicion } from '../../history/outcome.ts'
import {
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  rateHeaders,
  toMs,
} from '../../history/rate-headers.ts'
import { describeResponse } from '../../model/expect.ts'
import { callAnyway } from './sending.ts'

/** A client that uses up the key again and again is noticed within this time. */
const listenMs = 3_500
/** How many calls of this run may still count at the end of the search for other clients. */
const maxOwnCalls = 3
/** The length of a row of calls in which a call of another client would be noticed. */
const rowLength = 30
/** The share of the row with a fall of one: a bucket that refills quickly hides other clients. */
const evenShare = 0.8

/** Whether Remaining of a rested key is explained by the calls of this run alone. */
const looksUntouched = ({ quota }: LimitKey, first: AnsweredExchange, second: AnsweredExchange) => {
  const [said, left] = [rateHeaders(first), rateHeaders(second)]
  if (!isServed(first) || !isServed(second) || !said || !left) return false
  const whole = quota.perMinute - 1
  const isWhole = (minuteSaid(first)?.remaining ?? whole) >= whole
  return isWhole && (said.limit !== left.limit || said.remaining - left.remaining <= 1)
}

/** Whether no other client called between the probes of a burst, which begins on a rested key. */
const wasUntouched = (round: Round): boolean => {
  const [first, second] = round.probes.slice(-2)
  if (!first || !second || gapsIn(round) > 0) return false
  return looksUntouched(round.key, first, second)
}

/** Why a wait until a date is not judged. */
export const undated = (refusal: AnsweredExchange): Suspicion =>
  new Suspicion('without Date the time of the target is unknown', [refusal])

/** The responses to one key. */
export const readTrace = ({ history, limits }: Context, { label }: LimitKey): History => ({
  ...history,
  exchanges: limits.responsesTo(label),
})

const listFalls = (context: Context, key: LimitKey): readonly number[] =>
  fallsWith(key.label, readTrace(context, key))

/** Whether Remaining ever fell by more than this run sent. */
export const sawOtherClient = (context: Context, key: LimitKey): boolean =>
  mayBeShared(key.label, readTrace(context, key))

const isRow = (falls: readonly number[]): boolean =>
  falls.filter((fall) => fall === 1).length >= evenShare * rowLength

/**
 * With the test clock only network time passes for other clients. Their calls would be noticed in a
 * row of calls, which takes much longer than the responses in question.
 */
const isOnlyClientInstantly = async (context: Context, key: LimitKey): Promise<boolean> => {
  if (isRow(listFalls(context, key))) return true
  return context.once(`alone on the wire: ${key.label}`, async () => {
    await context.limits.rest(key.label)
    for (let calls = 0; calls <= rowLength; calls += 1) {
      if (!isServed(await callAnyway(context, key))) return false
    }
    return !sawOtherClient(context, key) && isRow(listFalls(context, key))
  })
}

/**
 * Whether no other client uses a key. In real time this takes three minutes, so it is called only
 * after a refusal that another client would explain.
 * @param round a burst on this key, if there was one
 */
export const isOnlyClient = async (context: Context, key: LimitKey, round?: Round) => {
  const { limits } = context
  if (limits.shared || (round && gapsIn(round) > 0)) return false
  if (sawOtherClient(context, key)) return false
  if (limits.instant) return isOnlyClientInstantly(context, key)
  if (round && wasUntouched(round)) return true
  return context.once(`alone: ${key.label}`, async () => {
    await limits.rest(key.label)
    const first = await callAnyway(context, key)
    await limits.pass(listenMs)
    if (!isServed(first) || !looksUntouched(key, first, await callAnyway(context, key))) {
      return false
    }
    // A client that calls only a few times a minute is noticed within a minute.
    await limits.pass(minuteMs)
    const last = await callAnyway(context, key)
    const left = minuteSaid(last)?.remaining ?? key.quota.perMinute
    return isServed(last) && left >= key.quota.perMinute - maxOwnCalls
  })
}

/** Whether a response may be that of a ban which another client caused. */
const mayBeBanOfOthers = async (
  context: Context,
  key: LimitKey,
  one: AnsweredExchange,
  round?: Round,
): Promise<boolean> => {
  if (![401, 403].includes(statusCode(one))) return false
  return !context.limits.instant || !(await isOnlyClient(context, key, round))
}

/** What may explain that a key was not served: the run itself, where it was refused before. */
export const whyNotServed = ({ limits }: Context, key: LimitKey, one: AnsweredExchange): string => {
  if (!isShutOut(one)) return `a request got ${describeResponse(one)}`
  if (isRefused(one)) return 'another client may have used the key'
  const earlier = limits.responsesTo(key.label).filter((other) => toMs(other) <= fromMs(one))
  const who = earlier.some(isRefused) ? 'requests of this run after a refusal' : 'another client'
  return `${who} may have caused a ban of the key`
}

/** @throws Suspicion if the response may be that of a ban which another client caused */
export const unlessBanOfOthers = async (
  context: Context,
  key: LimitKey,
  one: AnsweredExchange,
  round?: Round,
): Promise<void> => {
  if (await mayBeBanOfOthers(context, key, one, round)) {
    throw new Suspicion(whyNotServed(context, key, one), [one])
  }
}

export interface KeyRefusal extends FirstRefusal {
  readonly key: LimitKey
}

/** The refusals of the run, by key, that follow no other refusal, so that none may be a ban. */
export const firstRefusals = (context: Context): readonly KeyRefusal[] =>
  allKeys(context.limits).flatMap((key) =>
    [...firstRefusalsIn(readTrace(context, key)).values()].map((first) => ({ ...first, key })),
  )
