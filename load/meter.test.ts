// A meter counts every sample once; percentiles are those of the sorted latencies, to three digits.

import { expect, test } from 'vitest'
import type { Fate } from '../engine/check/run-file.ts'
import type { Sample } from './connection.ts'
import { loadRequest } from './load-server.ts'
import { createFates, Histogram, Meter } from './meter.ts'

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
  expect(new Histogram().latency()).toBeNull()
})

const filled = (values: readonly number[]) => {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

test('figures are in milliseconds, to three digits', () => {
  const latency = filled(Array.from({ length: 1_000 }, (_, at) => (at + 1) / 4)).latency()
  const near = (ms: number) => expect.closeTo(ms, 0)
  expect(latency).toMatchObject({ count: 1_000, p50Ms: near(125), p90Ms: near(225) })
  expect(latency).toMatchObject({ p99Ms: near(247.5), maxMs: near(250), meanMs: near(125) })
})

test('a latency is kept within its bounds, and what is none is refused', () => {
  const histogram = filled([-0.2, 1e12])
  expect(histogram.latency()).toMatchObject({ p50Ms: 0, maxMs: 3_600_000 })
  expect(() => histogram.record(Number.NaN)).toThrow('NaN ms is not a latency')
})

const statusSample = (status: number, sentMs: number, waitMs?: number): Sample => ({
  key: 'free-1',
  response: {
    status,
    headers: waitMs === undefined ? [] : [['Retry-After', `${waitMs / 1_000}`]],
    ...{ bytes: Buffer.of(), cut: false },
  },
  ...{ noResponse: null, sentMs, receivedMs: sentMs + 1 },
})

const timed = (one: Sample) => ({ ...one, at: '', apiRequest: loadRequest })

/** The fates of statuses in turn, one a second, with these waits in the refusals. */
const fatesOf = (given: readonly (readonly [status: number, waitMs?: number])[]) => {
  const fateOf = createFates(timed)
  return given.map(([status, waitMs], at) => fateOf(statusSample(status, at * 1_000, waitMs)))
}

test.for<[string, Parameters<typeof fatesOf>[0], string]>([
  ['each 2xx is served', [[200], [201]], 'served served'],
  [
    'each other response has one fate',
    [[302], [404], [401], [403], [503]],
    'otherClientError otherClientError otherClientError otherClientError serverError',
  ],
  [
    'a wait that ends later than the first one is that of a ban',
    [30_000, 29_000, 90_000].map((ms) => [429, ms]),
    'refused refused banned',
  ],
  [
    'a bucket states a later moment each time, and bans nobody',
    [1_000, 1_000, 1_000].map((ms) => [429, ms]),
    'refused refused refused',
  ],
  [
    '401 and 403 are a ban after a refusal, and not before',
    [[403], [429, 30_000], [403], [401]],
    'otherClientError refused banned banned',
  ],
  [
    'a key that is served again begins anew',
    [[429, 2_000], [200], [403], [429, 60_000]],
    'refused served otherClientError refused',
  ],
])('%s', ([, given, fates]) => {
  expect(fatesOf(given).join(' ')).toBe(fates)
})

test('what was lost is what it was lost by', () => {
  const fateOf = createFates(timed)
  for (const noResponse of ['timeout', 'reset'] as const) {
    expect(fateOf({ ...statusSample(0, 0), response: null, noResponse })).toBe(noResponse)
  }
})

test('a request in flight with a refusal does not end it', () => {
  const fateOf = createFates(timed)
  expect(fateOf(statusSample(429, 10, 30_000))).toBe('refused')
  expect(fateOf(statusSample(200, 10))).toBe('served')
  expect(fateOf(statusSample(403, 12))).toBe('banned')
})
