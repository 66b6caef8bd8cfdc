// A recorded exchange as it was when it happened, its keys put back in.
import type { Exchange, NoAnswer, SentRequest } from '../exchange.ts'
import type { Redactor } from '../redact.ts'
import type { ApiRequest, Header } from '../request.ts'
import type { LabelledKey } from '../session.ts'
import type { PastExchange } from './past.ts'

const keyVariable = '$PETVET_KEY'

interface Restoring {
  readonly baseUrl: URL
  readonly keys: readonly LabelledKey[]
  /** Names of the headers that every request has. */
  readonly furtherHeaders: readonly string[]
  readonly redactor: Redactor
}

/** What the check requested, as far as the request shows it. */
const askedOf = (
  { key, from: root }: PastExchange,
  { method, url, headers, body, bodyBase64, padding }: SentRequest,
  { baseUrl, furtherHeaders }: Restoring,
): ApiRequest => {
  const from = root ?? 'base'
  const path = url.slice(baseUrl.origin.length)
  const basePath = baseUrl.pathname.replace(/\/+$/, '')
  const values = headers.filter(([name]) => name === 'Authorization').map(([, value]) => value)
  const isOwn = ([name, value]: Header) =>
    name !== 'Authorization' &&
    !furtherHeaders.includes(name) &&
    !(name === 'Accept-Encoding' && value === 'identity')
  return {
    method,
    path: from === 'origin' ? path : path.slice(basePath.length),
    from,
    authorization: key !== null ? 'valid' : values.length > 0 ? values : null,
    scheme: (key !== null && values[0]?.split(' ')[0]) || 'Bearer',
    headers: headers.filter(isOwn),
    body: bodyBase64 === undefined ? body : Buffer.from(bodyBase64, 'base64'),
    ...(padding !== undefined && { padding }),
  }
}

/**
 * @param exchange with the times of this process
 * @returns the exchange; what was derived from a key stays as the shell expression that makes it
 */
export const restoredExchange = (exchange: PastExchange, restoring: Restoring): Exchange => {
  const { seq, at, check, key, response, noAnswer, ms, sentMs, cut, encoded } = exchange
  const { keys, redactor } = restoring
  const { key: secret = '' } = keys.find(({ label }) => label === key) ?? keys[0] ?? {}
  const withKey = (text: string) => text.replaceAll(keyVariable, secret)
  const headerOf = ([name, value]: Header): Header => {
    const isDerived = name === 'Authorization' && /\$[({]/.test(value)
    if (isDerived) redactor.hideForgery(value, value)
    return [name, isDerived ? value : withKey(value)]
  }
  const { body, url, headers, ...others } = exchange.request
  const request = {
    ...others,
    url: withKey(url),
    headers: headers.map(headerOf),
    body: body === null ? null : withKey(body),
  }
  const bytes =
    response?.bodyBase64 === undefined
      ? Buffer.from(withKey(response?.body ?? ''))
      : Buffer.from(response.bodyBase64, 'base64')
  return {
    seq,
    at,
    check,
    key,
    asked: askedOf(exchange, request, restoring),
    request,
    response: response && {
      status: response.status,
      headers: response.headers.map(([name, value]) => [name, withKey(value)]),
      bytes: new Uint8Array(bytes),
      cut: cut ?? false,
      ...(encoded && { encoded }),
    },
    noAnswer: (noAnswer as NoAnswer | undefined) ?? null,
    sentMs,
    receivedMs: sentMs + ms,
    movedMs: exchange.movedMs ?? 0,
    ...(exchange.meanwhileMs !== undefined && { meanwhileMs: exchange.meanwhileMs }),
  }
}
