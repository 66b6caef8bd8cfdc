// How the body of a response reads: as a value, as a fault, or not at all where it is not read.

import { codingsOf } from './client/read-body.ts'
import type { Exchange, ReceivedResponse } from './exchange.ts'
import type { Json, JsonObject } from './json.ts'
import { isObject, jsonFault, parseJson } from './json.ts'
import { measureJson } from './json-measure.ts'
import { createLately } from './lately.ts'
import { Untested } from './outcome.ts'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The body as text, with U+FFFD where it is no UTF-8. */
export const bodyText = (exchange: Exchange): string =>
  lenientUtf8.decode(exchange.response?.bytes ?? new Uint8Array())

type ReadBody = { readonly value: Json } | { readonly fault: string }

/** `unread`: why it is not read, which says nothing about the target. */
export type AnyBody = ReadBody | { readonly unread: string }

/** How deep arrays and objects are read: far deeper than any response of a store. */
const depthMost = 500

interface Weighed {
  readonly found: AnyBody
  readonly values: number
}

/** V8 parses without recursion, so that a text of any depth is known to be JSON, or not. */
const readDeep = (text: string): Weighed => {
  JSON.parse(text)
  return { found: { unread: `a body nested more than ${depthMost} deep is not read` }, values: 0 }
}

const readText = (bytes: Uint8Array): Weighed => {
  const text = strictUtf8.decode(bytes)
  if (text.startsWith('\uFEFF')) {
    return { found: { fault: 'a body that begins with a byte order mark' }, values: 0 }
  }
  const { depth, values } = measureJson(text)
  return depth > depthMost ? readDeep(text) : { found: { value: parseJson(text) }, values }
}

/** A body that could not be decoded. */
const encodedBody = ({ headers, encoded }: ReceivedResponse): AnyBody => {
  const named = codingsOf(headers).join(', ')
  if (encoded === 'faulty') return { fault: `a body that is not in the coding it names, ${named}` }
  return { unread: `a body in the coding ${named} is not read` }
}

const read = (response: ReceivedResponse): Weighed => {
  const fault = (why: string): Weighed => ({ found: { fault: why }, values: 0 })
  if (response.cut) return { found: { unread: 'a body beyond 1 MiB is not read' }, values: 0 }
  if (response.bytes.length === 0) return fault('an empty body')
  if (response.encoded) return { found: encodedBody(response), values: 0 }
  try {
    return readText(response.bytes)
  } catch (error) {
    if (error instanceof SyntaxError) return fault(`a body that is no JSON: ${jsonFault(error)}`)
    return fault('a body that is no UTF-8')
  }
}

/** Those of some hundred long lists, while one body of 1 MiB may hold as many by itself. */
const keptMostValues = 400_000

/** A value of so many bytes weighs as much as two. */
const bytesPerValue = 16

const readLately = createLately<Exchange, AnyBody>(keptMostValues)

/** The body as a strict parser of UTF-8 and JSON reads it (RFC 8259), integers exact. */
export const anyBody = (exchange: Exchange): AnyBody => {
  const known = readLately.get(exchange)
  if (known) return known
  const { found, values } = exchange.response
    ? read(exchange.response)
    : { found: { fault: 'no answer' }, values: 0 }
  // What a long body reads as is many times as long; that it cannot be read is a line.
  const bytes = 'value' in found ? (exchange.response?.bytes.length ?? 0) : 0
  readLately.put(exchange, found, 1 + values + Math.ceil(bytes / bytesPerValue))
  return found
}

/**
 * The body for a judgement.
 * @throws Untested (ambiguous) where it is not read: then nothing that it holds is known
 */
export const readBody = (exchange: Exchange): ReadBody => {
  const body = anyBody(exchange)
  if ('unread' in body) throw new Untested('ambiguous', body.unread, [exchange])
  return body
}

/**
 * The body where it is one JSON object.
 * @throws Untested (ambiguous) where it is not read
 */
export const bodyObject = (exchange: Exchange): JsonObject | undefined => {
  const body = readBody(exchange)
  return 'value' in body && isObject(body.value) ? body.value : undefined
}

/** The value of the body where it is read and has no fault. */
export const valueIn = (exchange: Exchange): Json | undefined => {
  const body = anyBody(exchange)
  return 'value' in body ? body.value : undefined
}
