// An entry of a HAR file (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/) as a line of
// exchanges.ndjson. What exporters do to an exchange is read, and what they left out is marked: it
// says nothing of the server.
import type { PastExchange } from '../engine/http/recorder.ts'
import { maxBodyBytes, maxCutBytes, readCodings } from '../history/body.ts'
import type { Header } from '../history/exchange.ts'
import { wholeNumber } from '../history/rate-headers.ts'

/** One recorded exchange, whatever wrote it down. */
export interface Recorded extends Omit<PastExchange, 'key'> {
  /** Which of the files it is from. */
  readonly file: number
  /** By plan and position, in what petvet recorded; undefined: something else recorded it. */
  readonly key?: string | null
  /** The request was not recorded as it was sent. */
  readonly isUnread?: true
}

export const noRequest = 'no request'

/** What sent them is not known. */
export const harCheck = 'recorded'

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => Object(value) as Members

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

const secretFields = /^(?:cookie|set-cookie|proxy-authorization|x-api-key|api-key|x-auth-token)$/i

/**
 * Without the pseudo-header fields of HTTP/2, and without secrets of others, which no report has;
 * some exporters join repeated fields by line ends.
 */
const headersOf = ({ headers }: Members): Header[] =>
  (Array.isArray(headers) ? headers : []).map(membersOf).flatMap(({ name, value }) => {
    if (typeof name !== 'string' || typeof value !== 'string' || /^:|^$/.test(name)) return []
    const lines = secretFields.test(name) ? ['(not shown)'] : value.split('\n')
    return lines.map((line): Header => [name, line])
  })

const lengthOf = (headers: readonly Header[]): number | undefined =>
  wholeNumber({ at: '', response: { headers } }, 'content-length')

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a body is all there; exporters decode it, cut it, and replace what is no UTF-8. */
const isWhole = (bytes: Buffer, size: number, headers: readonly Header[]): boolean => {
  const length = readCodings(headers).length === 0 ? lengthOf(headers) : undefined
  if (length !== undefined) return length === bytes.length
  if (bytes.length === 0 || size > bytes.length) return false
  const text = bytes.toString()
  return !text.includes('\uFFFD') && (!/^\s*[[{]/.test(text) || isJson(text))
}

const responseOf = (message: Members, method: string) => {
  const status = numberOf(message.status) ?? 0
  // It was aborted where the status is 0.
  if (status < 100) return { response: null, noResponse: 'reset' }
  const headers = headersOf(message)
  const { text, encoding, size } = membersOf(message.content)
  const all = Buffer.from(textOf(text), encoding === 'base64' ? 'base64' : 'utf8')
  const isEmpty = method === 'HEAD' || status === 204
  const isLong = all.length > maxBodyBytes
  const cut = isLong || (!isEmpty && !isWhole(all, numberOf(size) ?? 0, headers))
  const bytes = isLong ? all.subarray(0, maxCutBytes) : all
  const body = bytes.toString()
  const bodyBase64 = encoding === 'base64' && { bodyBase64: bytes.toString('base64') }
  return { response: { status, headers, body, ...bodyBase64 }, ...(cut && { cut }) }
}

/** No request of this interface is longer, but for spaces; so many of them are not kept. */
const [maxSentCharacters, minPadding] = [2 * 1024 * 1024, 1_000]

const isChunked = ([name, value]: Header): boolean =>
  /^transfer-encoding$/i.test(name) && /^\s*chunked\s*$/i.test(value)

/** undefined: there was one, and it was not recorded as it was sent. */
const bodyOf = (request: Members, headers: readonly Header[]) => {
  const { text, encoding } = membersOf(request.postData)
  const length = lengthOf(headers)
  if (typeof text !== 'string' || text === '') {
    const isSent = (length ?? numberOf(request.bodySize) ?? 0) > 0
    const isLost = isSent || headers.some(([name]) => /^transfer-encoding$/i.test(name))
    return isLost ? undefined : { body: null }
  }
  const body = text.trimStart()
  const padding = text.length - body.length
  if (body.length > maxSentCharacters) return undefined
  if (encoding === 'base64') {
    return { body: Buffer.from(text, 'base64').toString(), bodyBase64: text }
  }
  // What is no UTF-8 was replaced.
  const isExact =
    length === undefined ? !text.includes('\uFFFD') : length === Buffer.byteLength(text)
  if (!isExact) return undefined
  return padding < minPadding ? { body: text } : { body, padding }
}

/** Whether a browser or a test answered in place of the server. */
const isLocal = (entry: Members, { status, _fetchedViaServiceWorker }: Members): boolean =>
  entry._fromCache !== undefined ||
  entry._fetchedViaServiceWorker === true ||
  _fetchedViaServiceWorker === true ||
  status === 304

/** @returns the exchange; or why the entry is none with the server, or cannot be judged */
export const readEntry = (item: unknown, file: number): Recorded | string => {
  const entry = membersOf(item)
  const [request, response] = [membersOf(entry.request), membersOf(entry.response)]
  const { method, url } = request
  const [start, tookMs] = [textOf(entry.startedDateTime), numberOf(entry.time) ?? -1]
  // Digits beyond the milliseconds say that it is exact.
  const [, beyond] = /\.\d{3}(\d+)/.exec(start) ?? []
  const sentMs = Date.parse(start) + Number(`0.${beyond ?? 0}`)
  if (typeof method !== 'string' || typeof url !== 'string') return noRequest
  if (isLocal(entry, response)) return 'answered from a cache'
  if (Number.isNaN(sentMs) || tookMs < 0) return 'no time'
  const given = headersOf(request)
  // Some exporters write each field of a request twice; whether it was sent so is not known then.
  const headers = [...new Map(given.map((field) => [field.join(': '), field])).values()]
  const body = bodyOf(request, headers)
  const isDoubled = headers.length < given.length && Number(response.status) >= 400
  return {
    ...{ file, seq: 0, at: new Date(sentMs).toISOString(), check: harCheck },
    request: { method, url: url.replace(/#.*/s, ''), headers, ...(body ?? { body: null }) },
    ...((body === undefined || isDoubled) && { isUnread: true }),
    ...(headers.some(isChunked) && { framing: 'chunked' }),
    ...responseOf(response, method),
    ...{ sentMs, ms: tookMs + (beyond === undefined ? 1 : 0) },
  }
}
