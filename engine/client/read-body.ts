// Reads the body of a response, and removes a content coding, although none was requested: both
// up to a limit, so that an endless body is cut and a zip bomb is never unpacked.
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Header, ReceivedResponse } from '../exchange.ts'

const maxBodyBytes = 1024 * 1024

/** How much is kept of a longer one: enough to show what it was. */
const maxCutBytes = 64 * 1024

/** A body with more codings than this is left encoded. */
const maxCodings = 3

/** @returns the bytes; of a body beyond 1 MiB the first 64 KiB, and its source is destroyed */
export const readBytes = async (
  body: AsyncIterable<Buffer>,
): Promise<[Uint8Array, cut: boolean]> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBodyBytes) {
      return [new Uint8Array(Buffer.concat(chunks).subarray(0, maxCutBytes)), true]
    }
  }
  return [Buffer.concat(chunks), false]
}

/** `deflate` means the zlib format; by a common error some servers send raw deflate data. */
const isZlib = ([first = 0]: Uint8Array): boolean => (first & 0x0f) === 8

type Decoder = (bytes: Uint8Array) => Transform

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: (bytes) => (isZlib(bytes) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
}

/** In the order in which they were applied; transfer codings other than `chunked` included. */
export const codingsOf = (headers: readonly Header[]): string[] => {
  const named = (wanted: string) =>
    headers
      .filter(([name]) => name.toLowerCase() === wanted)
      .flatMap(([, value]) => value.toLowerCase().split(','))
      .map((coding) => coding.trim())
      .filter((coding) => !['', 'identity', 'chunked'].includes(coding))
  return [...named('content-encoding'), ...named('transfer-encoding')]
}

const unpack = async (bytes: Uint8Array, decoder: Transform): ReturnType<typeof readBytes> => {
  decoder.end(bytes)
  try {
    return await readBytes(decoder)
  } finally {
    decoder.destroy()
  }
}

/** The response with its body decoded, as far as that is possible. */
export const decoded = async (response: ReceivedResponse): Promise<ReceivedResponse> => {
  const codings = codingsOf(response.headers)
  if (codings.length === 0 || response.bytes.length === 0) return response
  const areKnown =
    codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding))
  if (response.cut || !areKnown) return { ...response, encoded: 'unknown' }
  let { bytes } = response
  for (const coding of codings.toReversed()) {
    try {
      const [unpacked, cut] = await unpack(bytes, (decoders[coding] as Decoder)(bytes))
      if (cut) return { ...response, bytes: unpacked, cut }
      bytes = unpacked
    } catch {
      return { ...response, encoded: 'faulty' }
    }
  }
  return { ...response, bytes }
}
