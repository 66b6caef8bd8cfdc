// How an exchange is written down: as the evidence of a result, and as a line of exchanges.ndjson,
// which a resumed run reads again.

import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { bodyText, cutShort, maxCutBytes } from '../../history/body.ts'
import {
  type ApiRequest,
  chooseRoot,
  type Exchange,
  type Header,
  inLetterCase,
  memoized,
  type NoAnswer,
  type ReceivedResponse,
  type SentRequest,
  sentWith,
} from '../../history/exchange.ts'
import type { LimitKey } from '../check/context.ts'
import type { Evidence, EvidenceResponse } from '../check/run-file.ts'
import { writeCurl, writeScript } from './curl.ts'
import type { Redactor } from './redact.ts'

/** One line of `exchanges.ndjson`, with which a run can be resumed. */
export interface PastExchange
  extends Pick<Exchange, 'seq' | 'at' | 'check' | 'key' | 'meanwhileMs' | 'clockAheadMs'>,
    Pick<ApiRequest, 'fresh' | 'framing'>,
    Pick<ReceivedResponse, 'encoded' | 'opened'> {
  /** All rows whose values it has, where it has those of several. */
  readonly checks?: readonly string[]
  readonly request: Evidence['request']
  readonly response: EvidenceResponse | null
  readonly noResponse?: string
  readonly ms: number
  /** When it was sent: Unix milliseconds, monotonic over all interruptions of the run. */
  readonly sentMs: number
  readonly movedMs?: number
  /** Its path is relative to the origin, not to the base address. */
  readonly from?: 'origin'
  /** The body was longer than what is read of one, or is hidden. */
  readonly cut?: true
}

const redactHeaders = (headers: SentRequest['headers'], redactor: Redactor) =>
  headers.map(([name, value]) => [redactor.redact(name), redactor.redact(value)] as const)

const requestOf = (
  { request: { framing: _, ...request } }: Exchange,
  redactor: Redactor,
): Evidence['request'] => ({
  ...request,
  url: redactor.redact(request.url),
  headers: redactHeaders(request.headers, redactor),
  body: request.body === null ? null : redactor.redact(request.body),
})

const responseOf = (
  exchange: Exchange,
  redactor: Redactor,
  text = bodyText(exchange),
): EvidenceResponse | null => {
  if (!exchange.response) return null
  const { status, headers, bytes, cut, encoded } = exchange.response
  const body = cut ? redactor.redactCut(text) : redactor.redact(text)
  // Base64 would show a key that the text hides, or that lies in a coding which hides it.
  const exact = !isUtf8(bytes) && body === text && !encoded
  return {
    status,
    headers: redactHeaders(headers, redactor),
    body,
    ...(exact && { bodyBase64: Buffer.from(bytes).toString('base64') }),
  }
}

/** Evidence has the beginning of a longer body: a run keeps the evidence of all its results. */
const shortenedResponse = (exchange: Exchange, redactor: Redactor): EvidenceResponse | null => {
  const { response } = exchange
  if (!response || response.bytes.length <= maxCutBytes) return responseOf(exchange, redactor)
  const shown = responseOf({ ...exchange, response: cutShort(response) }, redactor)
  return shown && { ...shown, bodyBytes: response.bytes.length }
}

/** An exchange that is evidence of many results is redacted and kept once. */
export const createEvidence = (redactor: Redactor, reach: readonly string[]) =>
  memoized((exchange: Exchange): Evidence => {
    const curl = writeCurl(exchange.request, redactor, reach)
    const others = sentWith(exchange).filter((other) => other !== exchange)
    const lines = others.map((other) => writeCurl(other.request, redactor, reach))
    return {
      seq: exchange.seq,
      ...(exchange.key !== null && { key: exchange.key }),
      request: requestOf(exchange, redactor),
      response: shortenedResponse(exchange, redactor),
      ...(exchange.noResponse !== null && { noResponse: exchange.noResponse }),
      check: exchange.check,
      curl,
      ...(lines.length > 0 && {
        together: { others: lines.length, script: writeScript([curl, ...lines]) },
      }),
    }
  })

const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000

/**
 * One line of `exchanges.ndjson`, without its line end.
 * @param startMs Unix milliseconds when the monotonic time of this process was 0
 */
