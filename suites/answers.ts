// What an answer is an answer to: which operation or address was asked, and when it was given.
import type { Answered } from '../engine/exchange.ts'
import { statusOf } from '../engine/exchange.ts'
import { dateMs } from '../engine/quota/rate-headers.ts'

export type Operation = 'list' | 'create' | 'get'

const ownPath = /^\/pets(\/[^/?#]+)?(?:\?.*)?$/

/** Whether it was asked below the base address. */
export const isBelowBase = ({ asked }: Answered): boolean => asked.from === 'base'

/** Whether it was asked at a path of the interface, whatever the method. */
export const isAtOwnPath = (exchange: Answered): boolean =>
  isBelowBase(exchange) && ownPath.test(exchange.asked.path)

/** The operation that was asked, soundly or not. */
export const operationOf = (exchange: Answered): Operation | undefined => {
  const found = ownPath.exec(exchange.asked.path)
  if (!found || !isBelowBase(exchange)) return undefined
  const { method } = exchange.asked
  if (found[1] !== undefined) return method === 'GET' ? 'get' : undefined
  return method === 'GET' ? 'list' : method === 'POST' ? 'create' : undefined
}

/** HEAD and OPTIONS are open: little is asked of their answers. */
export const isOpenMethod = ({ asked }: Answered): boolean =>
  asked.method === 'HEAD' || asked.method === 'OPTIONS'

/** Whether the path holds a broken escape, a NUL, or what is no UTF-8. */
const isMalformed = (path: string): boolean => {
  try {
    return decodeURIComponent(path).includes('\0')
  } catch {
    return true
  }
}

/** HTTP allows one Authorization, and the bytes beyond ASCII in it only for old times' sake. */
const hasStrangeKey = ({ asked: { authorization } }: Answered): boolean =>
  Array.isArray(authorization) &&
  (authorization.length > 1 || authorization.some((value) => /[^ -~]/.test(value)))

/** Answers that a server may give before the API has seen the request. */
export const isFromBelow = (exchange: Answered): boolean =>
  [408, 413, 414, 431].includes(statusOf(exchange)) ||
  ([400, 404].includes(statusOf(exchange)) && isMalformed(exchange.asked.path)) ||
  (statusOf(exchange) === 400 && hasStrangeKey(exchange))

export const isRefusal = (exchange: Answered): boolean =>
  statusOf(exchange) >= 400 && statusOf(exchange) <= 499

export const isSuccess = (exchange: Answered): boolean =>
  statusOf(exchange) >= 200 && statusOf(exchange) <= 299

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Unix milliseconds of an HTTP-date (IMF-fixdate), if it is one. */
export const parseHttpDate = (text: string): number | undefined => {
  const ms = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** `GET /pets/{petId}` is removed on this day: its first and its last moment. */
export const removalDay = { firstMs: Date.UTC(2030, 11, 5), lastMs: Date.UTC(2030, 11, 6) }

/** Whether the deprecated operation may be gone, by the target's own clock. */
export const isPastRemoval = (exchange: Answered): boolean => {
  const date = dateMs(exchange)
  // Without a Date that can be relied on, a clock that was moved may be anywhere.
  return date === undefined ? exchange.movedMs > 0 : date >= removalDay.firstMs
}
