// Programs: the quota of a day, spent at once with the test clock, or in real time.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import type { Needs } from '../../engine/check/declare.ts'
import { allKeys, maxDayCalls } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
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
import { createPet } from '../pets/requests.ts'
import { beginDay, begunDay } from './begin-day.ts'
import { canCreate, keyOfPlan, retryAsStated } from './experiments.ts'
import { callOrRefusal } from './isolation.ts'
import { ofEachPlan, program } from './program.ts'
import { callAnyway, sendAll, shortList, unlessLost } from './sending.ts'

const dayNeeds: Needs = { stage: 'days', allow: ['exhaust', 'day'] }

const dayKeyOf = (context: Context, plan: Plan): LimitKey => {
  const key = keyOfPlan(context, plan, 'perDay')
  const { perDay } = key.quota
  if (perDay <= maxDayCalls) return key
  const message = `${perDay} requests a day are too many: a run sends at most ${maxDayCalls}`
  throw new Untested('ambiguous', message)
}

/** Two other keys of the plan: a refusal of one alone may be due to another client. */
const othersOf = ({ limits }: Context, { plan, label }: LimitKey): readonly LimitKey[] =>
  allKeys(limits)
    .filter((other) => other.plan === plan && other.label !== label)
    .slice(0, 2)

/** With the test clock other keys call: each has a day of its own. */
const callOthers = async (context: Context, key: LimitKey): Promise<void> => {
  if (!context.limits.instant) return
  for (const other of othersOf(context, key)) {
    await completes(unlessLost(callOrRefusal(context, other)))
  }
}

/** The calls of a day that was spent; once. */
const spentDay = async (context: Context, key: LimitKey): Promise<readonly AnsweredExchange[]> => {
  const spend = context.limits.instant ? spendByClock : spendInRealTime
  await context.control('list')
  return context.once(`day spent: ${key.label}`, async () => {
    await callOthers(context, key)
    return unlessLost(spend(context, key))
  })
}

/** Twice, as another client may explain what is seen once, and once for a minute in between. */
const maxWaits = 3
/** In real time a run does not wait longer. */
const maxRealWaitMs = 150_000

