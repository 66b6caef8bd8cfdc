// Whether a day in real time was served too much or too little: compares the calls of this run with
// what the responses state. Pure. When the day began is unknown, and who else called.
// Times are Unix milliseconds of the local clock.
import { type Answered, statusOf } from '../../../engine/exchange.ts'
import { holds, type Judgement } from '../../../engine/quota/judgements.ts'
import { dateMs } from '../../../engine/quota/rate-headers.ts'
import type { Quota } from '../../../spec/plans.ts'
import { dayMs, daySaid, isRefused, minuteMs, waitOf } from '../reading.ts'
import { breach, unclear } from './judgements.ts'

/** What the last response with headers of the day said of it. */
interface DaySaid {
  readonly atMs: number
  /** As it was declared, in Unix seconds. */
  readonly reset: number
  /** The same by the local clock. */
  readonly endsMs: number
  readonly remaining: number
  /** How many were served after it. */
  readonly servedSince: number
  /** How many more the day with this Reset may serve, by its own numbers; below 0: too many. */
  readonly mayServe: number
  /** Whether the calls of this run explain it exactly. */
  readonly isOurs: boolean
}

export interface DayLog {
  readonly quota: Quota
  readonly calls: Answered[]
  said: DaySaid | null
}

/** A Date is in whole seconds, and that of a cache may be off by some. */
const dayGraceMs = 3_000

const sentMs = ({ at }: Answered): number => Date.parse(at)

export const receivedMs = (response: Answered): number =>
  sentMs(response) + Math.ceil(response.receivedMs - response.sentMs)

/** A day may end so far ahead (ruling 15); a Reset beyond that is ignored. */
export const maxAheadMs = 2 * dayMs + 600_000

const isSuccess = (response: Answered): boolean =>
  statusOf(response) >= 200 && statusOf(response) < 300

/** How many were sent at this moment or later, and how many of these were served. */
const callsSince = ({ calls }: DayLog, sinceMs: number) => {
  const within = calls.filter((call) => sentMs(call) >= sinceMs)
  const served = within.filter(isSuccess).length
  return { served, refused: within.filter(isRefused).length, all: within.length }
}

const servedSince = (log: DayLog, sinceMs: number): number => callsSince(log, sinceMs).served

/**
 * Whether so many spent calls are those sent since then, and no others. Which responses count is
 * open: those to refused calls, and those to invalid ones, do or do not.
 */
const explains = (log: DayLog, sinceMs: number, spent: number): boolean => {
  const { served, refused, all } = callsSince(log, sinceMs)
  const isCut = log.calls.some((call) => sentMs(call) < sinceMs && receivedMs(call) >= sinceMs)
  return !isCut && [served, served + refused, all - refused, all].includes(spent)
}

/** When the day of a response ends; its Date gives the difference between the two clocks. */
const dayEndsMs = (response: Answered, quota: Quota): number | undefined => {
  const said = daySaid(response, quota)
  if (!said || dateMs(response) === undefined || said.resetInMs > maxAheadMs) return undefined
  return receivedMs(response) + Math.round(said.resetInMs)
}

/** Adds the next response to a call with the key. */
export const recordCall = (log: DayLog, response: Answered): void => {
  const { quota, said: last } = log
  log.calls.push(response)
  if (!isSuccess(response)) return
  if (last) log.said = { ...last, servedSince: last.servedSince + 1 }
  const said = daySaid(response, quota)
  const endsMs = dayEndsMs(response, quota)
  if (!said || endsMs === undefined) return
  const { reset, remaining } = said
  const atMs = receivedMs(response)
  const before = last?.reset === reset ? last : undefined
  const isOurs = explains(log, endsMs - dayMs - dayGraceMs, quota.perDay - remaining)
  // A day that slides gives calls back before its Reset, unless its Reset is that of the oldest
  // call; then, as in a fixed one, all calls of 24 hours explain what is spent. Near its end one
  // may have come back under the same whole second.
  const isBound = before !== undefined && atMs < endsMs - dayGraceMs
  const isLowered = isBound && (before.isOurs || before.mayServe < 0)
  const mayServe = isLowered ? Math.min(before.mayServe - 1, remaining) : remaining
  log.said = { atMs, reset, endsMs, remaining, servedSince: 0, mayServe, isOurs }
}

export const createDayLog = (quota: Quota, responses: readonly Answered[]): DayLog => {
  const log: DayLog = { quota, calls: [], said: null }
  for (const response of responses) recordCall(log, response)
  return log
}

export interface RealDay {
  readonly log: DayLog
  /** By the local clock. */
  readonly nowMs: number
  /** The latest responses of this run, in order. */
  readonly responses: readonly Answered[]
}

