// Spends the quota of a day until a request is refused: with the test clock minute by minute, after
// a rest of two days; or in real time within one run.
import type { Context, LimitKey } from '../../../engine/check/context.ts'
import type { Judgement } from '../../../engine/quota/round.ts'
import type { AnsweredExchange, ApiRequest } from '../../../history/exchange.ts'
import { Suspicion } from '../../../history/outcome.ts'
import {
  daySaid,
  is429,
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
} from '../../../history/rate-headers.ts'
import { describeResponse } from '../../../model/expect.ts'
import type { Quota } from '../../../spec/plans.ts'
import { createPet } from '../../pets/requests.ts'
import { beginDay, begunDay } from '../begin-day.ts'
import { canCreate } from '../experiments.ts'
import { callAnyway, sendAll, shortList, unlessLost } from '../sending.ts'
import { judgeDayFewer, judgeDayMore, maxServedInDay, unclear } from './judgements.ts'
import {
  DayLog,
  isBeyondStated,
  isSpentByUs,
  isTwoDays,
  judgeRealFewer,
  judgeRealMore,
  type RealDay,
} from './real-time-judgements.ts'

export interface SpentDay {
  readonly more: Judgement
  readonly fewer: Judgement
  /** The refusal at its end, if any. */
  readonly refusal: AnsweredExchange | undefined
  /** The response instead of a refusal, after the last call of the day. */
  readonly instead: AnsweredExchange | undefined
  /** Whether the refusal came after the last call of the day, as far as known. */
  readonly isWhole: boolean
  /** Whether all calls of the day are known to be those of this run. */
  readonly isOurs: boolean
}

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

/** Whether the day is spent and the last response is neither a success nor a refusal. */
const isInstead = (responses: readonly AnsweredExchange[], quota: Quota): boolean => {
  const last = responses.at(-1)
  const before = responses.slice(0, -1)
  const place = before.findLastIndex((one) => daySaid(one) !== undefined)
  const said = before[place] && daySaid(before[place])
  // Calls whose responses have no headers count too.
  const left = (said?.remaining ?? 0) - before.slice(place + 1).filter(isServed).length
  const isSpent = before.filter(isServed).length >= quota.perDay && left <= 0
  return last !== undefined && !isServed(last) && !is429(last) && isSpent
}

/** Whether the key is shut out; a creation may be refused for what it is. */
const isOfKey = (response: AnsweredExchange): boolean =>
  response.apiRequest.method === 'POST' ? isRefused(response) : isShutOut(response)

/**
 * Spends a day and one call more: until a refusal, or until too many were served.
 * @param begun what was sent in that day before; if nothing was, it begins after a rest
 */
const spendMinutes = async (
  context: Context,
  key: LimitKey,
  begun: readonly AnsweredExchange[],
): Promise<readonly AnsweredExchange[]> => {
  const responses: AnsweredExchange[] = []
  const all = () => [...begun, ...responses]
  const servedCount = () => all().filter(isServed).length
  const isOver = () =>
    responses.some(isOfKey) ||
    isInstead(all(), key.quota) ||
    responses.filter((one) => !isServed(one)).length > maxFailed ||
    servedCount() > maxServedInDay(all(), key.quota)
  const mix = await createMix(context, responses)
  let hasIdled = false
  await (begun.length === 0 ? beginDay(context) : context.limits.rest(key.label))
  for (let minute = 0; minute < maxMinutes; minute += 1) {
    const first = await callAnyway(context, key)
    responses.push(first)
    if (isOver()) return responses
    if (!hasIdled && mayIdle(first, key)) {
      hasIdled = true
      await context.limits.pass(idleMs)
      continue
    }
    const room = roomAfter(first, key, servedCount())
    const sent = await sendAll(context, key, mix(room, first))
    responses.push(...sent.responses)
    const beyond =
      servedCount() < key.quota.perDay ? 0 : minuteRoom(first, key) - sent.responses.length
    // Any of these may be refused, so they are sent one by one.
    for (let calls = 0; calls < beyond && !isOver(); calls += 1) {
      responses.push(await callAnyway(context, key))
    }
    if (isOver()) return responses
    await passMinute(context, responses.at(-1) ?? first)
  }
  return responses
}

/** A whole day, or one of which a part was sent before and that was served to its last call. */
const spendDay = async (context: Context, key: LimitKey) => {
  const begun = await begunDay(context, key)
  const responses = await spendMinutes(context, key, begun)
  const all = [...begun, ...responses]
  const isWhole = all.filter(isServed).length >= key.quota.perDay
  if (begun.length === 0 || isWhole) return { all, responses }
  // What was refused before may have counted, so that only a day of its own shows too few.
  const own = await spendMinutes(context, key, [])
  return { all: own, responses: own }
}

export const spendByClock = async (context: Context, key: LimitKey): Promise<SpentDay> => {
  const { quota } = key
  const { all, responses } = await spendDay(context, key)
  const last = responses.slice(-1)
  const more = judgeDayMore(all, quota)
  const isEnough = more.kind !== 'holds' || all.length > quota.perDay
  return {
    more: isEnough ? more : unclear(`no more than ${all.length} requests were sent`, last),
    fewer: responses.every(isServed)
      ? unclear('no request was refused for its day', last)
      : judgeDayFewer(all, quota),
    refusal: responses.find(isRefused),
    instead: isInstead(all, quota) ? responses.at(-1) : undefined,
    isWhole: all.filter(isServed).length >= quota.perDay,
    isOurs: false,
  }
}

/** Sends until a refusal, or until too many were served; never exceeds the minute. */
const spendPaced = async ({ limits }: Context, { label, quota }: LimitKey): Promise<RealDay> => {
  const log = new DayLog(quota, limits.responsesTo(label))
  const responses: AnsweredExchange[] = []
  const soFar = (): RealDay => ({ log, nowMs: limits.wallMs(), responses })
  for (let calls = 0; calls < 2 * quota.perDay + 2; calls += 1) {
    if (isTwoDays(soFar()) || isBeyondStated(soFar())) break
    const response = await unlessLost(limits.paced(label, shortList))
    responses.push(response)
    log.add(response)
    if (!isServed(response)) break
  }
  return soFar()
}

export const spendInRealTime = async (context: Context, key: LimitKey): Promise<SpentDay> => {
  const day = await spendPaced(context, key)
  const last = day.responses.at(-1)
  if (last && !isServed(last) && !isRefused(last)) {
    throw new Suspicion(`a request got ${describeResponse(last)} before the day was spent`, [last])
  }
  const [more, fewer, isOurs] = [judgeRealMore(day), judgeRealFewer(day), isSpentByUs(day)]
  const refusal = day.responses.findLast(isRefused)
  const isWhole = isOurs || fewer.kind === 'holds'
  return { more, fewer, refusal, instead: undefined, isWhole, isOurs }
}
