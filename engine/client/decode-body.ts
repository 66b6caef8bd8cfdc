// Takes the coding off a body that came in one, although none was asked for, within the same cap.
import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { Header, ReceivedResponse } from '../exchange.ts'
import { readBytes } from './read-body.ts'

/** More codings than this on one body are left as they are. */
const maxCodings = 3

/** A body in `deflate` has the frame of zlib, or by a common error none. */
const isZlib = ([first = 0]: Uint8Array): boolean => (first & 0x0f) === 8

type Decoder = (bytes: Uint8Array) => Transform

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (bytes) => (isZlib(bytes) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

const areKnown = (codings: readonly string[]): boolean =>
  codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding))

/** In the order in which they were applied; a transfer coding but that of chunks is one as well. */
export const codingsOf = (headers: readonly Header[]): string[] => {
  const named = (wanted: string) =>
    headers
      .filter(([name]) => name.toLowerCase() === wanted)
      .flatMap(([, value]) => value.toLowerCase().split(','))
      .map((coding) => coding.trim())
      .filter((coding) => !['', 'identity', 'chunked'].includes(coding))
  return [...named('content-encoding'), ...named('transfer-encoding')]
}

/** Reads on only while there is room, so that a bomb is never unpacked. */
const unpack = async (bytes: Uint8Array, decoder: Transform): ReturnType<typeof readBytes> => {
  decoder.end(bytes)
  try {
    return await readBytes(decoder)
  } finally {
    decoder.destroy()
  }
}

/** The response with its body decoded, as far as it can be. */
export const decoded = async (response: ReceivedResponse): Promise<ReceivedResponse> => {
  const codings = codingsOf(response.headers)
  if (codings.length === 0 || response.bytes.length === 0) return response
  if (response.cut || !areKnown(codings)) return { ...response, encoded: 'unknown' }
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
