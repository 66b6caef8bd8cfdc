// What a response says about quota and time: the rate-limit headers, Retry-After and Date as
// numbers, whether it was served, and whether its Date shows the time at the target.
import type { Quota } from '../spec/plans.ts'
import { isSuch } from './body.ts'
import {
  type AnsweredExchange,
  type Exchange,
  type Headed,
  header,
  headerValues,
  isAnswered,
  memoized,
  recognizeOperation,
  statusCode,
} from './exchange.ts'
import type { History } from './history.ts'
import { isObject } from './json.ts'
import { describeForm } from './value-kinds.ts'
import type { Kind } from './wrong.ts'

export const minuteMs = 60_000
export const dayMs = 86_400_000

/** As `rateHeaders` reads them, also where their form is not that of the interface. */
export interface RateHeaders {
  readonly limit: number
  /** What they are about; undefined where Limit is neither number of the plan. */
  readonly window: 'minute' | 'day' | undefined
  readonly remaining: number
  /** Milliseconds from the response to the reset; never below zero. */
  readonly resetInMs: number
  /** The reset in Unix seconds: the name of a declared window. */
  readonly reset: number
}

const numberBy = (form: RegExp) => (exchange: Headed, name: string) => {
  const values = headerValues(exchange, name)
  const digits = values.length === 1 ? form.exec(values[0] ?? '')?.[1] : undefined
  return digits === undefined ? undefined : Number(digits)
}

/** A header that is one decimal whole number; undefined for anything else. */
export const wholeNumber = numberBy(/^(\d{1,15})$/)

/**
 * The whole number at the beginning of a header: 59 in `59.25`, 60 in `60;w=60`. That its form is
 * wrong fails checks of its own; those of counts and windows can still be judged by it.
 */
const numberIn = numberBy(/^(\d{1,15})(?:\.\d+)?(?:\s*;.*)?$/)

/** The `Date` of a response in Unix milliseconds, right or wrong. */
export const givenDateMs = memoized((exchange: Headed): number | undefined => {
  const ms = Date.parse(header(exchange, 'date') ?? '')
  return Number.isNaN(ms) ? undefined : ms
})

/** Date in Unix milliseconds, unless it was found not to show the time at the target. */
export const dateMs = (exchange: Headed): number | undefined =>
  exchange.dateIsWrong || exchange.timeIsUnknown ? undefined : givenDateMs(exchange)

/** The time at the target when a request was sent, by its test clock, or by this machine's. */
export const nowHereMs = ({ at, movedMs = 0, clockAheadMs = 0 }: Headed): number =>
  Date.parse(at) + movedMs + clockAheadMs

/** The time at the target by its Date, or else by the clock of this machine and its moves. */
const nowAtMs = (exchange: Headed): number => dateMs(exchange) ?? nowHereMs(exchange)

/** Until a reset: by Date, or where that is past, and Date may be ahead, by this machine. */
const untilMs = (atMs: number, exchange: Headed): number => {
  const byDateMs = atMs - nowAtMs(exchange)
  return Math.max(0, byDateMs > 0 ? byDateMs : atMs - nowHereMs(exchange))
}

/**
 * A reset in Unix milliseconds. One that is wrongly given in seconds from now, or in milliseconds,
 * is understood too, so that the key is not exceeded; other checks judge the format.
 */
const resetAtMs = (reset: number, sentMs: number): number => {
  if (reset < 1e8) return sentMs + reset * 1000
  return reset < 1e11 ? reset * 1000 : reset
}

/** The three headers; undefined unless all of them are there and can be read. */
export const rateHeaders = memoized((exchange: Headed): RateHeaders | undefined => {
  const limit = numberIn(exchange, 'x-ratelimit-limit')
  const remaining = numberIn(exchange, 'x-ratelimit-remaining')
  const reset = numberIn(exchange, 'x-ratelimit-reset')
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  const sentMs = nowAtMs(exchange)
  const atMs = resetAtMs(reset, sentMs)
  const resetInMs = untilMs(atMs, exchange)
  const window = exchange.quota && matchWindow(limit, exchange.quota)
  return { limit, window, remaining, reset: Math.round(atMs / 1000), resetInMs }
})

/** Retry-After as a wait in milliseconds, also where its form is wrong: a run keeps to it. */
export const retryAfterMs = (exchange: Headed): number | undefined => {
  const seconds = wholeNumber(exchange, 'retry-after')
  if (seconds !== undefined) return seconds * 1000
  const until = Date.parse(header(exchange, 'retry-after') ?? '')
  if (Number.isNaN(until)) return undefined
  return Math.max(0, until - nowAtMs(exchange))
}

/** How long a refusal asks to wait: by Retry-After, or until its Reset, or else a minute. */
export const refusedForMs = (exchange: Headed): number =>
  retryAfterMs(exchange) ?? rateHeaders(exchange)?.resetInMs ?? minuteMs

