// One exchange: what was sent, what came back, and how its body reads.
import type { Json } from './json.ts'
import { parseJson } from './json.ts'
import type { ApiRequest, Header } from './request.ts'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly Header[]
  readonly body: string | null
  /** The body in base64, where it is no UTF-8 text. */
  readonly bodyBase64?: string
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: readonly Header[]
  readonly bytes: Uint8Array
  /** The body had more than the cap and was cut there. */
  readonly cut: boolean
  /** Absent where it is HTTP/1.1. */
  readonly http?: '2'
}

/** Why no whole answer came. */
export type NoAnswer =
  | 'timeout'
  | 'refused'
  | 'unknown-host'
  | 'tls'
  | 'reset'
  | 'not-http'
  // The target said that it has not looked at the request, in a way that HTTP/2 alone has.
  | 'busy'
  // A proxy stands between, and gave no way to the target.
  | 'proxy'

export interface Exchange {
  readonly seq: number
  /** Wall clock at sending, ISO 8601. */
  readonly at: string
  /** The id of the check that asked. */
  readonly check: string
  /** The valid key that was used, as plan and position (`free-1`), or null. */
  readonly key: string | null
  readonly asked: ApiRequest
  readonly request: SentRequest
  readonly response: ReceivedResponse | null
  readonly noAnswer: NoAnswer | null
  /** What more is known of why there is none. */
  readonly noAnswerWhy?: string
  /** Monotonic milliseconds. */
  readonly sentMs: number
  readonly receivedMs: number
  /** How far this run had moved the target's clock when it was sent. */
  readonly movedMs: number
  /** How far it moved it while this was under way, if it did: then the answer came later still. */
  readonly meanwhileMs?: number
}

/** Whether a whole answer came. */
export type Answered = Exchange & { readonly response: ReceivedResponse }

export const isAnswered = (exchange: Exchange): exchange is Answered => exchange.response !== null

export const statusOf = (exchange: Exchange): number => exchange.response?.status ?? 0

/** Space around a value is no part of it (RFC 9110, 5.5); the wire leaves that at its end. */
const withoutEnds = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, '')

/** What headers are read from: an exchange, or the record of one. */
export interface Headed {
  readonly at: string
  readonly response: { readonly headers: readonly Header[] } | null
}

/** All values of a header, in order, whatever the letter case of its name. */
export const headerValues = (exchange: Headed, name: string): string[] =>
  (exchange.response?.headers ?? [])
    .filter(([given]) => given.toLowerCase() === name.toLowerCase())
    .map(([, value]) => withoutEnds(value))

export const header = (exchange: Headed, name: string): string | undefined =>
  headerValues(exchange, name)[0]

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The body as text, with U+FFFD where it is no UTF-8. */
export const bodyText = (exchange: Exchange): string =>
  lenientUtf8.decode(exchange.response?.bytes ?? new Uint8Array())

export type ReadBody = { readonly value: Json } | { readonly fault: string }

/** How deep arrays and objects may lie in each other: far deeper than any answer of a store. */
const depthMost = 500

const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (piece === '[' || piece === '{') depth += 1
    else if (piece === ']' || piece === '}') depth -= 1
    if (depth > depthMost) return true
  }
  return false
}

const read = (response: ReceivedResponse): ReadBody => {
  if (response.cut) return { fault: 'a body longer than 1 MiB, which was not read to its end' }
  if (response.bytes.length === 0) return { fault: 'an empty body' }
  try {
    const text = strictUtf8.decode(response.bytes)
    if (text.startsWith('\uFEFF')) return { fault: 'a body that begins with a byte order mark' }
    if (isTooDeep(text)) return { fault: 'a body nested too deeply to be read' }
    return { value: parseJson(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: `a body that is no JSON: ${error.message}` }
    return { fault: 'a body that is no UTF-8' }
  }
}

const keptMostBytes = 64 * 1024

const readBodies = new WeakMap<Exchange, ReadBody>()

/** The body as a strict parser of UTF-8 and JSON reads it (RFC 8259), integers exact. */
export const readBody = (exchange: Exchange): ReadBody => {
  const known = readBodies.get(exchange)
  if (known) return known
  const found = exchange.response ? read(exchange.response) : { fault: 'no answer' }
  // What a long body reads as is many times as long, so that is not kept; what is wrong with it is.
  const isShort = (exchange.response?.bytes.length ?? 0) <= keptMostBytes
  if (isShort || 'fault' in found) readBodies.set(exchange, found)
  return found
}
