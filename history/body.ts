// The body of a response: decoded, and kept up to a limit, so that no zip bomb is unpacked; and how
// it reads: as a value, as a fault, or not at all.
import { isUtf8 } from 'node:buffer'
import * as zlib from 'node:zlib'
import {
  type Exchange,
  type Header,
  headerValues,
  isSuccess,
  type ReceivedResponse,
  recognizeOperation,
} from './exchange.ts'
import { isObject, type Json, type JsonObject, jsonFault, parseJson, TooLarge } from './json.ts'
import { Unread } from './outcome.ts'
import { noJson, type Unreadable } from './value-kinds.ts'

/** A longer body is not read. */
export const maxBodyBytes = 1024 * 1024

/** A body that has not ended by then, decoded, has no end as far as a run can know. */
export const maxEndBytes = 16 * maxBodyBytes

/** How much is kept of a longer one than is read: enough to show what it was. */
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

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants

type Decode = (
  bytes: Uint8Array,
  bounds: { readonly maxOutputLength: number; readonly finishFlush?: number },
) => Uint8Array

const inflate: Decode = (bytes, bounds) =>
  isZlib(bytes) ? zlib.inflateSync(bytes, bounds) : zlib.inflateRawSync(bytes, bounds)

/** By coding: throws if the bytes are not in it, or do not end in time; how a cut body ends. */
const decoders: Readonly<Record<string, readonly [Decode, finishFlush: number]>> = {
  gzip: [zlib.gunzipSync, Z_SYNC_FLUSH],
  'x-gzip': [zlib.gunzipSync, Z_SYNC_FLUSH],
  deflate: [inflate, Z_SYNC_FLUSH],
  br: [zlib.brotliDecompressSync, BROTLI_OPERATION_FLUSH],
  zstd: [zlib.zstdDecompressSync, ZSTD_e_flush],
}

/** In the order in which they were applied; transfer codings other than `chunked` included. */
export const readCodings = (headers: readonly Header[]): string[] => {
  const message = { at: '', response: { headers } }
  return ['content-encoding', 'transfer-encoding']
    .flatMap((name) => headerValues(message, name))
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => !['', 'identity', 'chunked'].includes(coding))
}

const decode = (response: ReceivedResponse): ReceivedResponse => {
  const { bytes, cut } = response
  const codings = readCodings(response.headers)
  if (codings.length === 0 || bytes.length === 0) return response
  const areKnown =
    codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding))
  if (!areKnown) return { ...response, encoded: 'unknown' }
  try {
    const decodeOne = (all: Uint8Array, coding: string): Uint8Array => {
      const [decoder, finishFlush = 0] = decoders[coding] ?? []
      // As much as there is of a body that was cut.
      const bounds = { maxOutputLength: maxEndBytes, ...(cut && { finishFlush }) }
      return decoder?.(all, bounds) ?? all
    }
    return { ...response, bytes: codings.reduceRight(decodeOne, bytes) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw error
    return { ...response, encoded: 'faulty' }
  }
}

/**
 * The response with its body decoded, as far as that is possible, and cut if it is too long.
 * @throws ERR_BUFFER_TOO_LARGE if the decoded body does not end in time
 */
export const decoded = (response: ReceivedResponse): ReceivedResponse => {
  const found = decode(response)
  return found.cut || found.bytes.length > maxBodyBytes ? cutShort(found) : found
}

const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The body as text, with U+FFFD where it is no UTF-8. */
export const bodyText = ({ response }: Exchange): string =>
  response ? lenientUtf8.decode(response.bytes) : ''

/** `coding`, `more`: follow the words of the fault. `usable`: what a lenient reader takes. */
type ReadBody =
  | { readonly value: Json }
  | {
      readonly fault: Unreadable
      readonly coding?: string
      readonly more?: string
      readonly usable?: Json
    }

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
      ? { fault: 'a body that is not in the coding it names', coding: `, ${coding}` }
      : { unread: `a body in the coding ${coding} is not read` }
  }
  try {
    return readText(response.bytes)
  } catch (error) {
    if (error instanceof TooLarge) return { unread: `a body ${error.message} is not read` }
    if (error instanceof SyntaxError) return { fault: noJson, more: `: ${jsonFault(error)}` }
    throw error
  }
}

/** Parsed bodies are kept up to so many bytes: they take many times as much memory. */
const maxKeptBytes = 4 * 1024 * 1024

interface Bodies {
  /** As a strict parser of UTF-8 and JSON reads it (RFC 8259), integers exact. */
  readonly strict: AnyBody
  /** Of a success, as what needs a list or a pet can use it. */
  readonly usable: AnyBody
}

let kept = new WeakMap<Exchange, Bodies>()
let keptBytes = 0

const bodiesOf = (exchange: Exchange): Bodies => {
  const known = kept.get(exchange)
  if (known) return known
  const { response } = exchange
  const strict: AnyBody = response ? read(response) : { fault: 'no answer' }
  const bodies = { strict, usable: isSuccess(exchange) ? usableIn(strict, exchange) : strict }
  // Why a body is not read takes no memory.
  const bytes = 'unread' in strict ? 0 : (response?.bytes.length ?? 0)
  if (keptBytes + bytes > maxKeptBytes) {
    kept = new WeakMap()
    keptBytes = 0
  }
  kept.set(exchange, bodies)
  keptBytes += bytes
  return bodies
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

const usableIn = (body: AnyBody, exchange: Exchange): AnyBody => {
  const value = 'value' in body ? body.value : 'usable' in body ? body.usable : undefined
  if (value === undefined) return body
  return { value: (recognizeOperation(exchange) === 'list' ? listIn : petIn)(value) }
}

/** @throws Unread */
const unlessUnread = (body: AnyBody, exchange: Exchange): ReadBody => {
  if ('unread' in body) throw new Unread(body.unread, exchange)
  return body
}

/** Whether the body is not read: too long, too deep, or in an unknown coding. */
export const isUnread = (exchange: Exchange): boolean => 'unread' in bodiesOf(exchange).strict

/**
 * The body of a success as a check reads it that needs a list or a pet to work with: out of an
 * envelope, without a byte order mark, with ids as integers. What is wrong with the form fails
 * checks of its own.
 * @throws Unread: then nothing that it holds is known
 */
export const usableBody = (exchange: Exchange): ReadBody =>
  unlessUnread(bodiesOf(exchange).usable, exchange)

/**
 * Whether a response can be used: a success, whatever its status, with such a body; one that is not
 * read may be one. Another status than the interface names fails its own check.
 */
export const isSuch = (exchange: Exchange, test: (value: Json) => boolean): boolean => {
  if (!isSuccess(exchange) || isUnread(exchange)) return isSuccess(exchange)
  const body = usableBody(exchange)
  return 'value' in body && test(body.value)
}

/** @throws Unread: then nothing that it holds is known */
export const readBody = (exchange: Exchange): ReadBody =>
  unlessUnread(bodiesOf(exchange).strict, exchange)

const objectBy = (readAs: typeof readBody) => (exchange: Exchange) => {
  const body = readAs(exchange)
  return 'value' in body && isObject(body.value) ? body.value : undefined
}

/** The body as it is, if it is one JSON object. @throws Unread */
export const bodyObject = objectBy(readBody)

/** The usable body, if it is one JSON object. @throws Unread */
export const usableObject = objectBy(usableBody)
