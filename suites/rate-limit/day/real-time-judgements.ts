// Whether too many or too few requests were served in a day of real time: compares the calls of
// this run with the headers of their responses. When the day began, and whether other clients
// called, is unknown. Pure. Times are Unix milliseconds of the local clock.

import { holds, type Judgement } from '../../../engine/quota/round.ts'
import { type AnsweredExchange, isSuccess } from '../../../history/exchange.ts'
import {
  dateMs,
  dayMs,
  daySaid,
  isRefused,
  minuteMs,
  readWaitMs,
} from '../../../history/rate-headers.ts'
import type { Quota } from '../../../spec/plans.ts'
import { unclear, violation } from './judgements.ts'

/** The day by the headers of the latest response that describe it. */
interface DaySaid {
  readonly atMs: number
  /** In Unix seconds, as declared. */
  readonly reset: number
  /** Its end by the local clock, in milliseconds. */
  readonly endsMs: number
  readonly remaining: number
  /** How many were served after it. */
  readonly servedSince: number
  /** How many more may be served before this Reset; below 0 if too many were. */
  readonly mayServe: number
  /** Whether the calls of this run explain the numbers exactly. */
  readonly isOurs: boolean
}

/** Date is in whole seconds, and a cache may make it some seconds old. */
const dayGraceMs = 3_000

const sentMs = ({ at }: AnsweredExchange): number => Date.parse(at)

export const receivedMs = (response: AnsweredExchange): number =>
  sentMs(response) + Math.ceil(response.receivedMs - response.sentMs)

/** A day may end so far ahead (ruling 15); a Reset beyond that is ignored. */
export const maxAheadMs = 2 * dayMs + 600_000

/** When the day of a response ends by the local clock, by its Reset and Date. */
const dayEndsMs = (response: AnsweredExchange): number | undefined => {
  const said = daySaid(response)
  if (!said || dateMs(response) === undefined || said.resetInMs > maxAheadMs) return undefined
  return receivedMs(response) + Math.round(said.resetInMs)
}

/** The calls of a key, and its day by the latest response that describes it. */
export class DayLog {
  readonly quota: Quota
  readonly #calls: AnsweredExchange[] = []
  said: DaySaid | null = null

  constructor(quota: Quota, responses: readonly AnsweredExchange[]) {
    this.quota = quota
    for (const response of responses) this.add(response)
  }

  #since(sinceMs: number): readonly AnsweredExchange[] {
    return this.#calls.filter((call) => sentMs(call) >= sinceMs)
  }

  servedSince(sinceMs: number): number {
    return this.#since(sinceMs).filter(isSuccess).length
  }

  /**
   * Whether the calls of this run since then are exactly the spent ones. Whether refused and
   * invalid calls count is open.
   */
  #explains(sinceMs: number, spent: number): boolean {
    const calls = this.#since(sinceMs)
    const served = calls.filter(isSuccess).length
    const refused = calls.filter(isRefused).length
    const isCut = this.#calls.some((call) => sentMs(call) < sinceMs && receivedMs(call) >= sinceMs)
    const counts = [served, served + refused, calls.length - refused, calls.length]
    return !isCut && counts.includes(spent)
  }

  add(response: AnsweredExchange): void {
    const { quota, said: last } = this
    this.#calls.push(response)
    if (!isSuccess(response)) return
    if (last) this.said = { ...last, servedSince: last.servedSince + 1 }
    const said = daySaid(response)
    const endsMs = dayEndsMs(response)
    if (!said || endsMs === undefined) return
    const { reset, remaining } = said
    const atMs = receivedMs(response)
    const before = last?.reset === reset ? last : undefined
    const isOurs = this.#explains(endsMs - dayMs - dayGraceMs, quota.perDay - remaining)
    // A sliding day gives calls back before its Reset, unless Reset is that of the oldest call.
    // Then, as in a fixed day, all calls of 24 hours explain what is spent. Near the end one may
    // have come back within the same second.
    const isBound = before !== undefined && atMs < endsMs - dayGraceMs
    const isLowered = isBound && (before.isOurs || before.mayServe < 0)
    const mayServe = isLowered ? Math.min(before.mayServe - 1, remaining) : remaining
    this.said = { atMs, reset, endsMs, remaining, servedSince: 0, mayServe, isOurs }
  }
}