/** Served in less than 24 hours, this moment included. */
const servedInDay = ({ log, nowMs }: RealDay): number => servedSince(log, nowMs - dayMs + minuteMs)

/** Of any two days at most one ends in less than a day (ruling 17). */
export const isTwoDays = (day: RealDay): boolean => servedInDay(day) > 2 * day.log.quota.perDay

/** Whether more was served than its own numbers allowed, which our calls alone explained. */
export const isBeyondStated = ({ log }: RealDay): boolean => (log.said?.mayServe ?? 0) < 0

/** The wait of a minute is stated to be over in two of them. */
const longMs = 2 * minuteMs + 15_000

/** Whether a refusal is for the day, and not for the minute. */
const isOfDay = (refusal: Answered, quota: Quota): boolean => {
  const wait = waitOf(refusal)
  return daySaid(refusal, quota) !== undefined || ('ms' in wait && wait.ms > longMs)
}

/** Served in the 24 hours before a Reset; the Reset of a sliding day is further ahead, or near. */
const servedInDeclared = ({ log, responses, nowMs }: RealDay): number => {
  const last = responses.at(-1)
  const endsMs = last && dayEndsMs(last, log.quota)
  // Calls that come back in portions do so twice a day at least.
  if (endsMs === undefined || endsMs - nowMs <= dayMs / 2) return 0
  return servedSince(log, endsMs - dayMs + dayGraceMs)
}

export const judgeRealMore = (day: RealDay): Judgement => {
  const { log, responses } = day
  const { perDay } = log.quota
  const expected = `at most ${perDay} requests served in a day`
  const served = servedInDay(day)
  const declared = servedInDeclared(day)
  const evidence = responses.slice(-2)
  if (isBeyondStated(day)) {
    return breach(expected, 'one more served than the day had left by its own numbers', evidence)
  }
  if (declared > perDay) {
    return breach(expected, `${declared} served in the 24 hours before its Reset`, evidence)
  }
  if (isTwoDays(day)) {
    const expectedTwo = `at most ${2 * perDay} requests served in less than 24 hours`
    return breach(expectedTwo, `${served} served`, evidence)
  }
  const refusal = responses.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', evidence)
  if (served === perDay || isSpentByUs(day)) return holds
  const why =
    served > perDay
      ? `${served} were served in 24 hours: a day that ended in between explains it`
      : `${served} were served in 24 hours, and other clients or runs sent the rest`
  return unclear(why, evidence)
}

/** What remains of the day by its last headers, if our calls explain these. */
const remainingOf = ({ log: { said }, nowMs }: RealDay): number | undefined => {
  if (!said?.isOurs || nowMs >= said.endsMs - dayGraceMs) return undefined
  return said.remaining - said.servedSince
}

/** Whether all calls of the day were ours, up to the last one. */
export const isSpentByUs = (day: RealDay): boolean => {
  const left = remainingOf(day)
  return left !== undefined && left <= 0
}

/** Between calls this close together there is hardly time for one of another client. */
const nearMs = 1_500

/** Whether the response right before the refusal gave the number that was left. */
const isNear = ({ log: { said }, responses }: RealDay): boolean => {
  const [before, refusal] = responses.slice(-2)
  if (!before || !refusal || said?.servedSince !== 0) return false
  const isLatest = receivedMs(before) === said.atMs
  return isLatest && receivedMs(refusal) - receivedMs(before) < nearMs
}

const judgeMissing = (day: RealDay, missing: number): Judgement => {
  const { log, responses } = day
  const evidence = responses.slice(-2)
  if (!isNear(day)) {
    return unclear(`${missing} were left a while before: another client may have called`, evidence)
  }
  // One call of another client may be that close.
  if (missing === 1) return unclear('one was left: another client explains it', evidence)
  const expected = `${log.quota.perDay} requests served in a day`
  return breach(expected, `refused while ${missing} of them were left`, evidence)
}

const midnightBefore = (ms: number): number => Math.floor(ms / dayMs) * dayMs

export const judgeRealFewer = (day: RealDay): Judgement => {
  const { log, nowMs, responses } = day
  const { quota } = log
  const evidence = responses.slice(-2)
  const refusal = responses.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', evidence)
  const missing = remainingOf(day) ?? 0
  if (missing > 0 && isOfDay(refusal, quota)) return judgeMissing(day, missing)
  if (isSpentByUs(day)) return holds
  if (servedSince(log, midnightBefore(nowMs)) >= quota.perDay) return holds
  if (!isOfDay(refusal, quota)) return unclear('it was refused for its minute', evidence)
  const why = 'Remaining of its day is not explained by the calls of this run'
  return unclear(`${why}: another client, or another run`, evidence)
}
