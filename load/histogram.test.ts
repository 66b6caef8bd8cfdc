// Percentiles are those of the sorted latencies, within the three digits that are kept.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHistogram } from './histogram.ts'

/** The nearest-rank percentile of a list. */
const exactPercentile = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = Math.max(1, Math.ceil((percent * sorted.length) / 100 - 1e-9))
  return sorted[rank - 1] ?? Number.NaN
}

/** One part in a thousand, and half a microsecond of rounding. */
const close = (seen: number | undefined, exact: number): boolean =>
  seen !== undefined && Math.abs(seen - exact) <= exact / 1_000 + 0.000_51

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

test('every figure is that of the sorted list', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const latency = filled(values).latency()
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(latency?.count).toBe(values.length)
      expect(close(latency?.meanMs, mean)).toBe(true)
      for (const [percent, seen] of [
        [50, latency?.p50Ms],
        [90, latency?.p90Ms],
        [99, latency?.p99Ms],
        [99.9, latency?.p999Ms],
        [100, latency?.maxMs],
      ] as const) {
        const exact = exactPercentile(values, percent)
        expect(close(seen, exact), `${percent} %: ${exact}`).toBe(true)
      }
    }),
    { seed: 4, numRuns: 100 },
  )
})

test('nothing recorded is no latency', () => {
  expect(createHistogram().latency()).toBeNull()
})

test('a latency is kept within its bounds, and what is none is refused', () => {
  const histogram = filled([-0.2, 1e12])
  expect(histogram.latency()).toMatchObject({ p50Ms: 0, maxMs: 3_600_000 })
  expect(() => histogram.record(Number.NaN)).toThrow('NaN ms is no latency')
})
