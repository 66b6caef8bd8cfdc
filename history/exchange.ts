// A request as a check makes it, and the exchange that comes of it: what was sent and received; and
// for which of the three operations it is.

import type { Quota } from '../spec/plans.ts'

export type Header = readonly [name: string, value: string]

export interface ApiRequest {
  readonly method: string
  /** Raw path and query, sent verbatim: relative to the base address, or to the origin. */
  readonly path: string
  readonly from: 'base' | 'origin'
  /**
   * `valid`: a valid key as bearer token, chosen by the governor; `null`: no such header;
   * otherwise the header's values exactly as given, which are taken for *no valid key*.
   */
  readonly authorization: 'valid' | null | readonly string[]
  /** What is sent in place of a valid key, in words: `with the first half of a valid key`. */
  readonly says?: string
  /** How the scheme is spelt in front of a valid key. */
  readonly scheme: string
  /** The letter case of the names of all fields, where it is not the usual one. */
  readonly names?: 'lower' | 'upper'
  /** The key (as plan and position) that must be used, where it matters. */
  readonly key?: string
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | null
  /** The number of spaces sent before the body; a record has the number instead of them. */
  readonly padding?: number
  /** How the body is sent, if not at once and with its length. */
  readonly framing?: 'chunked' | 'in two parts'
  /**
   * The valid key (as plan and position) that is among these values of `authorization`: the target
   * may accept it, so the request is sent only when that key has a request left.
   */
  readonly carries?: string
  /** Sent with its `key` whatever is left of its quota; a refusal is then returned. */
  readonly insists?: true
  readonly fresh?: true
  /** Ids of other rows whose values it has too. */
  readonly also?: readonly string[]
}

/** The path under which the operations lie, without a slash at its end. */
export const readBasePath = ({ pathname }: URL): string => pathname.replace(/\/+$/, '')

/** The address that the path of a request is relative to. */
export const chooseRoot = (baseUrl: URL, from: ApiRequest['from']): string =>
  from === 'base' ? `${baseUrl.origin}${readBasePath(baseUrl)}` : baseUrl.origin

/** Asks for bodies without a content coding, unless these headers name one. */
export const withPlainCoding = (headers: readonly Header[]): readonly Header[] =>
  headers.some(([name]) => name.toLowerCase() === 'accept-encoding')
    ? headers
    : [...headers, ['Accept-Encoding', 'identity']]

/** Header fields with all names in one letter case. */
export const inLetterCase = (
  headers: readonly Header[],
  names: ApiRequest['names'],
): readonly Header[] =>
  headers.map(([name, value]) => {
    if (names === undefined) return [name, value]
    return [names === 'lower' ? name.toLowerCase() : name.toUpperCase(), value]
  })

const plain = {
  from: 'base',
  authorization: 'valid',
  scheme: 'Bearer',
  headers: [],
  body: null,
} as const

export const get = (path: string): ApiRequest => ({ ...plain, method: 'GET', path })

export const json: Header = ['Content-Type', 'application/json']

export const post = (path: string, body: string | Uint8Array | null, headers: Header[] = [json]) =>
  ({ ...plain, method: 'POST', path, headers, body }) satisfies ApiRequest

/** A request without a valid key: with no Authorization, or with these values of it. */
export const unauthorized = (request: ApiRequest, ...values: string[]): ApiRequest => ({
  ...request,
  authorization: values.length > 0 ? values : null,
})

export const withKey = (request: ApiRequest, key: string | null | undefined): ApiRequest =>
  key == null ? request : { ...request, key }

export interface SentRequest
  extends Pick<ApiRequest, 'method' | 'headers' | 'padding' | 'framing'> {
  readonly url: string
  readonly body: string | null
  /** The body in base64, where it is no UTF-8 text. */
  readonly bodyBase64?: string
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: readonly Header[]
  readonly bytes: Uint8Array
  /** The body was longer than what is read of one, and is not all here. */
  readonly cut: boolean
  /** The bytes are not decoded: the content coding is unknown, or they are not valid in it. */
  readonly encoded?: 'unknown' | 'faulty'
  /** The connection was opened for it. */
  readonly opened?: true
}

export const noAnswerWords = {
  timeout: 'timed out',
  'not-connected': 'no connection was opened in time',
  refused: 'the connection was refused',
  'unknown-host': 'the host is unknown',
  tls: 'the TLS handshake failed',
  reset: 'the connection was closed before the response was complete',
  'not-http': 'the response is not HTTP',
  // It may be legal, but the HTTP client cannot read it.
  unread: 'the response was not read',
  endless: 'the response had not ended after 16 MiB',
  proxy: 'the proxy did not connect to the target',
} as const

export type NoAnswer = keyof typeof noAnswerWords

export interface Exchange {
  readonly seq: number
  /** Wall clock at sending, ISO 8601. */
  readonly at: string
  readonly check: string
  /** The valid key that was used, as plan and position (`free-1`), or null. */
  readonly key: string | null
  /** The quota of that key. */
  readonly quota?: Quota
  /** It follows from the X-RateLimit-Limit of responses, which then cannot be judged by it. */
  readonly quotaIsSaid?: true
  readonly apiRequest: ApiRequest
  readonly request: SentRequest
  readonly response: ReceivedResponse | null
  readonly noResponse: NoAnswer | null
  readonly noAnswerWhy?: string | undefined
  /** Monotonic milliseconds. */
  readonly sentMs: number
  readonly receivedMs: number
  /** How far this run had moved the target's clock when it was sent. */
  readonly movedMs: number
  /** By how much the target's test clock is ahead of this machine without these moves. */
  readonly clockAheadMs?: number
  /** How far it was moved while this was in flight: the response came so much later. */
  readonly meanwhileMs?: number
  /** Its Date contradicts earlier ones: it is not the target's time. */
  readonly dateIsWrong?: true
  /** Others recorded it, and nothing shows whether a test clock was moved. */
  readonly timeIsUnknown?: true
}

