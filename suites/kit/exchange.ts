// One exchange: what was sent, what came back, and how its body reads.
import { withoutEnds } from './field-value.ts'
import type { Json, JsonObject } from './json.ts'
import { isObject, jsonFault, parseJson } from './json.ts'
import { measureJson } from './json-measure.ts'
import { createLately } from './lately.ts'
import type { ApiRequest, Header } from './request.ts'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly Header[]
  readonly body: string | null
  /** The body in base64, where it is no UTF-8 text. */
  readonly bodyBase64?: string
  /** So many spaces went in front of it. */
  readonly padding?: number
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

/** What headers are read from: an exchange, or the record of one. */
export interface Headed {
  readonly at: string
  /** How far the target's clock had been moved; nobody moved it where it is absent. */
  readonly movedMs?: number
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

interface Weighed {
  readonly found: ReadBody
  readonly values: number
}

const read = (response: ReceivedResponse): Weighed => {
  const fault = (why: string): Weighed => ({ found: { fault: why }, values: 0 })
  if (response.cut) return fault('a body longer than 1 MiB, which was not read to its end')
  if (response.bytes.length === 0) return fault('an empty body')
  try {
    const text = strictUtf8.decode(response.bytes)
    if (text.startsWith('\uFEFF')) return fault('a body that begins with a byte order mark')
    const { depth, values } = measureJson(text)
    if (depth > depthMost) return fault('a body nested too deeply to be read')
    return { found: { value: parseJson(text) }, values }
  } catch (error) {
    if (error instanceof SyntaxError) return fault(`a body that is no JSON: ${jsonFault(error)}`)
    return fault('a body that is no UTF-8')
  }
}

/** Those of some hundred long lists, while one body of 1 MiB may hold as many by itself. */
const keptMostValues = 400_000

/** A value of so many bytes weighs as much as two. */
const bytesPerValue = 16

const readLately = createLately<Exchange, ReadBody>(keptMostValues)

/** The body as a strict parser of UTF-8 and JSON reads it (RFC 8259), integers exact. */
export const readBody = (exchange: Exchange): ReadBody => {
  const known = readLately.get(exchange)
  if (known) return known
  const { found, values } = exchange.response
    ? read(exchange.response)
    : { found: { fault: 'no answer' }, values: 0 }
  // What a long body reads as is many times as long.
  const bytes = exchange.response?.bytes.length ?? 0
  readLately.put(exchange, found, values + Math.ceil(bytes / bytesPerValue))
  return found
}

/** The body where it is one JSON object. */
export const bodyObject = (exchange: Exchange): JsonObject | undefined => {
  const body = readBody(exchange)
  return 'value' in body && isObject(body.value) ? body.value : undefined
}
