// The meter: the sums, and a line for each second of each key.
import { expect, test } from 'vitest'
import type { Fate } from '../engine/load-figures.ts'
import type { Sample } from './load-form.ts'
import { createMeter } from './meter.ts'

const sample = (key: string, ms: number): Sample => ({
  key,
  status: 200,
  lost: null,
  sentMs: 0,
  ms,
  rawHeaders: [],
  body: null,
})

const measured = (given: readonly [atMs: number, key: string, fate: Fate, ms: number][]) => {
  const time = { ms: 0 }
  const meter = createMeter(() => time.ms)
  for (const [atMs, key, fate, ms] of given) {
    time.ms = atMs
    const isLost = fate === 'timeout' || fate === 'reset'
    meter.take({ ...sample(key, ms), lost: isLost ? fate : null }, fate)
  }
  meter.neverSent(3)
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

test('the seconds tell what came in them; those without a request are left out', () => {
  expect(figures.seconds.map(({ second, key }) => [second, key])).toEqual([
    [0, 'free-1'],
    [0, 'pro-1'],
    [1, 'free-1'],
    [121, 'free-1'],
  ])
  const [first, , lost] = figures.seconds
  expect(first).toMatchObject({ counts: { served: 2 }, p99Ms: 6 })
  expect(lost).toMatchObject({ counts: { timeout: 1 }, p99Ms: null })
})

test('only whole answers have a latency', () => {
  expect(figures.latency?.count).toBe(4)
  expect(figures.latency?.maxMs).toBeCloseTo(8, 1)
})

test('nothing measured is nothing', () => {
  expect(measured([])).toMatchObject({ sent: 0, latency: null, seconds: [] })
})
