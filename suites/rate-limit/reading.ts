// What an answer says about a key's minute, and whether it was served: read for the judgements.
import type { Quota } from '../../spec/plans.ts'
import { parseHttpDate } from '../answers.ts'
import type { Answered, Exchange } from '../kit/exchange.ts'
import { headerValues, readBody, statusOf } from '../kit/exchange.ts'
import type { Limits } from '../kit/limits.ts'
import type { RateHeaders } from '../kit/rate-headers.ts'
import { dateMs, rateHeaders, windowOf } from '../kit/rate-headers.ts'

export const minuteMs = 60_000
export const dayMs = 86_400_000

/** Whether a sound request got what it asked for; an empty list would be a refusal in disguise. */
export const isServed = (exchange: Answered): boolean => {
  const body = readBody(exchange)
  if (!('value' in body)) return false
  if (exchange.asked.method === 'POST') return statusOf(exchange) === 201
  return statusOf(exchange) === 200 && Array.isArray(body.value) && body.value.length > 0
}

export const isRefused = (exchange: Exchange): boolean => statusOf(exchange) === 429

/** 429, or what a ban may look like. */
export const isShutOut = (exchange: Exchange): boolean =>
  [401, 403, 429].includes(statusOf(exchange))

/**
 * Whether it may be the answer of a ban that another client drew upon the key. At the pace of the
 * test clock nobody else calls.
 */
export const mayBeOthersBan = ({ instant }: Limits, exchange: Exchange): boolean =>
  !instant && [401, 403].includes(statusOf(exchange))

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

/** From the first sending to the last answer. */
export const spanMs = (exchanges: readonly Exchange[]): number =>
  Math.max(...exchanges.map(toMs)) - Math.min(...exchanges.map(fromMs))

/** How many calls may come back in a span, in any design: never faster than the plan's pace. */
export const refillOf = (limit: number, windowMs: number, durationMs: number): number =>
  Math.floor((durationMs * limit) / windowMs)

/** Whether all were answered before a reset, by their own Date; without one nothing is proven. */
export const areBefore = (exchanges: readonly Exchange[], reset: number): boolean =>
  exchanges.every((exchange) => (dateMs(exchange) ?? Number.POSITIVE_INFINITY) < reset * 1000)

const obsoleteDates = [
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** An HTTP-date in any of the three forms that a recipient has to take (RFC 9110, 5.6.7). */
const httpDateMs = (text: string): number | undefined => {
  const usual = parseHttpDate(text)
  if (usual !== undefined || !obsoleteDates.some((form) => form.test(text))) return usual
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}

export type Wait =
  | { readonly form: 'delta-seconds' | 'HTTP-date'; readonly ms: number }
  | { readonly fault: string }

/** The wait that an answer tells, from the moment when it was given. */
export const waitOf = (exchange: Exchange): Wait => {
  const values = headerValues(exchange, 'retry-after')
  const [value = ''] = values
  if (values.length === 0) return { fault: 'no Retry-After' }
  const shown = `Retry-After: ${values.join(', ')}`
  if (values.length > 1) return { fault: shown }
  if (/^\d{1,15}$/.test(value)) return { form: 'delta-seconds', ms: Number(value) * 1000 }
  const until = httpDateMs(value)
  const now = dateMs(exchange)
  if (until === undefined || now === undefined) return { fault: shown }
  return { form: 'HTTP-date', ms: until - now }
}

/** A wait that ends so much later than the first one is not that of the window any more. */
const laterMs = 5_000

/** When the wait that an answer tells is over, in the time of the target. */
const endMs = (answer: Answered): number | undefined => {
  const wait = waitOf(answer)
  return 'ms' in wait ? toMs(answer) + wait.ms : undefined
}

/** Whether an answer to a key that had been refused before looks like a ban. */
export const looksBanned = (first: Answered, answer: Answered): boolean => {
  if (!isShutOut(answer)) return false
  if (!isRefused(answer)) return true
  const [before, after] = [endMs(first), endMs(answer)]
  return before !== undefined && (after === undefined || after > before + laterMs)
}