export const printLine = (exchange: Exchange, redactor: Redactor, startMs = 0): string => {
  const { seq, at, check, key, apiRequest, response: received } = exchange
  const { meanwhileMs, clockAheadMs } = exchange
  const { also, from, fresh, framing } = apiRequest
  // A run that is resumed judges nothing of a body that it has not in full.
  const text = bodyText(exchange)
  const isHidden = redactor.hides(text)
  // Members that are undefined are not printed.
  return JSON.stringify({
    ...{ seq, at, check, checks: also && [check, ...also], key },
    request: requestOf(exchange, redactor),
    response: responseOf(exchange, redactor, text),
    noResponse: exchange.noResponse ?? undefined,
    ms: toMicroseconds(exchange.receivedMs - exchange.sentMs),
    sentMs: toMicroseconds(exchange.sentMs + startMs),
    movedMs: exchange.movedMs || undefined,
    ...{ meanwhileMs, clockAheadMs },
    ...{ from: from === 'origin' ? from : undefined, fresh, framing },
    cut: received?.cut || isHidden || undefined,
    ...{ encoded: received?.encoded, opened: received?.opened },
  } satisfies { [Member in keyof PastExchange]: PastExchange[Member] | undefined })
}

interface Restoring {
  readonly baseUrl: URL
  readonly keys: readonly Pick<LimitKey, 'label' | 'quota'>[]
  /** Names of the headers that every request has. */
  readonly furtherHeaders: readonly string[]
  readonly redactor: Redactor
  /** Unix milliseconds when the monotonic time of this process was 0. */
  readonly startMs: number
}

const isAuthorization = ([name]: Header): boolean => name.toLowerCase() === 'authorization'

const apiRequestOf = (
  { key, from: root, fresh, framing, request }: PastExchange,
  { baseUrl, furtherHeaders }: Restoring,
): ApiRequest => {
  const { method, url, headers, body, bodyBase64, padding } = request
  const from = root ?? 'base'
  const isIn = (each: 'lower' | 'upper') => isDeepStrictEqual(inLetterCase(headers, each), headers)
  const names = headers.length > 0 && (['lower', 'upper'] as const).find(isIn)
  const values = headers.filter(isAuthorization).map(([, value]) => value)
  const isOwn = ([name, value]: Header) =>
    !isAuthorization([name, value]) &&
    !furtherHeaders.some((each) => each.toLowerCase() === name.toLowerCase()) &&
    !(name.toLowerCase() === 'accept-encoding' && value === 'identity')
  return {
    method,
    path: url.slice(chooseRoot(baseUrl, from).length),
    from,
    authorization: key !== null ? 'valid' : values.length > 0 ? values : null,
    scheme: (key !== null && values[0]?.split(' ')[0]) || 'Bearer',
    headers: headers.filter(isOwn),
    ...(names && { names }),
    body: bodyBase64 === undefined ? body : Buffer.from(bodyBase64, 'base64'),
    ...(padding !== undefined && { padding }),
    ...(fresh && { fresh }),
    ...(framing && { framing }),
  }
}

/**
 * @returns the exchange, with the times of this process; what stands for a key, or for what was
 *   derived from one, stays the shell expression that it is
 */
export const restoredExchange = (exchange: PastExchange, restoring: Restoring): Exchange => {
  const { seq, at, check, key, request, response, noResponse } = exchange
  const { meanwhileMs, clockAheadMs } = exchange
  const { cut = false, encoded, opened, ms } = exchange
  const { keys, redactor, startMs } = restoring
  const sentMs = exchange.sentMs - startMs
  const own = keys.find(({ label }) => label === key)
  for (const [name, value] of request.headers) {
    const isDerived = isAuthorization([name, value]) && /\$[({]/.test(value)
    if (isDerived) redactor.hideForgery(value, value)
  }
  const { status = 0, headers = [], body = '', bodyBase64 } = response ?? {}
  const bytes = bodyBase64 === undefined ? Buffer.from(body) : Buffer.from(bodyBase64, 'base64')
  return {
    ...{ seq, at, check, key, request },
    ...(own && { quota: own.quota }),
    apiRequest: apiRequestOf(exchange, restoring),
    response: response && {
      ...{ status, headers, bytes: new Uint8Array(bytes), cut },
      ...(encoded && { encoded }),
      ...(opened && { opened }),
    },
    noResponse: (noResponse as NoAnswer | undefined) ?? null,
    sentMs,
    receivedMs: sentMs + ms,
    movedMs: exchange.movedMs ?? 0,
    ...(meanwhileMs !== undefined && { meanwhileMs }),
    ...(clockAheadMs !== undefined && { clockAheadMs }),
  }
}
