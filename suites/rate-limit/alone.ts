// Whether a key is ours alone: asked where another client would explain a refusal.

import type { Trace } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { allKeys, type LimitKey } from '../../engine/quota/limits.ts'
import { rateHeaders } from '../../engine/quota/rate-headers.ts'
import { gapsIn, type Round } from '../../engine/quota/round.ts'
import { mayBeShared, type Step, stepsWith } from '../invariants/calls.ts'
import { answered } from './flood.ts'
import { isServed, minuteMs, minuteSaid } from './reading.ts'
import { short } from './round.ts'

/** Whoever spends a whole minute again and again makes himself felt within this. */
const listenMs = 3_500

/** Whether what is left of a rested key is what we left, and nobody takes from it meanwhile. */
const looksAlone = ({ quota }: LimitKey, first: Answered, second: Answered): boolean => {
  const [said, left] = [rateHeaders(first), rateHeaders(second)]
  if (!isServed(first) || !isServed(second) || !said || !left) return false
  const isWhole =
    (minuteSaid(first, quota)?.remaining ?? quota.perMinute - 1) >= quota.perMinute - 1
  return isWhole && (said.limit !== left.limit || said.remaining - left.remaining <= 1)
}

/** Of its own calls so many may still count by then. */
const asksMost = 3

/** A round begins as this does: at rest, and with a pause between its probes. */
const wasAlone = (round: Round): boolean => {
  const [first, second] = round.probes.slice(-2)
  if (!first || !second || gapsIn(round) > 0) return false
  return looksAlone(round.key, first, second)
}

/** What is known of a key so far. */
export const traceOf = ({ limits }: Context, label: string): Trace => {
  const quotas = new Map(allKeys(limits).map((key) => [key.label, key.quota]))
  const none = { perMinute: 0, perDay: 0 }
  return {
    exchanges: limits.heard(label),
    shared: limits.shared,
    quotaOf: (key) => quotas.get(key) ?? none,
  }
}

/** Each call with a key that came straight after another one, of the whole run so far. */
export const stepsOf = (context: Context, label: string): readonly Step[] =>
  stepsWith(label, traceOf(context, label))

/** Whether Remaining fell by more than was sent, at any time in the run. */
export const wasFelt = (context: Context, { label }: LimitKey): boolean =>
  mayBeShared(label, traceOf(context, label))

/** Calls in a row that take one each: whoever called meanwhile would be felt in one of them. */
const rowLength = 30
/** In a bucket that is quickly filled the calls of others are not felt. */
const evenShare = 0.8

const isRow = (steps: readonly Step[]): boolean =>
  steps.filter(({ fall }) => fall === 1).length >= evenShare * rowLength

/**
 * By the test clock no time of others passes but that of the wire. They are felt as soon as one of
 * them calls while a row of ours is asked, which takes many times as long as what it explains.
 */
const isAloneOnWire = (context: Context, key: LimitKey): Promise<boolean> => {
  const { limits } = context
  if (wasFelt(context, key)) return Promise.resolve(false)
  if (isRow(stepsOf(context, key.label))) return Promise.resolve(true)
  return context.once(`alone on the wire: ${key.label}`, async () => {
    await limits.rest(key.label)
    for (let calls = 0; calls <= rowLength; calls += 1) {
      if (!isServed(await answered(limits.insist(key.label, short)))) return false
    }
    return !wasFelt(context, key) && isRow(stepsOf(context, key.label))
  })
}

/**
 * With the test clock hardly any of others' time passes; in real time the key rests and is listened
 * to, which takes three minutes, and only where it was refused.
 * @param round one on this key, where one was held
 */
export const isAlone = async (
  context: Context,
  key: LimitKey,
  round: Round | undefined,
): Promise<boolean> => {
  const { limits } = context
  if (limits.shared || (round && gapsIn(round) > 0)) return false
  if (limits.instant) return isAloneOnWire(context, key)
  if (wasFelt(context, key)) return false
  if (round && wasAlone(round)) return true
  return context.once(`alone: ${key.label}`, async () => {
    const ask = () => answered(limits.insist(key.label, short))
    await limits.rest(key.label)
    const first = await ask()
    await limits.pass(listenMs)
    if (!isServed(first) || !looksAlone(key, first, await ask())) return false
    // Whoever comes but a few times a minute is felt within one.
    await limits.pass(minuteMs)
    const last = await ask()
    const left = minuteSaid(last, key.quota)?.remaining ?? key.quota.perMinute
    return isServed(last) && left >= key.quota.perMinute - asksMost
  })
}

/** Whether it may be the answer of a ban that another client drew upon the key. */
export const mayBeOthersBan = async (
  context: Context,
  key: LimitKey,
  answer: Answered,
): Promise<boolean> => {
  if (![401, 403].includes(statusOf(answer))) return false
  return !context.limits.instant || !(await isAlone(context, key, undefined))
}