export const dayQuotas = ofEachPlan(['free', 'enterprise'], (plan) =>
  program({
    id: plan === 'free' ? 'day-quota' : `day-quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { ...dayNeeds, plan },
    laws: [
      'limit-not-late',
      'limit-not-below-quota',
      'limit-not-early',
      'quota-429-status',
      'retry-after-each-served',
    ],
    sends:
      'With the test clock: after a rest of two days, calls minute by minute until one more ' +
      'than the day has; the first minute may be one that other programs send too. In real ' +
      'time: the same at the pace of the minutes, within one run. While it is spent, with the ' +
      'test clock, a call with up to two other keys of the plan, and one before it. Then a ' +
      'request after the wait that the refusal states, in real time if that is short; up to ' +
      'three times.',
    run: async (context, earlier) => {
      const key = dayKeyOf(context, plan)
      const responses = await spentDay(context, key)
      earlier.push(...responses)
      const refusal = responses.findLast(isRefused)
      if (responses.some(isShutOut)) await callOthers(context, key)
      const isShort = refusal && (readWaitMs(refusal) ?? 0) <= maxRealWaitMs
      if (refusal && (context.limits.instant || isShort)) {
        await completes(retryAsStated(context, key, refusal, maxWaits))
      }
      const { instant, responsesTo } = context.limits
      const sent = instant ? responses.length : responsesTo(key.label).length
      if (responses.every(isServed) || sent <= key.quota.perDay) {
        const why = `no request was refused for its day (${sent} were sent)`
        throw new Untested('ambiguous', why, responses.slice(-1))
      }
    },
    again: async (context) => {
      if (context.limits.instant) await unlessLost(spendByClock(context, dayKeyOf(context, plan)))
    },
  }),
)

/** How many minutes it may take: a few more than the day of a Free key needs. */
const maxMinutes = 40
const secondMs = 1_000
/** How many requests may fail; they may have counted. */
const maxFailed = 10

/** How many calls remain in the minute, as announced. */
const minuteRoom = (response: AnsweredExchange, { quota }: LimitKey): number =>
  minuteSaid(response)?.remaining ?? quota.perMinute - 1

/** How many calls can be sent without a refusal. */
const roomAfter = (response: AnsweredExchange, key: LimitKey, served: number): number => {
  const { perDay } = key.quota
  const ofDay = daySaid(response)?.remaining ?? perDay
  return Math.min(minuteRoom(response, key), ofDay, Math.max(0, perDay - served))
}

/** The number of calls of a day that are creations, if the run may create. */
const maxCreations = 50
/** Few in a minute; more once the headers describe the day, which then show each one. */
const creationsPerMinute = { minute: 2, day: 10 }

/**
 * Returns a function that creates requests: lists, with creations at the end while those are
 * served.
 */
const createMix = async (context: Context, sent: readonly AnsweredExchange[]) => {
  const canStill = await canCreate(context)
  const isLost = (one: AnsweredExchange) => one.apiRequest.method === 'POST' && !isServed(one)
  let created = 0
  return (count: number, response: AnsweredExchange): ApiRequest[] => {
    const wanted = daySaid(response) ? creationsPerMinute.day : creationsPerMinute.minute
    const creates = canStill && !sent.some(isLost)
    const creations = creates ? Math.min(wanted, count, maxCreations - created) : 0
    created += creations
    return Array.from({ length: count }, (_, at) =>
      at < count - creations ? shortList : createPet(context.newPet()),
    )
  }
}

/** Long enough for a server that drops a count after one or two idle hours. */
const idleMs = 121 * minuteMs
const spendMs = 60 * minuteMs

/** Whether half of the day is spent, and its Reset is far enough ahead. */
const mayIdle = (response: AnsweredExchange, { quota }: LimitKey): boolean => {
  const said = daySaid(response)
  if (!said || said.remaining <= 1 || said.remaining > quota.perDay / 2) return false
  return said.resetInMs > idleMs + spendMs
}

const passMinute = async ({ limits }: Context, latest: AnsweredExchange) => {
  const resetInMs = minuteSaid(latest)?.resetInMs ?? minuteMs
  await limits.pass(Math.min(Math.max(resetInMs, minuteMs), 2 * minuteMs) + secondMs)
}

type Mix = Awaited<ReturnType<typeof createMix>>

/** Whether the key is shut out; a creation may be refused for what it is. */
const isOfKey = (response: AnsweredExchange): boolean =>
  response.apiRequest.method === 'POST' ? isRefused(response) : isShutOut(response)

/** Whether no more need be sent: too many were served or failed, or an error came for 429. */
const isOver = (all: readonly AnsweredExchange[], { perDay }: LimitKey['quota']): boolean => {
  const last = all.at(-1)
  if (!last) return false
  const served = all.filter(isServed).length
  const isInstead = served >= perDay && !isServed(last) && !is429(last)
  const max = perDay + maxRefill(perDay, dayMs, spanMs(all))
  return isInstead || all.length - served > maxFailed || served > max
}

/** Spends a minute of a day; what is beyond the day may be refused, so it is sent one by one. */
const spendMinute = async (
  context: Context,
  key: LimitKey,
  { first, all, mix }: { first: AnsweredExchange; all: AnsweredExchange[]; mix: Mix },
): Promise<void> => {
  const servedCount = () => all.filter(isServed).length
  const room = roomAfter(first, key, servedCount())
  const { responses } = await sendAll(context, key, mix(room, first))
  all.push(...responses)
  if (responses.some(isOfKey) || servedCount() < key.quota.perDay) return
  const beyond = minuteRoom(first, key) - responses.length
  for (let calls = 0; calls < beyond && !isOver(all, key.quota); calls += 1) {
    const response = await callAnyway(context, key)
    all.push(response)
    if (isOfKey(response)) return
  }
}

/**
 * Spends a day and one call more: until a refusal, or until too many were served.
 * @returns its calls, with those that were sent in that day before
 */
const spendByClock = async (
  context: Context,
  key: LimitKey,
): Promise<readonly AnsweredExchange[]> => {
  const all = [...(await begunDay(context, key))]
  const begun = all.length
  const isDone = () => isOver(all, key.quota) || all.slice(begun).some(isOfKey)
  const mix = await createMix(context, all)
  let hasIdled = false
  await (begun > 0 ? context.limits.rest(key.label) : beginDay(context))
  for (let minute = 0; minute < maxMinutes && !isDone(); minute += 1) {
    const first = await callAnyway(context, key)
    all.push(first)
    if (!hasIdled && mayIdle(first, key)) {
      hasIdled = true
      await context.limits.pass(idleMs)
      continue
    }
    if (isDone()) break
    await spendMinute(context, key, { first, all, mix })
    if (!isDone()) await passMinute(context, all.at(-1) ?? first)
  }
  return all
}

/** Sends until a refusal, or until too many were served; never exceeds the minute. */
const spendInRealTime = async (
  { limits }: Context,
  { label, quota }: LimitKey,
): Promise<readonly AnsweredExchange[]> => {
  const responses: AnsweredExchange[] = []
  const perReset = new Map<number, number>()
  while (responses.length < 2 * quota.perDay + 2) {
    const response = await unlessLost(limits.paced(label, shortList))
    responses.push(response)
    if (!isServed(response)) break
    const reset = daySaid(response)?.reset
    if (reset === undefined) continue
    perReset.set(reset, (perReset.get(reset) ?? 0) + 1)
    if ((perReset.get(reset) ?? 0) > quota.perDay) break
  }
  return responses
}