export interface RealDay {
  readonly log: DayLog
  /** By the local clock. */
  readonly nowMs: number
  /** The latest responses of this run, in order. */
  readonly responses: readonly AnsweredExchange[]
}

/** How many were served in the last 24 hours (minus a minute). */
const servedInDay = ({ log, nowMs }: RealDay): number => log.servedSince(nowMs - dayMs + minuteMs)

/** Any span of less than 24 hours overlaps at most two days (ruling 17). */
export const isTwoDays = (day: RealDay): boolean => servedInDay(day) > 2 * day.log.quota.perDay

/** Whether more was served than the day's own numbers allowed. */
export const isBeyondStated = ({ log }: RealDay): boolean => (log.said?.mayServe ?? 0) < 0

/** A wait longer than two minutes (and some tolerance) is not that of a minute. */
const longMs = 2 * minuteMs + 15_000

/** Whether a refusal is for the day, not for the minute. */
const isOfDay = (refusal: AnsweredExchange): boolean =>
  daySaid(refusal) !== undefined || (readWaitMs(refusal) ?? 0) > longMs

/** How many were served in the 24 hours before the Reset of a fixed day; else 0. */
const servedInDeclared = ({ log, responses, nowMs }: RealDay): number => {
  const last = responses.at(-1)
  const endsMs = last && dayEndsMs(last)
  // If Reset is nearer, calls may come back in portions, at least twice a day.
  if (endsMs === undefined || endsMs - nowMs <= dayMs / 2) return 0
  return log.servedSince(endsMs - dayMs + dayGraceMs)
}

export const judgeRealMore = (day: RealDay): Judgement => {
  const { log, responses } = day
  const { perDay } = log.quota
  const expected = `at most ${perDay} requests served in a day`
  const served = servedInDay(day)
  const declared = servedInDeclared(day)
  const evidence = responses.slice(-2)
  if (isBeyondStated(day)) {
    return violation(expected, 'one more served than the Remaining of the day', evidence)
  }
  if (declared > perDay) {
    return violation(expected, `${declared} served in the 24 hours before its Reset`, evidence)
  }
  if (isTwoDays(day)) {
    const expectedTwo = `at most ${2 * perDay} requests served in less than 24 hours`
    return violation(expectedTwo, `${served} served`, evidence)
  }
  if (!responses.some(isRefused)) return unclear('no request was refused for its day', evidence)
  if (served === perDay || isSpentByUs(day)) return holds
  const why =
    served > perDay
      ? `${served} were served in 24 hours: a day may have ended meanwhile`
      : `${served} were served in 24 hours; other clients or runs may have sent the rest`
  return unclear(why, evidence)
}

/** Remaining of the day by its last headers, if the calls of this run explain them. */
const remainingOf = ({ log: { said }, nowMs }: RealDay): number | undefined => {
  if (!said?.isOurs || nowMs >= said.endsMs - dayGraceMs) return undefined
  return said.remaining - said.servedSince
}

export const isSpentByUs = (day: RealDay): boolean => {
  const left = remainingOf(day)
  return left !== undefined && left <= 0
}

/** Between calls this close together another client has hardly time for one. */
const nearMs = 1_500

/** Whether the response right before the refusal gave the latest Remaining. */
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
    return unclear(`${missing} remained some time before: another client may have called`, evidence)
  }
  // Another client may have sent one call in that time.
  if (missing === 1) return unclear('one remained: another client may have used it', evidence)
  const expected = `${log.quota.perDay} requests served in a day`
  return violation(expected, `refused while ${missing} remained`, evidence)
}

const midnightBefore = (ms: number): number => Math.floor(ms / dayMs) * dayMs

export const judgeRealFewer = (day: RealDay): Judgement => {
  const { log, nowMs, responses } = day
  const { quota } = log
  const evidence = responses.slice(-2)
  const refusal = responses.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', evidence)
  const missing = remainingOf(day) ?? 0
  if (missing > 0 && isOfDay(refusal)) return judgeMissing(day, missing)
  if (isSpentByUs(day)) return holds
  if (log.servedSince(midnightBefore(nowMs)) >= quota.perDay) return holds
  if (!isOfDay(refusal)) return unclear('it was refused for its minute', evidence)
  const why = 'the calls of this run do not explain Remaining of the day'
  return unclear(`${why}: another client or run may have called`, evidence)
}
