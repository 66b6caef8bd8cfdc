// Programs: the quota of a day, spent at once with the test clock, or in real time.

import type { Context } from '../../engine/check/context.ts'
import { type KeyHandle, secondMs } from '../../engine/check/key-handle.ts'
import { createPet } from '../../engine/check/requests.ts'
import { dayKeyIn } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import {
  dayMs,
  daySaid,
  is429,
  isRefused,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  readWaitMs,
  spanMs,
} from '../../history/rate-headers.ts'
import type { Plan } from '../../spec/plans.ts'
import { ofQuota } from './bursts.ts'
import { callWith, expectKey, lists, otherKeys, passDays, program } from './program.ts'

/** A larger day is not spent: it may take the calls of two days. */
const maxDayCalls = 1_200

const dayKeyOf = ({ limits }: Context, plan: Plan): KeyHandle => {
  const key = expectKey(dayKeyIn(limits.keys, plan), plan)
  const { perDay } = key.quota
  if (perDay <= maxDayCalls) return key
  const message = `${perDay} requests a day are too many: a run sends at most ${maxDayCalls}`
  throw new Untested('ambiguous', message)
}

/** Two other keys of the plan call: each has a day of its own. */
const callOthers = (context: Context, key: KeyHandle) => {
  const ofPlan = otherKeys(context, key).filter(({ plan }) => plan === key.plan)
  return callWith(context.limits.instant ? ofPlan.slice(0, 2) : [])
}

/** How many minutes it may take: a few more than the day of a Free key needs. */
const maxMinutes = 40
/** How many requests may fail; they may have counted. */
const maxFailed = 10
/** The number of calls of a minute that are creations, if the run may create. */
const maxCreations = 3
/** Long enough for a server that drops a count after one or two idle hours. */
const idleMs = 121 * minuteMs
const spendMs = 60 * minuteMs
/** How often the stated wait is kept: what is seen twice is no other client. */
const maxWaits = 3
/** In real time a run does not wait longer. */
const maxRealWaitMs = 150_000
/** A refusal so shortly before Reset. */
const beforeResetMs = 600

/** Less than a minute, so that a window that each call extends never ends. */
const stepMs = 50_000
/** Any three steps, which is what lies within two minutes, are fewer than half of the minute. */
const stepShare = 0.15

/** Whether the key is shut out; a creation may be refused for what it is. */
const isOfKey = (response: AnsweredExchange): boolean =>
  response.apiRequest.method === 'POST' ? isRefused(response) : isShutOut(response)

/** How many calls more are too many; none where an error came for 429, or too many failed. */
const countLeft = (sent: readonly AnsweredExchange[], { quota: { perDay } }: KeyHandle): number => {
  const served = sent.filter(isServed).length
  const last = sent.at(-1)
  if (sent.length - served > maxFailed) return 0
  if (!last || served < perDay) return perDay + 1 - served
  if (!isServed(last) && !is429(last)) return 0
  // A bucket may give back a tenth at once, which a response about the minute hides.
  return perDay + 2 + maxRefill(perDay, dayMs, spanMs(sent) + dayMs / 10) - served
}

/** How many of them come before so many last ones; of a bucket more may be left. */
const countBeforeLast = (sent: readonly AnsweredExchange[], key: KeyHandle, apart: number) => {
  const isLast = apart > 0 && sent.filter(isServed).length >= key.quota.perDay - apart
  return isLast ? 0 : countLeft(sent, key) - apart
}

/** Whether half of the day is spent, and its Reset is far enough ahead. */
const mayIdle = (response: AnsweredExchange, { quota: { perDay } }: KeyHandle): boolean => {
  const said = daySaid(response)
  if (!said || said.remaining <= 1 || said.remaining > perDay / 2) return false
  return said.resetInMs > idleMs + spendMs
}

/** Lists, with a few creations at the end while those are served. */
const mix = (context: Context, count: number, sent: readonly AnsweredExchange[]): ApiRequest[] => {
  const isLost = (one: AnsweredExchange) => one.apiRequest.method === 'POST' && !isServed(one)
  const creates = context.allow.includes('write') && !sent.some(isLost)
  const end = Array.from({ length: creates ? Math.min(maxCreations, count) : 0 }, () =>
    createPet(context.newPet()),
  )
  return [...lists(count - end.length), ...end]
}

/** A call in the last second of a spent minute, and one after its wait. @returns whether it was */
const callLate = async (
  { clock, limits }: Context,
  { ask, retry }: KeyHandle,
  last: AnsweredExchange,
) => {
  const said = minuteSaid(last)
  if (!said || said.remaining > 0) return false
  const ms = said.reset * secondMs - beforeResetMs - (await clock.now())
  // A bucket states when its next token comes, so Reset is not the end of a window.
  if (ms < 0 || ms > 2 * minuteMs) return false
  await limits.pass(ms)
  await retry(await ask())
  return true
}

/**
 * Begins a day with more than a minute's quota, at a pace at which no window is ever spent.
 * @returns whether all of it was served
 */
