// Classifies responses: by operation, path, status, and the date of the target.

import { type AnsweredExchange, statusOf } from '../../engine/check/exchange.ts'
import { dateMs } from '../../engine/quota/rate-headers.ts'

export type Operation = 'list' | 'create' | 'get'

const ownPath = /^\/pets(\/[^/?#]+)?(?:\?.*)?$/

/** Whether the request was sent below the base URL. */
export const isBelowBase = ({ apiRequest }: AnsweredExchange): boolean => apiRequest.from === 'base'

/** Whether the request was sent to a path of the interface, with any method. */
export const isAtOwnPath = (exchange: AnsweredExchange): boolean =>
  isBelowBase(exchange) && ownPath.test(exchange.apiRequest.path)

/** The operation that was requested, whether the request is valid or not. */
export const operationOf = (exchange: AnsweredExchange): Operation | undefined => {
  const found = ownPath.exec(exchange.apiRequest.path)
  if (!found || !isBelowBase(exchange)) return undefined
  const { method } = exchange.apiRequest
  if (found[1] !== undefined) return method === 'GET' ? 'get' : undefined
  return method === 'GET' ? 'list' : method === 'POST' ? 'create' : undefined
}

/** HEAD and OPTIONS are open: their responses need not meet most requirements. */
export const isOpenMethod = ({ apiRequest }: AnsweredExchange): boolean =>
  apiRequest.method === 'HEAD' || apiRequest.method === 'OPTIONS'

/** Whether the path contains a broken escape, a NUL, or invalid UTF-8. */
const isMalformed = (path: string): boolean => {
  try {
    return decodeURIComponent(path).includes('\0')
  } catch {
    return true
  }
}

/** HTTP allows only one Authorization header, and non-ASCII bytes in it are obsolete. */
const hasUnusualKey = ({ apiRequest: { authorization } }: AnsweredExchange): boolean =>
  Array.isArray(authorization) &&
  (authorization.length > 1 || authorization.some((value) => /[^ -~]/.test(value)))

/** Responses that an HTTP server may send before the request reaches the API. */
export const isFromBelow = (exchange: AnsweredExchange): boolean =>
  [408, 413, 414, 431].includes(statusOf(exchange)) ||
  ([400, 404].includes(statusOf(exchange)) && isMalformed(exchange.apiRequest.path)) ||
  (statusOf(exchange) === 400 && hasUnusualKey(exchange))

export const isRefusal = (exchange: AnsweredExchange): boolean =>
  statusOf(exchange) >= 400 && statusOf(exchange) <= 499

export const isSuccess = (exchange: AnsweredExchange): boolean =>
  statusOf(exchange) >= 200 && statusOf(exchange) <= 299

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Unix milliseconds of an HTTP-date (IMF-fixdate), if it is one. */
export const parseHttpDate = (text: string): number | undefined => {
  const ms = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** The day on which `GET /pets/{petId}` is removed: its start and its end. */
export const removalDay = { firstMs: Date.UTC(2030, 11, 5), lastMs: Date.UTC(2030, 11, 6) }

/** Whether the deprecated operation may be gone, by the target's own clock. */
export const isPastRemoval = (exchange: AnsweredExchange): boolean => {
  const date = dateMs(exchange)
  // Without a reliable Date, a test clock that was moved may show any time.
  return date === undefined ? exchange.movedMs > 0 : date >= removalDay.firstMs
}
