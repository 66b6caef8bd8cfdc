// What is known of one key's quota: pure arithmetic over what its answers said.
import type { Quota } from '../../spec/plans.ts'
import type { Exchange } from '../exchange.ts'
import { rateHeaders, retryAfterMs, windowOf } from './rate-headers.ts'

const minuteMs = 60_000
const dayMs = 24 * 3_600_000
/** Headers and `Date` are whole seconds; so much is waited beyond a reset. */
export const graceMs = 1_000

/** One window of one key, as last heard of. */
interface Window {
  readonly remaining: number
  readonly resetAtMs: number
  /** The reset as it was declared, and what was sent under it. */
  readonly declared: number
  readonly sent: number
}

export interface Ledger {
  readonly label: string
  readonly quota: Quota
  /** So many calls of each day are left to others; 0 where a run may spend it. */
  readonly leftOfDay: number
  /** Whether it may be chosen where any key will do. */
  used: boolean
  minute: Window | undefined
  day: Window | undefined
  /** Requests that were sent and are not answered. */
  underWay: number
  frozenUntilMs: number
  /** How often the key was refused for its quota. */
  refused: number
  /** When each request of the last 24 h was sent: the headers need not speak of the day. */
  ownDay: number[]
  /** When each of the last requests was sent, for a target whose headers say nothing. */
  sentAtMs: number[]
}

/** Without the permission to spend a day, this share of it stays. */
const keptShare = 0.1

/** So many calls of each day are left to others. */
export const keptOfDay = ({ perDay }: Quota): number => Math.ceil(keptShare * perDay)

/** @param mayEndDays whether the last calls of its day may be spent as well */
export const openLedger = (label: string, quota: Quota, mayEndDays: boolean): Ledger => ({
  label,
  quota,
  leftOfDay: mayEndDays ? 0 : keptOfDay(quota),
  used: true,
  minute: undefined,
  day: undefined,
  underWay: 0,
  frozenUntilMs: 0,
  refused: 0,
  ownDay: [],
  sentAtMs: [],
})

/** After a reset a sliding design has but a token or two: two intervals more are waited. */
const marginMs = (ledger: Ledger) => graceMs + (2 * minuteMs) / ledger.quota.perMinute

const isPast = (window: Window, ledger: Ledger, nowMs: number) =>
  nowMs >= window.resetAtMs + marginMs(ledger)

/** Whether a reset has passed since the key was last heard of. */
export const isUnsure = (ledger: Ledger, nowMs: number): boolean =>
  [ledger.minute, ledger.day].some((window) => window && isPast(window, ledger, nowMs))

const leftIn = (window: Window, ledger: Ledger, most: number, nowMs: number): number => {
  // Past a reset one request asks how many there are. Headers that never fall would let us run
  // into a refusal, so what was sent in a declared window counts as well.
  const left = isPast(window, ledger, nowMs) ? 1 : Math.min(window.remaining, most - window.sent)
  return left - ledger.underWay
}

/** No design counts a call for longer than two windows. */
const unheardMs = 2 * minuteMs

/** What may be sent in a minute of which the headers say nothing. */
const unheardLeft = (ledger: Ledger, nowMs: number): number => {
  const sinceMs = nowMs - unheardMs - marginMs(ledger)
  return ledger.quota.perMinute - ledger.sentAtMs.filter((at) => at > sinceMs).length
}

const leftByWindow = (ledger: Ledger, nowMs: number) => ({
  minute: ledger.minute
    ? leftIn(ledger.minute, ledger, ledger.quota.perMinute, nowMs)
    : unheardLeft(ledger, nowMs),
  day: dayLeft(ledger, nowMs),
})

/** What its day has left to this run, by its headers and by what was sent. */
export const dayLeft = (ledger: Ledger, nowMs: number): number => {
  const { day, ownDay, leftOfDay, quota } = ledger
  // In order of time, so that mostly the first one is looked at alone.
  const first = leftOfDay > 0 ? ownDay.findIndex((ms) => ms > nowMs - dayMs) : -1
  const calls = first < 0 ? 0 : ownDay.length - first
  const own = calls > 0 ? quota.perDay - calls - leftOfDay : Number.POSITIVE_INFINITY
  if (!day) return own
  const kept = isPast(day, ledger, nowMs) ? 0 : leftOfDay
  return Math.min(own, leftIn(day, ledger, quota.perDay, nowMs) - kept)
}

