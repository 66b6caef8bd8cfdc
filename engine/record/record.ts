// How an exchange is written down: a line of exchanges.ndjson, and the evidence of a result.

import { isUtf8 } from 'node:buffer'
import { bodyText } from '../body.ts'
import { type Exchange, type SentRequest, sentWith } from '../exchange.ts'
import { memoized } from '../memoized.ts'
import type { Evidence, EvidenceRequest, EvidenceResponse } from '../run-file.ts'
import { curlOf, firstVariable, scriptOf } from './curl.ts'
import type { Redactor } from './redact.ts'

/** One line of `exchanges.ndjson`. */
export interface RecordedExchange
  extends Pick<Exchange, 'seq' | 'at' | 'check' | 'key' | 'meanwhileMs'> {
  readonly request: EvidenceRequest
  readonly response: EvidenceResponse | null
  readonly noAnswer?: string
  readonly ms: number
  /** Monotonic milliseconds at sending; only differences within one process mean something. */
  readonly sentMs?: number
  readonly movedMs?: number
  /** Its path is relative to the origin, not to the base address. */
  readonly from?: 'origin'
  /** The body was longer than what is read of one. */
  readonly cut?: true
  /** The body is still in its coding. */
  readonly encoded?: 'unknown' | 'faulty'
}

const redactHeaders = (headers: SentRequest['headers'], redactor: Redactor) =>
  headers.map(([name, value]) => [redactor.redact(name), redactor.redact(value)] as const)

const requestOf = (
  { request: { framing: _, ...request } }: Exchange,
  redactor: Redactor,
): EvidenceRequest => ({
  ...request,
  url: redactor.redact(request.url),
  headers: redactHeaders(request.headers, redactor),
  body: request.body === null ? null : redactor.redact(request.body),
})

const responseOf = (exchange: Exchange, redactor: Redactor): EvidenceResponse | null => {
  if (!exchange.response) return null
  const { status, headers, bytes, cut, encoded } = exchange.response
  const text = bodyText(exchange)
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
const maxEvidenceBytes = 8 * 1024

/** The beginning of a text, copied: a slice would keep the whole text in memory. */
const beginningOf = (text: string): string => {
  const cut = Buffer.from(text.slice(0, maxEvidenceBytes)).subarray(0, maxEvidenceBytes)
  // Not within a character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(cut, { stream: true })
}

const shortenedResponse = (
  response: EvidenceResponse | null,
  exchange: Exchange,
): EvidenceResponse | null => {
  const bytes = exchange.response?.bytes
  if (!response || !bytes || bytes.length <= maxEvidenceBytes) return response
  const { bodyBase64, ...rest } = response
  const beginning = Buffer.from(bytes.subarray(0, maxEvidenceBytes)).toString('base64')
  return {
    ...rest,
    body: beginningOf(response.body),
    ...(bodyBase64 !== undefined && { bodyBase64: beginning }),
    bodyBytes: bytes.length,
  }
}

/** An exchange that is evidence of many results is redacted and kept once. */
export const createEvidence = (
  redactor: Redactor,
  reach: readonly string[],
  keys: readonly { readonly label: string; readonly variable: string }[] = [],
) =>
  memoized((exchange: Exchange) =>
    toEvidence(exchange, redactor, ({ request, key }) => {
      // What has no valid key is derived from the first one.
      const { variable = firstVariable } = keys.find(({ label }) => label === key) ?? keys[0] ?? {}
      return curlOf(request, redactor, reach).replaceAll(firstVariable, variable)
    }),
  )

const toEvidence = (
  exchange: Exchange,
  redactor: Redactor,
  lineFor: (exchange: Exchange) => string,
): Evidence => {
  const curl = lineFor(exchange)
  const others = sentWith(exchange).filter((other) => other !== exchange)
  const lines = others.map(lineFor)
  return {
    seq: exchange.seq,
    ...(exchange.key !== null && { key: exchange.key }),
    request: requestOf(exchange, redactor),
    response: shortenedResponse(responseOf(exchange, redactor), exchange),
    ...(exchange.noAnswer !== null && { noAnswer: exchange.noAnswer }),
    check: exchange.check,
    curl,
    ...(lines.length > 0 && {
      together: { others: lines.length, script: scriptOf([curl, ...lines]) },
    }),
  }
}

const toMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000

/** One line of `exchanges.ndjson`, without its line end. */
export const lineOf = (exchange: Exchange, redactor: Redactor): string =>
  JSON.stringify({
    seq: exchange.seq,
    at: exchange.at,
    check: exchange.check,
    key: exchange.key,
    request: requestOf(exchange, redactor),
    response: responseOf(exchange, redactor),
    ...(exchange.noAnswer !== null && { noAnswer: exchange.noAnswer }),
    ms: toMicroseconds(exchange.receivedMs - exchange.sentMs),
    sentMs: toMicroseconds(exchange.sentMs),
    ...(exchange.movedMs > 0 && { movedMs: exchange.movedMs }),
    ...(exchange.meanwhileMs !== undefined && { meanwhileMs: exchange.meanwhileMs }),
    ...(exchange.apiRequest.from === 'origin' && { from: 'origin' }),
    ...(exchange.response?.cut && { cut: true }),
    ...(exchange.response?.encoded && { encoded: exchange.response.encoded }),
  } satisfies RecordedExchange)
