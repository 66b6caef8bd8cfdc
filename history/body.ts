// The body of a response: read up to a limit and decoded, so that an endless body is cut and a zip
// bomb is never unpacked; and how it reads: as a value, as a fault, or not at all.
import { isUtf8 } from 'node:buffer'
import * as zlib from 'node:zlib'
import {
  type Exchange,
  type Header,
  isSuccess,
  type ReceivedResponse,
  recognizeOperation,
} from './exchange.ts'
import { isObject, type Json, type JsonObject, jsonFault, parseJson, TooLarge } from './json.ts'
import { Untested } from './outcome.ts'
import { noJson } from './value-kinds.ts'

/** A longer body is not read. */
export const maxBodyBytes = 1024 * 1024

/** How much is kept of a longer one: enough to show what it was. */
export const maxCutBytes = 8 * 1024

/** A response as it is kept where its body is too long to be read. */
export const cutShort = (response: ReceivedResponse): ReceivedResponse => ({
  ...response,
  // A copy, so that the rest of it is not kept.
  bytes: new Uint8Array(response.bytes.subarray(0, maxCutBytes)),
  cut: true,
})

/** A body with more codings than this is left encoded. */
const maxCodings = 3

/** `deflate` means the zlib format; by a common error some servers send raw deflate data. */
const isZlib = ([first = 0]: Uint8Array): boolean => (first & 0x0f) === 8

const bounds = { maxOutputLength: maxBodyBytes }

/** @throws if the bytes are not in that coding, or of more than a body may have */
const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes, bounds),
  'x-gzip': (bytes) => zlib.gunzipSync(bytes, bounds),
  deflate: (bytes) =>
    isZlib(bytes) ? zlib.inflateSync(bytes, bounds) : zlib.inflateRawSync(bytes, bounds),
  br: (bytes) => zlib.brotliDecompressSync(bytes, bounds),
  zstd: (bytes) => zlib.zstdDecompressSync(bytes, bounds),
}

/** In the order in which they were applied; transfer codings other than `chunked` included. */
export const readCodings = (headers: readonly Header[]): string[] => {
  const named = (wanted: string) =>
    headers
      .filter(([name]) => name.toLowerCase() === wanted)
      .flatMap(([, value]) => value.toLowerCase().split(','))
      .map((coding) => coding.trim())
      .filter((coding) => !['', 'identity', 'chunked'].includes(coding))
  return [...named('content-encoding'), ...named('transfer-encoding')]
}

/** The response with its body decoded, as far as that is possible. */
export const decoded = (response: ReceivedResponse): ReceivedResponse => {
  const codings = readCodings(response.headers)
  if (codings.length === 0 || response.bytes.length === 0) return response
  const areKnown =
    codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding))
  if (response.cut || !areKnown) return { ...response, encoded: 'unknown' }
  try {
    const bytes = codings.reduceRight(
      (all, coding) => decoders[coding]?.(all) ?? all,
      response.bytes,
    )
    return { ...response, bytes }
  } catch (error) {
    const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isLong
      ? { ...cutShort(response), encoded: 'unknown' }
      : { ...response, encoded: 'faulty' }
  }
}

const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The body as text, with U+FFFD where it is no UTF-8. */
export const bodyText = ({ response }: Exchange): string =>
  response ? lenientUtf8.decode(response.bytes) : ''

/** `usable`: what a lenient reader takes it for. */
type ReadBody = { readonly value: Json } | { readonly fault: string; readonly usable?: Json }

/** `unread`: why it is not read, which says nothing about the target. */
type AnyBody = ReadBody | { readonly unread: string }

const mark = '\uFEFF'

const readText = (bytes: Uint8Array): AnyBody => {
  if (!isUtf8(bytes)) return { fault: 'a body that is no UTF-8' }
  const text = lenientUtf8.decode(bytes)
  if (text.startsWith(mark)) {
    const rest = readText(bytes.subarray(Buffer.byteLength(mark)))
    const usable = 'value' in rest && { usable: rest.value }
    return { fault: 'a body that begins with a byte order mark', ...usable }
  }
  return { value: parseJson(text) }
}

const tooLong = 'a body beyond 1 MiB is not read, nor beyond 64 KiB once a run has kept 24 MiB'

const read = (response: ReceivedResponse): AnyBody => {
  if (response.cut) return { unread: tooLong }
  if (response.bytes.length === 0) return { fault: 'an empty body' }
  if (response.encoded) {
    const coding = readCodings(response.headers).join(', ')
    return response.encoded === 'faulty'
      ? { fault: `a body that is not in the coding it names, ${coding}` }
      : { unread: `a body in the coding ${coding} is not read` }
  }
  try {
    return readText(response.bytes)
  } catch (error) {
    if (error instanceof TooLarge) return { unread: `a body ${error.message} is not read` }
    if (error instanceof SyntaxError) return { fault: `${noJson}: ${jsonFault(error)}` }
    throw error
  }
}

