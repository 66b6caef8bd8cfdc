// The three operations: which one a request is for, and which responses may be those of a server in
// front of them.

import { type AnsweredExchange, type Exchange, statusCode } from './exchange.ts'

/** What was sent. */
type Sent = Pick<Exchange, 'apiRequest'>

export type Operation = 'list' | 'create' | 'get'

const ownPath = /^\/pets(\/[^/?#]+)?(?:\?.*)?$/

/** Whether the request was sent below the base URL. */
export const isBelowBase = ({ apiRequest }: Sent): boolean => apiRequest.from === 'base'

/** Whether the request was sent to a path of the interface, with any method. */
export const isAtOwnPath = (exchange: Sent): boolean =>
  isBelowBase(exchange) && ownPath.test(exchange.apiRequest.path)

/** The operation that was requested, whether the request is valid or not. */
export const recognizeOperation = (exchange: Sent): Operation | undefined => {
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
const hasUnusualKey = ({ apiRequest: { authorization } }: Sent): boolean =>
  Array.isArray(authorization) &&
  (authorization.length > 1 || authorization.some((value) => /[^ -~]/.test(value)))

/** A scheme and one token (RFC 9110, 11.4; the characters are those of RFC 6750, 2.1). */
const schemeAndToken = /^[\w!#$%&'*+.^`|~-]+ +[\w.~+/-]+=*$/

/**
 * Whether the credentials do not fit the grammar: two tokens, a space or a comma within, no token.
 * RFC 6750 (3.1) answers them 400; ruling 13 takes that for a should.
 */
export const hasMalformedKey = (exchange: Sent): boolean => {
  const { authorization } = exchange.apiRequest
  if (!Array.isArray(authorization) || hasUnusualKey(exchange)) return false
  return authorization.some((value) => !schemeAndToken.test(value))
}

const usualMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** HTTP servers know some methods, and proxies let through some. */
export const isUnusualMethod = ({ apiRequest }: AnsweredExchange): boolean =>
  !usualMethods.includes(apiRequest.method)

/** Responses that an HTTP server may send before the request reaches the API. */
export const isFromBelow = (exchange: AnsweredExchange): boolean =>
  [408, 413, 414, 431].includes(statusCode(exchange)) ||
  ([400, 403, 405, 501].includes(statusCode(exchange)) && isUnusualMethod(exchange)) ||
  ([400, 404].includes(statusCode(exchange)) && isMalformed(exchange.apiRequest.path)) ||
  (statusCode(exchange) === 400 && (hasUnusualKey(exchange) || hasMalformedKey(exchange)))

export const isRefusal = (exchange: AnsweredExchange): boolean =>
  statusCode(exchange) >= 400 && statusCode(exchange) <= 499
