// What an answer says about a key's minute, and whether it was served: read for the judgements.
import type { Quota } from '../../spec/plans.ts'
import { anyBody } from '../body.ts'
import type { Answered, Exchange } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import { isObject } from '../json.ts'
import type { RateHeaders } from './rate-headers.ts'
import { dateMs, rateHeaders, windowOf } from './rate-headers.ts'

export const minuteMs = 60_000
export const dayMs = 86_400_000

/**
 * Whether a sound request got what it asked for; a target without animals has an empty list. Of a
 * body that is not read the status says it.
 */
export const isServed = (exchange: Answered): boolean => {
  const body = anyBody(exchange)
  if ('fault' in body) return false
  if (exchange.asked.method === 'POST') return statusOf(exchange) === 201
  const isWanted = exchange.asked.path.startsWith('/pets/') ? isObject : Array.isArray
  return statusOf(exchange) === 200 && ('unread' in body || isWanted(body.value))
}

export const isRefused = (exchange: Exchange): boolean => statusOf(exchange) === 429

/** 429, or what a ban may look like. */
export const isShutOut = (exchange: Exchange): boolean =>
  [401, 403, 429].includes(statusOf(exchange))

/** The numbers of an answer that speaks of this window. */
const saidOf = (exchange: Exchange, quota: Quota, window: 'minute' | 'day') => {
  const said = rateHeaders(exchange)
  return said && windowOf(said.limit, quota) === window ? said : undefined
}

export const minuteSaid = (exchange: Exchange, quota: Quota): RateHeaders | undefined =>
  saidOf(exchange, quota, 'minute')

export const daySaid = (exchange: Exchange, quota: Quota): RateHeaders | undefined =>
  saidOf(exchange, quota, 'day')

/** When it was sent and answered, in the time of the target since the run began. */
export const fromMs = ({ sentMs, movedMs }: Exchange): number => sentMs + movedMs
export const toMs = ({ receivedMs, movedMs, meanwhileMs = 0 }: Exchange): number =>
  receivedMs + movedMs + meanwhileMs

/** A Date is whole seconds and may be old; so much more it says only where we were halted. */
const haltedLeastMs = 5_000

/**
 * From the first sending to the last answer; by their Dates, where those tell of far more time, as
 * a machine that was halted measures none.
 */
export const spanMs = (exchanges: readonly Exchange[]): number => {
  const measuredMs = Math.max(...exchanges.map(toMs)) - Math.min(...exchanges.map(fromMs))
  const dates = exchanges.flatMap((exchange) => dateMs(exchange) ?? [])
  const byDateMs = Math.max(...dates) - Math.min(...dates)
  return byDateMs > measuredMs + haltedLeastMs ? byDateMs : measuredMs
}

/** How many calls may come back in a span, in any design: never faster than the plan's pace. */
export const refillOf = (limit: number, windowMs: number, durationMs: number): number =>
  Math.floor((durationMs * limit) / windowMs)

/** To just after a Reset of the minute; one further ahead than two windows is not believed. */
export const waitForResetMs = ({ resetInMs }: RateHeaders): number =>
  Math.min(resetInMs, 2 * minuteMs) + 1_000

/** Longer ahead than this a Reset is not that of the next token, told in whole seconds. */
export const tokenMs = 3_500

/** What a bucket may have given back in a window that it declares up to its next token. */
export const tokensIn = (limit: number, windowMs: number, durationMs: number): number =>
  durationMs <= tokenMs ? refillOf(limit, windowMs, durationMs) : 0

/** Whether all were answered before a reset, by their own Date; without one nothing is proven. */
export const areBefore = (exchanges: readonly Exchange[], reset: number): boolean =>
  exchanges.every((exchange) => (dateMs(exchange) ?? Number.POSITIVE_INFINITY) < reset * 1000)
