// Latencies as an HDR histogram: microseconds, three digits, bounded memory. hdr-histogram's door.
import { inflateSync } from 'node:zlib'
import * as hdr from 'hdr-histogram-js'
import type { Latency } from '../suites/kit/load-figures.ts'

export interface Histogram {
  /** Milliseconds, with any fraction; what is beyond an hour counts as an hour. */
  readonly record: (ms: number) => void
  readonly add: (other: Histogram) => void
  /** Takes away what another one holds, all of which was recorded here too. */
  readonly subtract: (other: Histogram) => void
  readonly count: () => number
  /**
   * The value that so many percent of all are at most, to three digits, in milliseconds; null where
   * there is none.
   */
  readonly percentile: (percent: number) => number | null
  /** All figures at once; null where nothing was recorded. */
  readonly latency: () => Latency | null
  /** Compressed (V2), as base64. */
  readonly encode: () => string
}

/** An answer that took longer than an hour is as late as one that took an hour. */
const longestUs = 3_600_000_000
const digits = 3

/** More than a full histogram can be when every one of its counts has its longest form. */
const encodedMostBytes = 512 * 1024

const inner = new WeakMap<Histogram, hdr.Histogram>()

export const createHistogram = (): Histogram =>
  wrap(
    hdr.build({
      bitBucketSize: 32,
      autoResize: false,
      lowestDiscernibleValue: 1,
      highestTrackableValue: longestUs,
      numberOfSignificantValueDigits: digits,
    }),
  )

const wrap = (histogram: hdr.Histogram): Histogram => {
  const ms = (us: number) => Math.min(us, histogram.maxValue) / 1_000
  const at = (percent: number) => ms(histogram.getValueAtPercentile(percent))
  const encode = () => hdr.encodeIntoCompressedBase64(histogram)
  const wrapped: Histogram = {
    record: (latencyMs) => {
      const us = Math.round(latencyMs * 1_000)
      if (!Number.isFinite(us)) throw new RangeError(`${latencyMs} ms is no latency`)
      histogram.recordValue(Math.min(Math.max(us, 0), longestUs))
    },
    add: (other) => histogram.add(innerOf(other)),
    subtract: (other) => histogram.subtract(innerOf(other)),
    count: () => histogram.totalCount,
    percentile: (percent) => (histogram.totalCount === 0 ? null : at(percent)),
    latency: () =>
      histogram.totalCount === 0
        ? null
        : {
            count: histogram.totalCount,
            meanMs: histogram.mean / 1_000,
            p50Ms: at(50),
            p90Ms: at(90),
            p99Ms: at(99),
            p999Ms: at(99.9),
            maxMs: ms(histogram.maxValue),
            hdr: encode(),
          },
    encode,
  }
  inner.set(wrapped, histogram)
  return wrapped
}

const innerOf = (histogram: Histogram): hdr.Histogram => {
  const found = inner.get(histogram)
  if (found) return found
  throw new TypeError('a histogram that was not made here')
}

/**
 * Reads what `encode` wrote.
 * @throws Error of one line where it is another histogram, or none
 */
export const decodeHistogram = (base64: string): Histogram => {
  const plain = plainOf(base64)
  const histogram = createHistogram()
  // The library believes all that a text states; what it made of it must come out again.
  if (!attempt(() => innerOf(histogram).add(hdr.decodeFromCompressedBase64(base64, 32)))) {
    throw fault('its counts cannot be read')
  }
  if (!plainOf(histogram.encode()).equals(plain)) throw fault('its counts contradict each other')
  return histogram
}

const fault = (words: string): Error => new Error(`no histogram of latencies: ${words}`)

const attempt = (act: () => void): boolean => {
  try {
    act()
    return true
  } catch {
    return false
  }
}

const compressedCookie = 0x1c849304
const plainCookie = 0x1c849303
const withoutWordSize = (cookie: number): number => cookie & ~0xf0

/** The histogram unpacked, once its stated sizes have been looked at. */
const plainOf = (base64: string): Buffer => {
  if (base64.length > 2 * encodedMostBytes) throw fault('it is too long')
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length < 16 || bytes.toString('base64') !== base64) throw fault('it is no base64')
  if (withoutWordSize(bytes.readInt32BE(0)) !== compressedCookie) throw fault('another form')
  if (bytes.readInt32BE(4) !== bytes.length - 8) throw fault('it is cut')
  const plain = inflated(bytes.subarray(8))
  if (plain === undefined || plain.length < 40) throw fault('it cannot be unpacked')
  if (withoutWordSize(plain.readInt32BE(0)) !== plainCookie) throw fault('another form')
  if (plain.readInt32BE(4) !== plain.length - 40) throw fault('it is cut')
  const isOurs =
    plain.readInt32BE(12) === digits &&
    plain.readBigInt64BE(16) === 1n &&
    plain.readBigInt64BE(24) === BigInt(longestUs)
  if (isOurs) return plain
  throw fault('another range')
}

const inflated = (bytes: Uint8Array): Buffer | undefined => {
  try {
    return inflateSync(bytes, { maxOutputLength: encodedMostBytes })
  } catch {
    return undefined
  }
}
