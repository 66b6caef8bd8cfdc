// An entry of a HAR file (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/). What exporters
// do to an exchange is read, and what they left out is marked: it says nothing of the server.
import { cutShort, maxBodyBytes, readCodings } from '../history/body.ts'
import type { Header, ReceivedResponse } from '../history/exchange.ts'
import type { Recorded } from './recorded.ts'

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members => Object(value) as Members

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** Without the pseudo-header fields of HTTP/2; some exporters join repeated fields by line ends. */
const headersOf = (message: Members): Header[] => {
  const all: readonly unknown[] = Array.isArray(message.headers) ? message.headers : []
  return all.flatMap((each) => {
    const [name, value] = [textOf(membersOf(each).name), textOf(membersOf(each).value)]
    if (name === undefined || value === undefined || /^:|^$/.test(name)) return []
    return value.split('\n').map((line) => [name, line] as const)
  })
}

const lengthOf = (headers: readonly Header[]): number | undefined => {
  const [, value] = headers.find(([name]) => name.toLowerCase() === 'content-length') ?? []
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a body is all there; exporters decode it, cut it, and replace what is no UTF-8. */
const isWhole = (bytes: Uint8Array, size: number, headers: readonly Header[]): boolean => {
  const length = readCodings(headers).length === 0 ? lengthOf(headers) : undefined
  if (length !== undefined) return length === bytes.length
  if (bytes.length === 0 || size > bytes.length) return false
  const text = Buffer.from(bytes).toString()
  return !text.includes('\uFFFD') && (!/^\s*[[{]/.test(text) || isJson(text))
}

const responseOf = (response: Members, method: string): ReceivedResponse => {
  const status = numberOf(response.status) ?? 0
  const headers = headersOf(response)
  const { text, encoding, size } = membersOf(response.content)
  const form = encoding === 'base64' ? 'base64' : 'utf8'
  const bytes = new Uint8Array(Buffer.from(textOf(text) ?? '', form))
  const isEmpty = method === 'HEAD' || status === 204
  const cut = !isEmpty && !isWhole(bytes, numberOf(size) ?? 0, headers)
  const found = { status, headers, bytes, cut }
  return bytes.length > maxBodyBytes ? cutShort(found) : found
}

/** No request of this interface is longer, but for spaces. */
const maxSentCharacters = 2 * 1024 * 1024

const bodyOf = (request: Members, headers: readonly Header[]): Recorded['body'] => {
  const { text, encoding } = membersOf(request.postData)
  const length = lengthOf(headers)
  const isSent = (length ?? numberOf(request.bodySize) ?? 0) > 0
  const isChunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')
  if (typeof text !== 'string' || text === '') return isSent || isChunked ? undefined : null
  if (text.length > maxSentCharacters && text.trimStart().length > maxSentCharacters)
    return undefined
  if (encoding === 'base64') return new Uint8Array(Buffer.from(text, 'base64'))
  // What is no UTF-8 was replaced.
  const isExact =
    length === undefined ? !text.includes('\uFFFD') : length === Buffer.byteLength(text)
  return isExact ? text : undefined
}

/** Unix milliseconds, with the digits beyond them, and how exact that is. */
const timeOf = (text: string | undefined) => {
  const [, fraction = ''] = /\.(\d+)/.exec(text ?? '') ?? []
  const ms = Date.parse((text ?? '').replace(/\.\d+/, `.${fraction.slice(0, 3).padEnd(3, '0')}`))
  const beyondMs = Number(`0.${fraction.slice(3) || '0'}`)
  return { ms: ms + beyondMs, exactMs: fraction.length > 3 ? 0 : 1 }
}

const durationOf = ({ time, timings }: Members): number | undefined => {
  const given = numberOf(time)
  if (given !== undefined && given >= 0) return given
  const parts = ['blocked', 'dns', 'connect', 'send', 'wait', 'receive']
  const all = parts.map((part) => numberOf(membersOf(timings)[part]) ?? -1)
  const known = all.filter((ms) => ms >= 0)
  return known.length > 0 ? known.reduce((sum, ms) => sum + ms, 0) : undefined
}

/** Whether a browser or a test answered in place of the server. */
const isLocal = (entry: Members): boolean => {
  const { status, _fetchedViaServiceWorker } = membersOf(entry.response)
  if (entry._fromCache !== undefined || _fetchedViaServiceWorker === true) return true
  return entry._fetchedViaServiceWorker === true || status === 304
}

/** @returns the exchange; or why the entry is none with the server, or cannot be judged */
export const readEntry = (item: unknown, file: number): Recorded | string => {
  const entry = membersOf(item)
  const [request, response] = [membersOf(entry.request), membersOf(entry.response)]
  const [method, address] = [textOf(request.method), textOf(request.url)]
  const { ms, exactMs } = timeOf(textOf(entry.startedDateTime))
  const tookMs = durationOf(entry)
  if (method === undefined || address === undefined) return 'no request'
  if (isLocal(entry)) return 'answered from a cache'
  if (Number.isNaN(ms) || tookMs === undefined) return 'no time'
  const headers = headersOf(request)
  const isAborted = !((numberOf(response.status) ?? 0) >= 100)
  return {
    ...{ file, method, headers, url: address.replace(/#.*/s, '') },
    ...{ sentMs: ms, receivedMs: ms + tookMs + exactMs },
    body: bodyOf(request, headers),
    response: isAborted ? null : responseOf(response, method),
    noResponse: isAborted ? 'reset' : null,
  }
}
