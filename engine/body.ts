// How the body of a response reads: as a value, as a fault, or not at all where it is not read.

import { isUtf8 } from 'node:buffer'
import { codingsOf } from './client/read-body.ts'
import type { Exchange, ReceivedResponse } from './exchange.ts'
import { isObject, type Json, type JsonObject, jsonFault, measureJson, parseJson } from './json.ts'
import { Untested } from './outcome.ts'

const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The latest text alone: a body is written, parsed and quoted in a row. */
let latestText = new WeakMap<ReceivedResponse, string>()

const textOf = (response: ReceivedResponse): string => {
  const known = latestText.get(response)
  if (known !== undefined) return known
  const text = lenientUtf8.decode(response.bytes)
  latestText = new WeakMap([[response, text]])
  return text
}

/** The body as text, with U+FFFD where it is no UTF-8. */
export const bodyText = ({ response }: Exchange): string => (response ? textOf(response) : '')

type ReadBody = { readonly value: Json } | { readonly fault: string }

/** `unread`: why it is not read, which says nothing about the target. */
export type AnyBody = ReadBody | { readonly unread: string }

/** How deep arrays and objects are read: far deeper than any response of a store. */
const maxDepth = 500

/** A body as it reads, and how many values are in it. */
interface Parsed {
  readonly found: AnyBody
  readonly values: number
}

interface Weighed {
  readonly found: AnyBody
  readonly weight: number
}

/** V8 parses without recursion, so a text of any depth is known to be JSON, or not. */
const readDeep = (text: string): Parsed => {
  JSON.parse(text)
  return { found: { unread: `a body nested more than ${maxDepth} deep is not read` }, values: 0 }
}

const readText = (response: ReceivedResponse): Parsed => {
  if (!isUtf8(response.bytes)) {
    return { found: { fault: 'a body that is no UTF-8' }, values: 0 }
  }
  const text = textOf(response)
  if (text.startsWith('\uFEFF')) {
    return { found: { fault: 'a body that begins with a byte order mark' }, values: 0 }
  }
  const measure = measureJson(text)
  if (measure.depth > maxDepth) return readDeep(text)
  return { found: { value: parseJson(text, measure) }, values: measure.values }
}

/** A body that could not be decoded. */
const encodedBody = ({ headers, encoded }: ReceivedResponse): AnyBody => {
  const named = codingsOf(headers).join(', ')
  if (encoded === 'faulty') return { fault: `a body that is not in the coding it names, ${named}` }
  return { unread: `a body in the coding ${named} is not read` }
}

const read = (response: ReceivedResponse): Parsed => {
  const fault = (why: string): Parsed => ({ found: { fault: why }, values: 0 })
  if (response.cut) return { found: { unread: 'a body beyond 1 MiB is not read' }, values: 0 }
  if (response.bytes.length === 0) return fault('an empty body')
  if (response.encoded) return { found: encodedBody(response), values: 0 }
  try {
    return readText(response)
  } catch (error) {
    if (error instanceof SyntaxError) return fault(`a body that is no JSON: ${jsonFault(error)}`)
    throw error
  }
}

/**
 * What one generation of parsed bodies may weigh: some hundred long lists, while one body of 1 MiB
 * may weigh as much by itself.
 */
const maxGenerationWeight = 200_000

/** A value of so many bytes weighs as much as two values. */
const bytesPerValue = 16

/**
 * A cache in two generations: once the young one is full it becomes the old one, and what is read
 * again moves back. Weak, so that a finished run leaves nothing behind.
 */
let young = new WeakMap<Exchange, Weighed>()
let old = new WeakMap<Exchange, Weighed>()
let youngWeight = 0

const remember = (exchange: Exchange, parsed: Weighed): void => {
  if (youngWeight + parsed.weight > maxGenerationWeight) {
    old = young
    young = new WeakMap()
    youngWeight = 0
  }
  young.set(exchange, parsed)
  youngWeight += parsed.weight
}

const weigh = ({ found, values }: Parsed, { response }: Exchange): Weighed => {
  // A parsed body is many times as large as its bytes; why one cannot be read is a line.
  const bytes = 'value' in found ? (response?.bytes.length ?? 0) : 0
  return { found, weight: 1 + values + Math.ceil(bytes / bytesPerValue) }
}

/** The body as a strict parser of UTF-8 and JSON reads it (RFC 8259), integers exact. */
export const anyBody = (exchange: Exchange): AnyBody => {
  const known = young.get(exchange)
  if (known) return known.found
  const { response } = exchange
  const parsed =
    old.get(exchange) ??
    weigh(response ? read(response) : { found: { fault: 'no answer' }, values: 0 }, exchange)
  remember(exchange, parsed)
  return parsed.found
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