/** Parsed bodies are kept up to so many bytes: they take many times as much memory. */
const maxKeptBytes = 4 * 1024 * 1024

let kept = new WeakMap<Exchange, AnyBody>()
let keptBytes = 0

/** The body as a strict parser of UTF-8 and JSON reads it (RFC 8259), integers exact. */
const anyBody = (exchange: Exchange): AnyBody => {
  const known = kept.get(exchange)
  if (known) return known
  const { response } = exchange
  const body = response ? read(response) : { fault: 'no answer' }
  // Why a body is not read takes no memory.
  const bytes = 'unread' in body ? 0 : (response?.bytes.length ?? 0)
  if (keptBytes + bytes > maxKeptBytes) {
    kept = new WeakMap()
    keptBytes = 0
  }
  kept.set(exchange, body)
  keptBytes += bytes
  return body
}

/** The member of a pet that is its id under another name: `petId`, `_id`. */
const otherId = (pet: JsonObject): Json | undefined => {
  const names = Object.keys(pet).filter((name) => /id$/i.test(name) && !/^category/i.test(name))
  return names.length === 1 ? pet[names[0] ?? ''] : undefined
}

/** An id as text is read as the integer that it spells; without an id, one of another name. */
const withIntegerId = (pet: Json): Json => {
  if (!isObject(pet)) return pet
  const id = 'id' in pet ? pet.id : otherId(pet)
  if (typeof id === 'bigint') return id === pet.id ? pet : { ...pet, id }
  return typeof id === 'string' && /^-?\d{1,19}$/.test(id) ? { ...pet, id: BigInt(id) } : pet
}

/** What meets a test: a value itself, or else the only one that it holds. */
const unwrapped = (value: Json, test: (part: Json) => boolean): Json => {
  const found = test(value) ? [value] : Object.values(Object(value) as JsonObject).filter(test)
  return found.length === 1 ? (found[0] as Json) : value
}

const hasId = (value: Json): boolean =>
  isObject(value) && ('id' in value || otherId(value) !== undefined)

/** A pet, also out of an envelope or out of a list that holds nothing else. */
const petIn = (value: Json): Json => withIntegerId(unwrapped(value, hasId))

/** The pets of a list, also out of an envelope; null is no pet, and stands for none. */
const listIn = (value: Json): Json => {
  const list = unwrapped(value, Array.isArray)
  if (!Array.isArray(list)) return value
  const isPlain = list.every((pet) => pet !== null && withIntegerId(pet) === pet)
  return isPlain ? list : list.filter((pet) => pet !== null).map(withIntegerId)
}

/** A body that is not read says nothing about the target. @throws Untested (ambiguous) */
const unlessUnread = (body: AnyBody, exchange: Exchange): ReadBody => {
  if ('unread' in body) throw new Untested('ambiguous', body.unread, [exchange])
  return body
}

/** Whether the body is not read: too long, too deep, or in an unknown coding. */
export const isUnread = (exchange: Exchange): boolean => 'unread' in anyBody(exchange)

/**
 * The body of a success as a check reads it that needs a list or a pet to work with: out of an
 * envelope, without a byte order mark, with ids as integers. What is wrong with the form fails
 * checks of its own.
 * @throws Untested (ambiguous) where it is not read: then nothing that it holds is known
 */
export const usableBody = (exchange: Exchange): ReadBody => {
  const body = unlessUnread(anyBody(exchange), exchange)
  const value = 'value' in body ? body.value : body.usable
  if (!isSuccess(exchange) || value === undefined) return body
  const valueIn = recognizeOperation(exchange) === 'list' ? listIn : petIn
  return { value: valueIn(value) }
}

/**
 * Whether a response can be used: a success, whatever its status, with such a body; one that is not
 * read may be one. Another status than the interface names fails its own check.
 */
export const isSuch = (exchange: Exchange, test: (value: Json) => boolean): boolean => {
  if (!isSuccess(exchange) || isUnread(exchange)) return isSuccess(exchange)
  const body = usableBody(exchange)
  return 'value' in body && test(body.value)
}

/** @throws Untested (ambiguous) where it is not read: then nothing that it holds is known */
export const readBody = (exchange: Exchange): ReadBody => unlessUnread(anyBody(exchange), exchange)

const objectBy = (readAs: typeof readBody) => (exchange: Exchange) => {
  const body = readAs(exchange)
  return 'value' in body && isObject(body.value) ? body.value : undefined
}

/** The body as it is, if it is one JSON object. @throws Untested (ambiguous) if not read */
export const bodyObject = objectBy(readBody)

/** The usable body, if it is one JSON object. @throws Untested (ambiguous) if not read */
export const usableObject = objectBy(usableBody)
