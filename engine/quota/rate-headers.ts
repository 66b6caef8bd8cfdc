// What an answer says about the quota: the three headers, Date and Retry-After, as numbers.
import type { Quota } from '../../spec/plans.ts'
import type { Headed } from '../exchange.ts'
import { header, headerValues } from '../exchange.ts'

export interface RateHeaders {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds from the answer's own `Date` to the reset; never below zero. */
  readonly resetInMs: number
  /** The reset in Unix seconds: the name of a declared window. */
  readonly reset: number
}

/** One header as a whole number in decimal; undefined for anything else. */
export const wholeNumber = (exchange: Headed, name: string): number | undefined => {
  const values = headerValues(exchange, name)
  const [value] = values
  return values.length === 1 && value !== undefined && /^\d{1,15}$/.test(value)
    ? Number(value)
    : undefined
}

/** The `Date` of a response in Unix milliseconds, right or wrong. */
export const givenDateMs = (exchange: Headed): number | undefined => {
  const ms = Date.parse(header(exchange, 'date') ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/** The same where it gives the time at the target. */
export const dateMs = (exchange: Headed): number | undefined =>
  exchange.dateIsWrong ? undefined : givenDateMs(exchange)

/** The time at the target, by its own word, or else by the clock here and the moves of its own. */
const nowAtMs = (exchange: Headed): number =>
  dateMs(exchange) ?? Date.parse(exchange.at) + (exchange.movedMs ?? 0)

/**
 * When a reset lies, in Unix milliseconds. One that is wrongly given in seconds from now, or in
 * milliseconds, is understood too: the key is to be spared, and as it stands it names no window.
 */
const resetAtMs = (reset: number, sentMs: number): number => {
  if (reset < 1e8) return sentMs + reset * 1000
  return reset < 1e11 ? reset * 1000 : reset
}

/** All three, where all three are there and well-formed. */
export const rateHeaders = (exchange: Headed): RateHeaders | undefined => {
  const limit = wholeNumber(exchange, 'x-ratelimit-limit')
  const remaining = wholeNumber(exchange, 'x-ratelimit-remaining')
  const reset = wholeNumber(exchange, 'x-ratelimit-reset')
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  const sentMs = nowAtMs(exchange)
  const atMs = resetAtMs(reset, sentMs)
  const resetInMs = Math.max(0, atMs - sentMs)
  return { limit, remaining, reset: Math.round(atMs / 1000), resetInMs }
}

/** Retry-After in milliseconds after the answer: delta-seconds or HTTP-date (RFC 9110, 10.2.3). */
export const retryAfterMs = (exchange: Headed): number | undefined => {
  const seconds = wholeNumber(exchange, 'retry-after')
  if (seconds !== undefined) return seconds * 1000
  const until = Date.parse(header(exchange, 'retry-after') ?? '')
  if (Number.isNaN(until)) return undefined
  return Math.max(0, until - nowAtMs(exchange))
}

/** Which window an answer speaks of; undefined where its Limit is neither number of the plan. */
export const windowOf = (limit: number, quota: Quota): 'minute' | 'day' | undefined =>
  limit === quota.perMinute ? 'minute' : limit === quota.perDay ? 'day' : undefined
