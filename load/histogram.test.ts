// Percentiles are those of the sorted latencies, within the three digits that are kept.
import { deflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHistogram, decodeHistogram } from './histogram.ts'

/** The nearest-rank percentile of a list. */
const exactPercentile = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = Math.max(1, Math.ceil((percent * sorted.length) / 100 - 1e-9))
  return sorted[rank - 1] ?? Number.NaN
}

/** One part in a thousand, and half a microsecond of rounding. */
const close = (seen: number | null | undefined, exact: number): boolean =>
  seen !== null && seen !== undefined && Math.abs(seen - exact) <= exact / 1_000 + 0.000_51

const filled = (values: readonly number[]) => {
  const histogram = createHistogram()
  for (const value of values) histogram.record(value)
  return histogram
}

const latencies = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 3, noNaN: true }),
    fc.double({ min: 0, max: 60_000, noNaN: true }),
    fc.integer({ min: 0, max: 3_600_000 }),
  ),
  { minLength: 1, maxLength: 400 },
)
const parameters = { seed: 4, numRuns: 100 }

test('every percentile is that of the sorted list', () => {
  fc.assert(
    fc.property(latencies, fc.double({ min: 0.1, max: 100, noNaN: true }), (values, percent) => {
      const histogram = filled(values)
      for (const each of [percent, 50, 90, 99, 99.9, 100]) {
        const exact = exactPercentile(values, each)
        expect(close(histogram.percentile(each), exact), `${each} %: ${exact}`).toBe(true)
      }
      const latency = histogram.latency()
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(latency?.count).toBe(values.length)
      expect(close(latency?.meanMs, mean)).toBe(true)
      expect(close(latency?.maxMs, Math.max(...values))).toBe(true)
    }),
    parameters,
  )
})

test('merged from parts, by way of text, it is the histogram of the whole', () => {
  fc.assert(
    fc.property(latencies, latencies, (some, others) => {
      const merged = decodeHistogram(filled(some).encode())
      merged.add(decodeHistogram(filled(others).encode()))
      expect(merged.encode()).toBe(filled([...some, ...others]).encode())
      for (const percent of [50, 99, 99.9]) {
        const exact = exactPercentile([...some, ...others], percent)
        expect(close(merged.percentile(percent), exact)).toBe(true)
      }
    }),
    parameters,
  )
})

test('nothing recorded is no latency', () => {
  const histogram = createHistogram()
  expect(histogram.latency()).toBeNull()
  expect(histogram.percentile(50)).toBeNull()
  expect(decodeHistogram(histogram.encode()).count()).toBe(0)
})

test('what is taken away was never there', () => {
  const all = filled([1, 2, 30, 30])
  all.subtract(filled([30, 30]))
  expect(all.count()).toBe(2)
  expect(all.percentile(100)).toBe(2)
})

test('a latency is kept within its bounds, and what is none is refused', () => {
  const histogram = filled([-0.2, 1e12])
  expect(histogram.percentile(50)).toBe(0)
  expect(histogram.percentile(100)).toBe(3_600_000)
  expect(() => histogram.record(Number.NaN)).toThrow('NaN ms is no latency')
})

test('its text does not grow with what was recorded', () => {
  const histogram = createHistogram()
  for (let index = 0; index < 200_000; index += 1) histogram.record((index * 7919) % 60_000)
  expect(histogram.encode().length).toBeLessThan(40_000)
})

describe('what is no histogram is refused in one line', () => {
  const packed = (plain: Buffer) => {
    const body = deflateSync(plain)
    const head = Buffer.alloc(8)
    head.writeInt32BE(0x1c849314, 0)
    head.writeInt32BE(body.length, 4)
    return Buffer.concat([head, body]).toString('base64')
  }
  /** A plain header that states what it likes. */
  const plain = (digits: number, mostUs: bigint, counts: Buffer) => {
    const head = Buffer.alloc(40)
    head.writeInt32BE(0x1c849313, 0)
    head.writeInt32BE(counts.length, 4)
    head.writeInt32BE(digits, 12)
    head.writeBigInt64BE(1n, 16)
    head.writeBigInt64BE(mostUs, 24)
    return Buffer.concat([head, counts])
  }
  const whole = filled([1, 2, 3]).encode()
  test.for([
    ['nothing', '', 'no base64'],
    ['words', 'not a histogram at all', 'no base64'],
    ['another form', Buffer.alloc(64).toString('base64'), 'another form'],
    ['a cut one', Buffer.from(whole, 'base64').subarray(0, -3).toString('base64'), 'it is cut'],
    ['no packing', `${whole.slice(0, 12)}${'A'.repeat(whole.length - 12)}`, ''],
    ['one that unpacks for ever', packed(Buffer.alloc(9_000_000)), 'cannot be unpacked'],
    ['a range of its own', packed(plain(5, 2n ** 53n, Buffer.alloc(0))), 'another range'],
    [
      'a length that lies',
      packed(plain(3, 3_600_000_000n, Buffer.alloc(9)).subarray(0, 45)),
      'cut',
    ],
    ['counts beyond the end', packed(plain(3, 3_600_000_000n, Buffer.alloc(90_000, 2))), 'counts'],
    ['too long a text', 'A'.repeat(2_000_000), 'too long'],
  ])('%s', ([, text = '', says = '']) => {
    expect(() => decodeHistogram(text)).toThrow(/^no histogram of latencies: [^\n]+$/)
    expect(() => decodeHistogram(text)).toThrow(says)
  })
})
