// How an exchange is written down: a line of exchanges.ndjson, and the evidence of a result.
import { isUtf8 } from 'node:buffer'
import { curlOf } from './curl.ts'
import type { Exchange, SentRequest } from './exchange.ts'
import { bodyText } from './exchange.ts'
import type { Redactor } from './redact.ts'
import type { Evidence, EvidenceRequest, EvidenceResponse } from './run-file.ts'

const redactHeaders = (headers: SentRequest['headers'], redactor: Redactor) =>
  headers.map(([name, value]) => [name, redactor.redact(value)] as const)

const requestOf = (exchange: Exchange, redactor: Redactor): EvidenceRequest => {
  const { method, url, headers, body, bodyBase64 } = exchange.request
  return {
    method,
    url: redactor.redact(url),
    headers: redactHeaders(headers, redactor),
    body: body === null ? null : redactor.redact(body),
    ...(bodyBase64 !== undefined && { bodyBase64 }),
  }
}

const responseOf = (exchange: Exchange, redactor: Redactor): EvidenceResponse | null => {
  if (!exchange.response) return null
  const { status, headers, bytes } = exchange.response
  const text = bodyText(exchange)
  const body = redactor.redact(text)
  // Base64 would show a key that the text hides.
  const exact = !isUtf8(bytes) && body === text
  return {
    status,
    headers: redactHeaders(headers, redactor),
    body,
    ...(exact && { bodyBase64: Buffer.from(bytes).toString('base64') }),
  }
}

export const evidenceOf = (exchange: Exchange, redactor: Redactor): Evidence => ({
  seq: exchange.seq,
  request: requestOf(exchange, redactor),
  response: responseOf(exchange, redactor),
  ...(exchange.noAnswer !== null && { noAnswer: exchange.noAnswer }),
  curl: curlOf(exchange.request, redactor),
})

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
    ms: Math.round((exchange.receivedMs - exchange.sentMs) * 1000) / 1000,
  })