export type AnsweredExchange = Exchange & { readonly response: ReceivedResponse }

const groups = new WeakMap<Exchange, readonly Exchange[]>()

/** Notes that these were in flight at the same time, for the evidence of a failure. */
export const markTogether = (exchanges: readonly Exchange[]): void => {
  for (const exchange of exchanges) groups.set(exchange, exchanges)
}

/** All that were in flight with this one, itself included; empty where it was sent alone. */
export const sentWith = (exchange: Exchange): readonly Exchange[] => groups.get(exchange) ?? []

const unsent: readonly unknown[] = ['not-connected', 'refused', 'unknown-host', 'tls', 'proxy']

/** Whether there was no connection to send it on, so that nothing of it was sent. */
export const isUnsent = ({ noResponse }: Pick<Exchange, 'noResponse'>): boolean =>
  unsent.includes(noResponse)

export const isAnswered = (exchange: Exchange): exchange is AnsweredExchange =>
  exchange.response !== null

/** Whether it was served, if not with the status that the interface names. */
export const isSuccess = (exchange: {
  readonly response: Pick<ReceivedResponse, 'status'> | null
}): boolean => {
  const { status = 0 } = exchange.response ?? {}
  return status >= 200 && status <= 299
}

export const statusCode = (exchange: Pick<Exchange, 'response'>): number =>
  exchange.response?.status ?? 0

/** The value of a map, which is kept from the first time on. */
export const keptIn = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}

/** Keeps each result of a function as long as its argument: headers are read once. */
export const memoized = <Key extends object, Value>(
  derive: (key: Key) => Value,
): ((key: Key) => Value) => {
  const results = new WeakMap<Key, Value>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined || results.has(key)) return known as Value
    const value = derive(key)
    results.set(key, value)
    return value
  }
}

/** An exchange, or the record of one, as far as its headers go. */
export type Headed = Pick<Exchange, 'at'> &
  Partial<
    Pick<Exchange, 'movedMs' | 'clockAheadMs' | 'dateIsWrong' | 'timeIsUnknown' | 'quota'>
  > & {
    readonly response: Pick<ReceivedResponse, 'headers'> | null
  }

const fieldsOf = memoized(({ headers }: Pick<ReceivedResponse, 'headers'>) => {
  const fields = Map.groupBy(headers, ([name]) => name.toLowerCase())
  // Space around a value is not part of it (RFC 9110, 5.5).
  return new Map(
    [...fields].map(([name, own]) => [name, own.map(([, value]) => value.trim())] as const),
  )
})

/** All values of a header, in order, whatever the letter case of its name. */
export const headerValues = ({ response }: Headed, name: string): readonly string[] =>
  (response && fieldsOf(response).get(name.toLowerCase())) ?? []

export const header = (exchange: Headed, name: string): string | undefined =>
  headerValues(exchange, name)[0]

/** The name under which control requests are recorded. */
export const controlId = 'control'

type Sent = Pick<Exchange, 'apiRequest'>

export type Operation = 'list' | 'create' | 'get'

/** A dot segment is another spelling of the path above it (RFC 3986, 5.2.4). */
const ownPath = /^\/pets(\/(?!(?:\.|%2[eE]){1,2}(?:\?|$))[^/?#]+)?(?:\?.*)?$/

/** Whether the request was sent below the base URL. */
export const isBelowBase = ({ apiRequest }: Sent): boolean => apiRequest.from === 'base'

/** Whether the request was sent to a path of the interface, with any method. */
export const isAtOwnPath = (exchange: Sent): boolean =>
  isBelowBase(exchange) && ownPath.test(exchange.apiRequest.path)

const operationOf = memoized((apiRequest: ApiRequest): Operation | undefined => {
  const found = ownPath.exec(apiRequest.path)
  if (!found || !isBelowBase({ apiRequest })) return undefined
  const { method } = apiRequest
  if (found[1] !== undefined) return method === 'GET' ? 'get' : undefined
  return method === 'GET' ? 'list' : method === 'POST' ? 'create' : undefined
})

/** The operation that was requested, whether the request is valid or not. */
export const recognizeOperation = ({ apiRequest }: Sent): Operation | undefined =>
  operationOf(apiRequest)

/** HEAD and OPTIONS are open: their responses need not meet most requirements. */
export const isOpenMethod = ({ apiRequest }: AnsweredExchange): boolean =>
  apiRequest.method === 'HEAD' || apiRequest.method === 'OPTIONS'

/** HTTP allows only one Authorization header, and non-ASCII bytes in it are obsolete. */
export const hasUnusualKey = ({ apiRequest: { authorization } }: Sent): boolean =>
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

export const isClientError = (exchange: AnsweredExchange): boolean =>
  statusCode(exchange) >= 400 && statusCode(exchange) <= 499