/** How many requests the key has left now, for all that is known. */
export const leftOf = (ledger: Ledger, nowMs: number): number => {
  if (nowMs < ledger.frozenUntilMs) return 0
  const { minute, day } = leftByWindow(ledger, nowMs)
  return Math.min(minute, day)
}

/** When its minute is whole again, as far as its answers told; undefined where they did not. */
export const wholeAtMs = (ledger: Ledger): number | undefined => {
  const { minute, frozenUntilMs } = ledger
  return minute && Math.max(frozenUntilMs, minute.resetAtMs + marginMs(ledger))
}

/** When its minute has requests left again, whatever its day has. */
export const minuteFreeAtMs = (ledger: Ledger, nowMs: number): number => {
  const { minute } = leftByWindow(ledger, nowMs)
  const oldestMs = ledger.sentAtMs.at(-ledger.quota.perMinute) ?? nowMs
  const minuteAtMs = ledger.minute ? ledger.minute.resetAtMs : oldestMs + unheardMs
  return Math.max(ledger.frozenUntilMs, minute > 0 ? 0 : minuteAtMs + marginMs(ledger))
}

/** When the key has requests left again. */
export const freeAtMs = (ledger: Ledger, nowMs: number): number => {
  const { day } = leftByWindow(ledger, nowMs)
  const dayAtMs = ledger.day?.resetAtMs ?? (ledger.ownDay[0] ?? nowMs) + dayMs
  return Math.max(minuteFreeAtMs(ledger, nowMs), day > 0 ? 0 : dayAtMs + marginMs(ledger))
}

/** A request is sent. */
export const spend = (ledger: Ledger, nowMs: number): void => {
  ledger.underWay += 1
  while ((ledger.ownDay[0] ?? nowMs) <= nowMs - dayMs) ledger.ownDay.shift()
  ledger.ownDay.push(nowMs)
  ledger.sentAtMs = [...ledger.sentAtMs, nowMs].slice(-ledger.quota.perMinute)
}

/** Takes in what the headers of an answer say, if they say anything well-formed. */
export const hear = (ledger: Ledger, exchange: Exchange, nowMs: number): void => {
  const said = rateHeaders(exchange)
  if (!said) return
  const kind = windowOf(said.limit, ledger.quota) ?? 'minute'
  const aheadMostMs = 2 * (kind === 'day' ? dayMs : minuteMs)
  const before = ledger[kind]
  ledger[kind] = {
    remaining: said.remaining,
    resetAtMs: nowMs + Math.min(said.resetInMs, aheadMostMs),
    declared: said.reset,
    sent: (before?.declared === said.reset ? before.sent : 0) + 1,
  }
  spendSilently(ledger, kind === 'day' ? 'minute' : 'day', nowMs)
}

/** The window that an answer does not speak of has counted the request as well. */
const spendSilently = (ledger: Ledger, kind: 'minute' | 'day', nowMs: number): void => {
  const window = ledger[kind]
  if (!window) return
  const { remaining, sent } = window
  const spent = { ...window, remaining: remaining - 1, sent: sent + 1 }
  ledger[kind] = isPast(window, ledger, nowMs) ? undefined : spent
}

/** A request whose response is not known: every window may have counted it. */
export const presume = (ledger: Ledger, nowMs: number): void => {
  spend(ledger, nowMs)
  ledger.underWay -= 1
  for (const kind of ['minute', 'day'] as const) {
    const window = ledger[kind]
    if (!window) continue
    const { remaining, sent } = window
    ledger[kind] = { ...window, remaining: remaining - 1, sent: sent + 1 }
  }
}

/** The key was refused: it rests for as long as the answer says. */
export const freeze = (ledger: Ledger, exchange: Exchange, nowMs: number): void => {
  ledger.refused += 1
  const statedMs = retryAfterMs(exchange) ?? rateHeaders(exchange)?.resetInMs ?? minuteMs
  // Of answers that were under way together, the latest to come need not tell the longest wait.
  const untilMs = nowMs + Math.max(statedMs, graceMs) + graceMs
  ledger.frozenUntilMs = Math.max(ledger.frozenUntilMs, untilMs)
}
