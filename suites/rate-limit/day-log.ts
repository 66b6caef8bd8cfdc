// What a run knows of a key's day in real time: its own calls, and what the last response that
// spoke of the day said. Times are Unix milliseconds by our own clock on the wall.

import { type Answered, statusOf } from '../../engine/exchange.ts'
import { dateMs } from '../../engine/quota/rate-headers.ts'
import type { Quota } from '../../spec/plans.ts'
import { dayMs, daySaid, isRefused } from './reading.ts'

/** What the last response that spoke of the day said of it. */
interface DaySaid {
  readonly atMs: number
  /** As it was declared, in Unix seconds. */
  readonly reset: number
  /** The same by our own clock. */
  readonly endsMs: number
  readonly remaining: number
  /** How many were served after it. */
  readonly servedSince: number
  /** How many more the day may serve that has this Reset, by its own word; below 0: too many. */
  readonly mayServe: number
  /** Whether the calls of this run explain it to the last one. */
  readonly isOurs: boolean
}

export interface DayLog {
  readonly quota: Quota
  readonly calls: Answered[]
  said: DaySaid | null
}

/** Dates are whole seconds, and that of a cache may be off by some. */
export const dayGraceMs = 3_000

const leavingMs = ({ at }: Answered): number => Date.parse(at)

export const heardMs = (answer: Answered): number =>
  leavingMs(answer) + Math.ceil(answer.receivedMs - answer.sentMs)

/** A day may be said to end so far ahead (ruling 15); what says more is not believed. */
export const maxAheadMs = 2 * dayMs + 600_000

const isSuccess = (answer: Answered): boolean => statusOf(answer) >= 200 && statusOf(answer) < 300

/** How many were sent at this moment or later, and how many of these were served. */
const callsSince = ({ calls }: DayLog, sinceMs: number) => {
  const within = calls.filter((call) => leavingMs(call) >= sinceMs)
  const served = within.filter(isSuccess).length
  return { served, refused: within.filter(isRefused).length, all: within.length }
}

export const servedSince = (log: DayLog, sinceMs: number): number => callsSince(log, sinceMs).served

/**
 * Whether so many spent calls are those sent since then, and no others. Which responses count is
 * open: those to refused calls, and those to invalid ones, do or do not.
 */
const explains = (log: DayLog, sinceMs: number, spent: number): boolean => {
  const { served, refused, all } = callsSince(log, sinceMs)
  const isCut = log.calls.some((call) => leavingMs(call) < sinceMs && heardMs(call) >= sinceMs)
  return !isCut && [served, served + refused, all - refused, all].includes(spent)
}

/** When the day ends of which a response speaks; its Date tells our clock from its. */
export const dayEndsMs = (answer: Answered, quota: Quota): number | undefined => {
  const said = daySaid(answer, quota)
  if (!said || dateMs(answer) === undefined || said.resetInMs > maxAheadMs) return undefined
  return heardMs(answer) + Math.round(said.resetInMs)
}

/** Takes in the next response to a call with the key. */
export const hearDay = (log: DayLog, answer: Answered): void => {
  const { quota, said: last } = log
  log.calls.push(answer)
  if (!isSuccess(answer)) return
  if (last) log.said = { ...last, servedSince: last.servedSince + 1 }
  const said = daySaid(answer, quota)
  const endsMs = dayEndsMs(answer, quota)
  if (!said || endsMs === undefined) return
  const { reset, remaining } = said
  const atMs = heardMs(answer)
  const before = last?.reset === reset ? last : undefined
  const isOurs = explains(log, endsMs - dayMs - dayGraceMs, quota.perDay - remaining)
  // A day that slides gives calls back before its Reset, unless its Reset is that of the oldest
  // call; then, as in a fixed one, all calls of 24 hours explain what is spent. Near its end one
  // may have come back under the same whole second.
  const isBound = before !== undefined && atMs < endsMs - dayGraceMs
  const isKept = isBound && (before.isOurs || before.mayServe < 0)
  const mayServe = isKept ? Math.min(before.mayServe - 1, remaining) : remaining
  log.said = { atMs, reset, endsMs, remaining, servedSince: 0, mayServe, isOurs }
}

export const createDayLog = (quota: Quota, heard: readonly Answered[]): DayLog => {
  const log: DayLog = { quota, calls: [], said: null }
  for (const answer of heard) hearDay(log, answer)
  return log
}
