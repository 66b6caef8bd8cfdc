// Responses that an HTTP server, a gateway or a firewall may send before a request reaches the API.
import {
  type AnsweredExchange,
  hasMalformedKey,
  hasUnusualKey,
  isUnusualMethod,
  memoized,
  statusCode,
} from '../history/exchange.ts'
import { percentDecoded } from '../history/quote.ts'
import { read } from './read.ts'
import { beyondAscii, ofFront } from './read-head.ts'

/** A slash, a backslash or a percent sign as an escape, `\`, `;`, or a dot segment, in the path. */
const suspectPath = /^[^?]*(?:%2f|%5c|%25|[\\;]|\/(?:\.|%2e){1,2}(?=[/?]|$))/i

/** Also a broken escape, a NUL, or invalid UTF-8, wherever it is in the address. */
const isSuspect = (path: string): boolean =>
  suspectPath.test(path) || (percentDecoded(path)?.includes('\0') ?? true)

const has = ({ apiRequest }: AnsweredExchange, ...kinds: readonly string[]): boolean =>
  read({ apiRequest }).parts.some(({ kind }) => kinds.includes(kind))

/** The body is not what its coding says: malformed as HTTP. */
const isCoded = ({ apiRequest: { headers } }: AnsweredExchange): boolean =>
  headers.some(([name]) => /^content-encoding$/i.test(name))

/** Their headers and their shape are a should (ruling 1). */
export const isFromBelow = memoized((exchange: AnsweredExchange): boolean => {
  const status = statusCode(exchange)
  if ([408, 413, 414, 431].includes(status)) return true
  if ([400, 403, 405, 501].includes(status) && isUnusualMethod(exchange)) return true
  if ([400, 404].includes(status) && isSuspect(exchange.apiRequest.path)) return true
  if ([400, 404].includes(status) && has(exchange, 'long')) return true
  // What is refused or redirected on purpose.
  if ((status === 403 || (status >= 300 && status <= 400)) && has(exchange, ofFront)) return true
  return (
    status === 400 &&
    (hasUnusualKey(exchange) ||
      hasMalformedKey(exchange) ||
      has(exchange, beyondAscii) ||
      isCoded(exchange))
  )
})