/** The three forms of an HTTP-date that a recipient has to accept (RFC 9110, 5.6.7). */
const httpDates = [
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** Unix milliseconds of an HTTP-date, if it is one. */
export const httpDateMs = (text: string): number | undefined => {
  if (!httpDates.some((form) => form.test(text))) return undefined
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}

interface Wait {
  readonly form?: 'delta-seconds' | 'HTTP-date'
  readonly ms?: number
  readonly fault?: string
  readonly kind?: Kind
}

/**
 * The wait that a response states, in a form of RFC 9110 (10.2.3).
 * @returns `ms` from when it was sent, if it is well-formed; what is wrong with it, in which way
 */
export const readWait = (exchange: Exchange): Wait => {
  const values = headerValues(exchange, 'retry-after')
  const [value] = values
  if (value === undefined) return { fault: 'no Retry-After', kind: 'missing' }
  const fault = `Retry-After: ${values.join(', ')}`
  if (values.length > 1) return { fault, kind: 'given twice' }
  const form = /^\d{1,15}$/.test(value) ? 'delta-seconds' : 'HTTP-date'
  const untilMs = (httpDateMs(value) ?? Number.NaN) - (dateMs(exchange) ?? Number.NaN)
  const ms = form === 'delta-seconds' ? Number(value) * 1000 : untilMs
  if (Number.isNaN(ms)) return { fault, kind: describeForm(value) }
  const wait = { form, ms } as const
  return ms > 0 ? wait : { ...wait, fault: `${ms / 1000} s by ${form}`, kind: 'not in the future' }
}

/** The wait of a refusal in milliseconds; undefined if it is not well-formed. */
export const readWaitMs = (exchange: Exchange): number | undefined => readWait(exchange).ms

/** The window of a response; undefined where its Limit is neither number of the plan, or both. */
const matchWindow = (limit: number, { perMinute, perDay }: Quota) => {
  if (perMinute === perDay) return undefined
  return limit === perMinute ? 'minute' : limit === perDay ? 'day' : undefined
}

/**
 * Whether a valid request was served; a target without pets has an empty list. Where the body was
 * not read, the status decides.
 */
export const isServed = (exchange: AnsweredExchange): boolean => {
  const { method, path } = exchange.apiRequest
  // No layer in front of a service says that it has created something.
  if (statusCode(exchange) === 201) return method === 'POST'
  if (method === 'POST') return isSuch(exchange, () => true)
  const isWanted = path.startsWith('/pets/') ? isObject : Array.isArray
  return statusCode(exchange) === 200 && isSuch(exchange, isWanted)
}

export const is429 = (exchange: Exchange): boolean => statusCode(exchange) === 429

/** Statuses that are about the request itself: limiters may state a wait on these as on any. */
const aboutRequest = [400, 404, 405, 406, 408, 410, 411, 413, 414, 415, 417, 422, 426, 431]

/**
 * Why a request was refused for its key: for the quota by 429, or by another 4xx that states a wait
 * and that no calls remain (the wrong status violates clauses of its own), or as by a ban.
 */
export const refusalOf = (
  exchange: Headed & Pick<Exchange, 'response' | 'key' | 'apiRequest'>,
): 'quota' | 'ban' | undefined => {
  const status = statusCode(exchange)
  if (status === 429) return 'quota'
  if (status === 401 || status === 403) return 'ban'
  if (status < 400 || status > 499 || aboutRequest.includes(status)) return undefined
  if (exchange.key === null || recognizeOperation(exchange) === undefined) return undefined
  const isSpent = rateHeaders(exchange)?.remaining === 0
  return isSpent && retryAfterMs(exchange) !== undefined ? 'quota' : undefined
}

export const isRefused = (exchange: Exchange): boolean => refusalOf(exchange) === 'quota'

/** A refusal, or what a ban may look like. */
export const isShutOut = (exchange: Exchange): boolean => refusalOf(exchange) !== undefined

/** The quota of the key of a request; of none where it has no key. */
export const appliedQuota = ({
  quota = { perMinute: 0, perDay: 0 },
}: Pick<Exchange, 'quota'>): Quota => quota

const saidOf = (window: 'minute' | 'day') => (exchange: Exchange) => {
  const said = rateHeaders(exchange)
  return said?.window === window ? said : undefined
}

/** The three headers where they are about the minute, or about the day. */
export const minuteSaid = saidOf('minute')
export const daySaid = saidOf('day')

/** When a request was sent and answered, in the time of the target since the run began. */
export const fromMs = ({ sentMs, movedMs }: Exchange): number => sentMs + movedMs
export const toMs = ({ receivedMs, movedMs, meanwhileMs = 0 }: Exchange): number =>
  receivedMs + movedMs + meanwhileMs

/** A Date is whole seconds and may be old; so much more means that this machine was halted. */
const minHaltMs = 5_000

/**
 * From the first request to the last response; by their Dates where those show far more time, as a
 * machine that was halted measures none.
 */
export const spanMs = (exchanges: readonly Exchange[]): number => {
  const measuredMs = Math.max(...exchanges.map(toMs)) - Math.min(...exchanges.map(fromMs))
  const dates = exchanges.flatMap((exchange) => dateMs(exchange) ?? [])
  const byDateMs = Math.max(...dates) - Math.min(...dates)
  return byDateMs > measuredMs + minHaltMs ? byDateMs : measuredMs
}

/** How many calls any design may refill in a span: never faster than the plan's rate. */
export const maxRefill = (limit: number, windowMs: number, durationMs: number): number =>
  Math.floor((durationMs * limit) / windowMs)

/** Whether all Dates of a run show the time at the target. */
export const datesTell = memoized(
  ({ exchanges }: Pick<History, 'exchanges'>) => !exchanges.some(({ dateIsWrong }) => dateIsWrong),
)

/** Clocks that are further apart: one of them is wrong, or both are. */
const agreeMs = 30_000
/** By how much the clock of this machine may be wrong then. */
const maxWrongMs = 120_000

/** What time it may be, by the clock of this machine and by Date, which comes last. */
export const clocksOf = (hereMs: number, dateMs: number): readonly number[] =>
  Math.abs(hereMs - dateMs) <= agreeMs
    ? [hereMs, dateMs]
    : [hereMs, hereMs - maxWrongMs, hereMs + maxWrongMs, dateMs]

/** Whether the target wrote the Date: a proxy or cache may date the responses of its own. */
export const writesDate = (exchange: Exchange): boolean =>
  isAnswered(exchange) &&
  exchange.key !== null &&
  statusCode(exchange) < 500 &&
  header(exchange, 'age') === undefined &&
  givenDateMs(exchange) !== undefined