const beginDay = async (context: Context, key: KeyHandle): Promise<boolean> => {
  const { flood, left } = key
  const { clock, limits } = context
  const now = await clock.now()
  // From a minute after midnight, after the key rested for at least two days.
  await passDays(context, (Math.floor(now / dayMs) + 3) * dayMs + minuteMs - now)
  await callOthers(context, key)
  const { perMinute } = key.quota
  const count = Math.max(1, Math.floor(stepShare * perMinute))
  for (let sent = 0; sent <= perMinute; sent += count) {
    if (!(await flood(lists(count))).every(isServed)) return false
    await limits.pass(stepMs)
  }
  // What follows is sent in a new window.
  await limits.pass(2 * minuteMs)
  // The first calls of a window come at once.
  const first = await flood(lists(perMinute))
  await flood(lists(Math.min(...first.map((one) => left(one, 0)))))
  await limits.pass(2 * minuteMs)
  return first.every(isServed)
}

/** So many calls of the end of a day come in a minute each: the one too many is then its first. */
const lastApart = 3

/**
 * Spends a day and one call more: until a refusal, or until too many were served.
 * @param apart how many calls come last, in a minute each
 */
const spendByClock = async (
  context: Context,
  key: KeyHandle,
  apart: number,
  sent: () => readonly AnsweredExchange[],
): Promise<void> => {
  const { limits } = context
  const { ask, flood, left } = key
  let isIdle = false
  let isLate = false
  for (let minute = 0; minute < maxMinutes; minute += 1) {
    const first = await ask()
    if (isOfKey(first) || countLeft(sent(), key) <= 0) return
    if (!isIdle && mayIdle(first, key)) {
      isIdle = true
      await limits.pass(idleMs)
      continue
    }
    const count = Math.min(left(first), countBeforeLast(sent(), key, apart))
    const responses = await flood(mix(context, count, sent()))
    if (responses.some(isOfKey) || countLeft(sent(), key) <= 0) return
    const last = responses.at(-1) ?? first
    if (!isLate && isServed(last)) isLate = await callLate(context, key, last)
    const resetInMs = minuteSaid(last)?.resetInMs ?? minuteMs
    await limits.pass(Math.min(Math.max(resetInMs, minuteMs), 2 * minuteMs) + secondMs)
  }
}

/** Sends until a refusal, or until too many were served; never exceeds the minute. */
const spendInRealTime = async (key: KeyHandle): Promise<void> => {
  while (countLeft(key.responses(), key) > 0) if (!isServed(await key.paced())) return
}

/** Once the day is spent: other keys call, and the wait that was stated is kept. */
const keepWait = async (
  context: Context,
  key: KeyHandle,
  sent: readonly AnsweredExchange[],
): Promise<void> => {
  const refusal = sent.findLast(isRefused)
  if (!refusal) return
  await callOthers(context, key)
  const isShort = (readWaitMs(refusal) ?? 0) <= maxRealWaitMs
  if (context.limits.instant || isShort) await key.retry(refusal, maxWaits)
}

/** After its wait a call on the same day of a later month: a count without a year may be kept. */
const keepWaitAndMonth = async (
  context: Context,
  key: KeyHandle,
  sent: readonly AnsweredExchange[],
): Promise<void> => {
  const spentMs = await context.clock.now()
  await keepWait(context, key, sent)
  const spent = new Date(spentMs)
  const months = [1, 2].map((more) => new Date(spentMs).setUTCMonth(spent.getUTCMonth() + more))
  const sameMs = months.find((ms) => new Date(ms).getUTCDate() === spent.getUTCDate()) ?? spentMs
  await passDays(context, Math.max(0, sameMs - (await context.clock.now())))
  await key.ask()
}

export const dayQuotas = (['free', 'enterprise'] as const).map((plan) =>
  program({
    id: plan === 'free' ? 'day-quota' : `day-quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { stage: 'days', allow: ['exhaust', 'day'], plan },
    ...ofQuota,
    sends:
      'With the test clock, after a rest of two days, one call more than a day has: each 50 s ' +
      "15 % of a minute's number until that is sent, then minute by minute, at first at once; " +
      'of an Enterprise key the last ones in a minute each; in one of them a ' +
      'call 0.6 s before Reset, with nothing left. In real time at the ' +
      'pace of the minutes. Meanwhile and before, a call with up to two other keys of the plan. ' +
      'Then a request after the stated wait, in real time if that is short; up to three times. ' +
      'With a Free key and the test clock one on the same day of a later month.',
    run: async (context) => {
      const { instant } = context.limits
      const key = dayKeyOf(context, plan)
      const before = key.responses().length
      const since = () => key.responses().slice(before)
      if (!instant) await spendInRealTime(key)
      else if (await beginDay(context, key))
        await spendByClock(context, key, plan === 'free' ? 0 : lastApart, since)
      const sent = instant ? since() : key.responses()
      const keep = instant && plan === 'free' ? keepWaitAndMonth : keepWait
      await keep(context, key, since())
      if (sent.every(isServed) || sent.length <= key.quota.perDay) {
        const why = `no request was refused for its day (${sent.length} were sent)`
        throw new Untested('ambiguous', why, sent.slice(-1))
      }
    },
  }),
)
