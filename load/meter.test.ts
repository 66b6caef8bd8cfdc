// A meter counts every sample once; percentiles are those of the sorted latencies, to three digits.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Fate } from '../engine/check/run-file.ts'
import type { Sample } from './load-sample.ts'
import { Histogram, Meter } from './meter.ts'

const sample = (key: string, ms: number): Sample => ({
  key,
  response: { status: 200, headers: [], bytes: Buffer.of(), cut: false },
  ...{ noResponse: null, sentMs: 0, receivedMs: ms },
})

const measured = (given: readonly [atMs: number, key: string, fate: Fate, ms: number][]) => {
  const meter = new Meter()
  for (const [atMs, key, fate, ms] of given) {
    const isLost = fate === 'timeout' || fate === 'reset'
    meter.take({ ...sample(key, ms), ...(isLost && { response: null }) }, fate, atMs)
  }
  meter.neverSent += 3
  return meter.figures()
}

const figures = measured([
  [10, 'free-1', 'served', 4],
  [20, 'free-1', 'served', 6],
  [999, 'pro-1', 'refused', 2],
  [1_500, 'free-1', 'timeout', 100],
  [121_000, 'free-1', 'served', 8],
])

test('the counts add up to what was sent, in all and by key', () => {
  const { sent, neverSent, counts, countsByKey } = figures
  const sum = (all: object) => Object.values(all).reduce((total, each) => total + each, 0)
  expect([sent, neverSent, sum(counts)]).toEqual([5, 3, 5])
  expect(sum(countsByKey['free-1'] ?? {})).toBe(4)
  expect(counts).toMatchObject({ served: 3, refused: 1, timeout: 1, reset: 0 })
})

test('each second has its own counts; those without a request are left out', () => {
  expect(figures.seconds.map(({ second, key }) => [second, key])).toEqual([
    [0, 'free-1'],
    [0, 'pro-1'],
    [1, 'free-1'],
    [120, 'free-1'],
  ])
  const [first, , lost] = figures.seconds
  expect(first).toMatchObject({ counts: { served: 2 } })
  expect(lost).toMatchObject({ counts: { timeout: 1 } })
})

test('only complete responses have a latency', () => {
  expect(figures.latency?.count).toBe(4)
  expect(figures.latency?.maxMs).toBeCloseTo(8, 1)
})

test('nothing measured is nothing', () => {
  expect(measured([])).toMatchObject({ sent: 0, latency: null, seconds: [] })
})

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
  const histogram = new Histogram()
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
  expect(new Histogram().latency()).toBeNull()
})

test('a latency is kept within its bounds, and what is none is refused', () => {
  const histogram = filled([-0.2, 1e12])
  expect(histogram.latency()).toMatchObject({ p50Ms: 0, maxMs: 3_600_000 })
  expect(() => histogram.record(Number.NaN)).toThrow('NaN ms is not a latency')
})
