// Whether a day in real time was served too much or too little: the calls of this run, compared
// with what its answers declare. Pure. Nobody knows when the day began, nor who else called.

import type { Answered } from '../../engine/exchange.ts'
import type { Judgement } from '../../engine/quota/judgements.ts'
import type { Quota } from '../../spec/plans.ts'
import { type DayLog, dayEndsMs, dayGraceMs, heardMs, servedSince } from './day-log.ts'
import { breach, holds, unclear } from './day-spent.ts'
import { dayMs, daySaid, isRefused, minuteMs, waitOf } from './reading.ts'

export interface RealDay {
  readonly log: DayLog
  /** By our own clock on the wall. */
  readonly nowMs: number
  /** The latest answers of this run, in turn. */
  readonly answers: readonly Answered[]
}

/** Served in less than 24 hours, this moment included. */
const servedInDay = ({ log, nowMs }: RealDay): number => servedSince(log, nowMs - dayMs + minuteMs)

/** Of any two days at most one ends in less than a day (ruling 17). */
export const isTwoDays = (day: RealDay): boolean => servedInDay(day) > 2 * day.log.quota.perDay

/** More than its own numbers allowed, where they were explained by our calls alone. */
export const isBeyondSaid = ({ log }: RealDay): boolean => (log.said?.mayServe ?? 0) < 0

/** What ends a minute is told to be over in two of them. */
const longMs = 2 * minuteMs + 15_000

/** Whether a refusal speaks of the day, and not of the minute. */
const isOfDay = (refusal: Answered, quota: Quota): boolean => {
  const wait = waitOf(refusal)
  return daySaid(refusal, quota) !== undefined || ('ms' in wait && wait.ms > longMs)
}

/** Served in the 24 hours before a Reset; a day that slides has one further ahead, or near. */
const servedInDeclared = ({ log, answers, nowMs }: RealDay): number => {
  const last = answers.at(-1)
  const endsMs = last && dayEndsMs(last, log.quota)
  // Calls that come back in portions do so twice a day at least.
  if (endsMs === undefined || endsMs - nowMs <= dayMs / 2) return 0
  return servedSince(log, endsMs - dayMs + dayGraceMs)
}

export const judgeRealMore = (day: RealDay): Judgement => {
  const { log, answers } = day
  const { perDay } = log.quota
  const expected = `at most ${perDay} requests served in a day`
  const served = servedInDay(day)
  const declared = servedInDeclared(day)
  const shown = answers.slice(-2)
  if (isBeyondSaid(day)) {
    return breach(expected, 'one more served than the day was said to have left', shown)
  }
  if (declared > perDay) {
    return breach(expected, `${declared} served in the 24 hours before its Reset`, shown)
  }
  if (isTwoDays(day)) {
    const most = `at most ${2 * perDay} requests served in less than 24 hours`
    return breach(most, `${served} served`, shown)
  }
  const refusal = answers.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', shown)
  if (served === perDay || isSpentByUs(day)) return holds
  const why =
    served > perDay
      ? `${served} were served in 24 hours: a day that ended in between explains it`
      : `${served} were served in 24 hours, and others made the rest, or other runs`
  return unclear(why, shown)
}

/** What the last answer that spoke of the day left of it, where our calls explain what it says. */
const leftOf = ({ log: { said }, nowMs }: RealDay): number | undefined => {
  if (!said?.isOurs || nowMs >= said.endsMs - dayGraceMs) return undefined
  return said.remaining - said.servedSince
}

/** Whether the day's last call was one of ours, as all before it. */
export const isSpentByUs = (day: RealDay): boolean => {
  const left = leftOf(day)
  return left !== undefined && left <= 0
}

/** Between two calls so near to each other there is hardly time for one of another client. */
const nearMs = 1_500

/** Whether the answer right before the refusal told that more were left. */
const isNear = ({ log: { said }, answers }: RealDay): boolean => {
  const [before, refusal] = answers.slice(-2)
  if (!before || !refusal || said?.servedSince !== 0) return false
  const isLatest = heardMs(before) === said.atMs
  return isLatest && heardMs(refusal) - heardMs(before) < nearMs
}

const judgeMissing = (day: RealDay, missing: number): Judgement => {
  const { log, answers } = day
  const shown = answers.slice(-2)
  if (!isNear(day)) {
    return unclear(`${missing} were left a while before: another client may have called`, shown)
  }
  // One call of another client is as near as any.
  if (missing === 1) return unclear('one was left: another client explains it', shown)
  const expected = `${log.quota.perDay} requests served in a day`
  return breach(expected, `refused while ${missing} of them were left`, shown)
}

const midnightBefore = (ms: number): number => Math.floor(ms / dayMs) * dayMs

export const judgeRealFewer = (day: RealDay): Judgement => {
  const { log, nowMs, answers } = day
  const { quota } = log
  const shown = answers.slice(-2)
  const refusal = answers.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', shown)
  const missing = leftOf(day) ?? 0
  if (missing > 0 && isOfDay(refusal, quota)) return judgeMissing(day, missing)
  if (isSpentByUs(day)) return holds
  if (servedSince(log, midnightBefore(nowMs)) >= quota.perDay) return holds
  if (!isOfDay(refusal, quota)) return unclear('it was refused for its minute', shown)
  const why = 'Remaining of its day is not explained by the calls of this run'
  return unclear(`${why}: another client, or another run`, shown)
}
