// Whether a day in real time was served too much or too little: what is noted of its calls, beside
// what its answers declare. Pure. Nobody knows when the day began, nor who else called.
import type { Quota } from '../../spec/plans.ts'
import type { Answered } from '../kit/exchange.ts'
import { dayEndsMs, dayGraceMs, heardMs } from '../kit/notebook/day-said.ts'
import { callsSince, type Page } from '../kit/notebook/notebook-page.ts'
import type { Judgement } from '../kit/quota/quota-judgements.ts'
import { breach, holds, unclear } from './day-spent.ts'
import { dayMs, daySaid, isRefused, minuteMs, waitOf } from './reading.ts'

export interface DayNoted {
  readonly page: Page
  readonly quota: Quota
  /** By our own clock on the wall. */
  readonly nowMs: number
  /** The latest answers of this run, in turn. */
  readonly answers: readonly Answered[]
}

/** Served in less than 24 hours, this moment included. */
const servedInDay = (page: Page, nowMs: number): number =>
  callsSince(page, nowMs - dayMs + minuteMs).served

/** Of any two days at most one ends in less than a day (ruling 17). */
export const isTwoDays = ({ page, quota, nowMs }: DayNoted): boolean =>
  servedInDay(page, nowMs) > 2 * quota.perDay

/** More than its own numbers allowed, where they were explained by our calls alone. */
export const isBeyondSaid = ({ page }: DayNoted): boolean => (page.said?.mayServe ?? 0) < 0

/** What ends a minute is told to be over in two of them. */
const longMs = 2 * minuteMs + 15_000

/** Whether a refusal speaks of the day, and not of the minute. */
export const isOfDay = (refusal: Answered, quota: Quota): boolean => {
  const wait = waitOf(refusal)
  return daySaid(refusal, quota) !== undefined || ('ms' in wait && wait.ms > longMs)
}

/** Served in the 24 hours before a Reset; a day that slides has one further ahead, or near. */
const servedInDeclared = ({ page, quota, answers, nowMs }: DayNoted): number => {
  const last = answers.at(-1)
  const endsMs = last && dayEndsMs(last, quota)
  // Calls that come back in portions do so twice a day at least.
  if (endsMs === undefined || endsMs - nowMs <= dayMs / 2) return 0
  return callsSince(page, endsMs - dayMs + dayGraceMs).served
}

export const judgePageMore = (noted: DayNoted): Judgement => {
  const { page, quota, nowMs, answers } = noted
  const expected = `at most ${quota.perDay} requests served in a day`
  const served = servedInDay(page, nowMs)
  const declared = servedInDeclared(noted)
  const shown = answers.slice(-2)
  if (isBeyondSaid(noted)) {
    return breach(expected, 'one more served than the day was said to have left', shown)
  }
  if (declared > quota.perDay) {
    return breach(expected, `${declared} served in the 24 hours before its Reset`, shown)
  }
  if (isTwoDays(noted)) {
    const most = `at most ${2 * quota.perDay} requests served in less than 24 hours`
    return breach(most, `${served} served`, shown)
  }
  const refusal = answers.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', shown)
  if (served === quota.perDay || isSpentByUs(noted)) return holds
  const why =
    served > quota.perDay
      ? `${served} were served in 24 hours: a day that ended in between explains it`
      : `${served} were served in 24 hours, and others made the rest, or runs without this notebook`
  return unclear(why, shown)
}

/** What the last answer that spoke of the day left of it, where our calls explain what it says. */
const leftOf = ({ page, nowMs }: DayNoted): number | undefined => {
  const { said } = page
  if (!said?.isOurs || nowMs >= said.endsMs - dayGraceMs) return undefined
  return said.remaining - said.servedSince
}

/** Whether the day's last call was one of ours, as all before it. */
export const isSpentByUs = (noted: DayNoted): boolean => {
  const left = leftOf(noted)
  return left !== undefined && left <= 0
}

/** Between two calls so near to each other there is hardly time for one of another client. */
const nearMs = 1_500

/** Whether the answer right before the refusal told that more were left. */
const isNear = ({ page, answers }: DayNoted): boolean => {
  const [before, refusal] = answers.slice(-2)
  if (!before || !refusal || page.said?.servedSince !== 0) return false
  const isLatest = heardMs(before) === page.said.atMs
  return isLatest && heardMs(refusal) - heardMs(before) < nearMs
}

const judgeMissing = (noted: DayNoted, missing: number): Judgement => {
  const { page, quota, answers } = noted
  const shown = answers.slice(-2)
  if (!isNear(noted)) {
    return unclear(`${missing} were left a while before: another client may have called`, shown)
  }
  // One call of another client is as near as any; a day later it is not there again.
  if (missing === 1 && !page.lackedOne) {
    return unclear('one was left: another client explains it once, and not on two days', shown)
  }
  const expected = `${quota.perDay} requests served in a day`
  return breach(expected, `refused while ${missing} of them were left`, shown)
}

const midnightBefore = (ms: number): number => Math.floor(ms / dayMs) * dayMs

/** How many calls the day lacked that its answers had said were left; 0 where that is not known. */
export const missingOf = (noted: DayNoted): number => Math.max(0, leftOf(noted) ?? 0)

export const judgePageFewer = (noted: DayNoted): Judgement => {
  const { page, quota, nowMs, answers } = noted
  const shown = answers.slice(-2)
  const refusal = answers.findLast(isRefused)
  if (!refusal) return unclear('no request was refused for its day', shown)
  const missing = missingOf(noted)
  if (missing > 0 && isOfDay(refusal, quota)) return judgeMissing(noted, missing)
  if (isSpentByUs(noted)) return holds
  if (callsSince(page, midnightBefore(nowMs)).served >= quota.perDay) return holds
  if (!isOfDay(refusal, quota)) return unclear('it was refused for its minute', shown)
  const why = 'Remaining of its day is not explained by the calls that are noted'
  return unclear(`${why}: another client, or runs without this notebook`, shown)
}
