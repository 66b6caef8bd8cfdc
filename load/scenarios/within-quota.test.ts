// `steady` and `soak` keep their pace within the quota whatever the server does; `capacity` finds
// where more connections are of no use, and never overdraws the key.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  beginFakeTime,
  type FakeLaneParts,
  fakeLane,
  runOnLane,
} from '../../tests/fakes/fake-lane.ts'
import { capacity, soak, steady } from './within-quota.ts'

beforeEach(beginFakeTime)
afterEach(() => {
  vi.useRealTimers()
})

const free = { perMinute: 60, perDay: 1_000 }
const business = { perMinute: 1_000, perDay: 100_000 }
const large = { perMinute: 10_000_000, perDay: 50_000_000 }

/** The most requests in any minute. */
const maxInMinute = (sentMs: readonly number[]): number =>
  Math.max(...sentMs.map((from) => sentMs.filter((ms) => ms >= from && ms < from + 60_000).length))

describe('the pace', () => {
  test('is even, at 80 % of the quota of a minute', async () => {
    const { lane, sentMs } = fakeLane({ quota: free, durationMs: 120_000 })
    await runOnLane(steady, lane, 0)
    expect(sentMs).toHaveLength(96)
    expect(maxInMinute(sentMs)).toBeLessThanOrEqual(48)
    const gaps = sentMs.slice(1).map((ms, index) => ms - (sentMs[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThan(1_270)
    expect(Math.min(...gaps)).toBeGreaterThan(1_230)
  })

  test('is the same share of a minute where three lanes take turns', async () => {
    const { lane, sentMs } = fakeLane({ quota: business, durationMs: 120_000, lanes: 3 })
    await runOnLane(steady, lane, 10_000)
    expect(sentMs.length).toBeGreaterThanOrEqual(1_590)
    expect(maxInMinute(sentMs)).toBeLessThanOrEqual(800)
  })

  test('does not overdraw the quota where the other lanes are done at once', async () => {
    const { lane, sentMs } = fakeLane({ quota: business, durationMs: 120_000, lanes: 3 })
    await runOnLane(steady, lane, 0)
    expect(maxInMinute(sentMs)).toBeLessThanOrEqual(800)
  })

  test('leaves a fifth of the day', async () => {
    const quota = { perMinute: 60, perDay: 100 }
    const { lane, sentMs } = fakeLane({ quota, durationMs: 600_000 })
    await runOnLane(steady, lane, 0)
    expect(sentMs).toHaveLength(80)
  })
})

test('latencies count from when a request was due, and all that failed is a warning', async () => {
  const { lane } = fakeLane({
    quota: business,
    durationMs: 20_000,
    reply: (_, before) => ({ ms: before % 2 ? 20 : 4, status: before % 50 === 7 ? 503 : 200 }),
  })
  const said = await runOnLane(steady, lane, 0)
  expect(said['load-steady-latency']).toMatch(
    /^p50 4\.\d+ ms, p99 20\.\d ms, max 2\d\.\d ms of 266 responses at 13\.3 \/s, from the time at/,
  )
  expect(said['load-steady-errors']).toEqual({ warn: '6 of 266 requests failed (6 a 5xx)' })
})

describe('a refusal', () => {
  const refused = { ms: 1, status: 429, headers: { 'Retry-After': '30' } }

  test('ends the slice, and its Retry-After is obeyed', async () => {
    const { lane, sentMs, meter } = fakeLane({
      quota: business,
      durationMs: 60_000,
      reply: (_, before) => (before === 20 ? refused : { ms: 1 }),
    })
    const said = await runOnLane(steady, lane, 0)
    const at = sentMs[20] ?? Number.NaN
    expect(sentMs[21]).toBeGreaterThanOrEqual(at + 30_000)
    expect(meter.figures().neverSent).toBeGreaterThan(40)
    expect(said['load-steady-errors']).toEqual({
      warn: expect.stringMatching(
        /^1 of \d+ requests failed \(1 refused \(429\)\); \d+ more were never/,
      ),
    })
  })

  test('that comes again and again ends it', async () => {
    const { lane, sentMs } = fakeLane({ quota: business, reply: () => refused })
    await expect(runOnLane(steady, lane, 0)).rejects.toThrow(
      'the key was refused 4 times within its quota',
    )
    expect(sentMs.length).toBeLessThanOrEqual(4)
  })
})

test('a soak keeps a tenth of its quota over an hour, and errors are a warning', async () => {
  const quota = { perMinute: 300, perDay: 10_000 }
  const reply = (_: number, before: number) => ({ ms: 5, status: before % 90 === 5 ? 500 : 200 })
  const { lane, sentMs } = fakeLane({ quota, reply, durationMs: 3_600_000 })
  const said = await runOnLane(soak, lane, 0)
  expect(sentMs.length).toBeGreaterThan(1_780)
  expect(sentMs.length).toBeLessThanOrEqual(1_801)
  expect(said['load-soak-latency']).toMatch(/^p50 /)
  expect(said['load-soak-errors']).toEqual({
    warn: expect.stringMatching(/^20 of \d+ requests failed \(20 a 5xx\)$/),
  })
})

const run = async (parts: Partial<FakeLaneParts>) => {
  const fake = fakeLane({ plan: 'enterprise', quota: large, durationMs: 4_000, ...parts })
  const said = await runOnLane(capacity, fake.lane, 0)
  return { ...fake, said, steps: fake.meter.figures().steps ?? [] }
}

test('the steps double up to the most connections', async () => {
  const { steps, driven } = await run({ connections: [3, 50] })
  expect(steps.map(({ connections }) => connections)).toEqual([1, 2, 4, 8, 16, 32, 50])
  expect(driven.every(({ load }) => load.durationMs === 4_000 / 7)).toBe(true)
})

test('the knee is where nine tenths of the highest rate are reached', async () => {
  const throughputOf = (connections: number) => ({ perSecond: Math.min(800, 100 * connections) })
  const { said, steps } = await run({ connections: [64], throughputOf })
  expect(said['load-capacity-knee']).toMatch(/^the knee is at 8 connections: 800 \/s, p50 10.0 ms/)
  expect(steps.map(({ perSecond }) => Math.round(perSecond))).toEqual([
    100, 200, 400, 800, 800, 800, 800,
  ])
  // A step's own latencies, and not those of all before it.
  expect(steps.at(-1)?.p50Ms).toBeCloseTo(80, 0)
  expect(said['load-capacity-errors']).toMatch(/^none in \d+ requests$/)
})

test('there is none while the rate still grows', async () => {
  const { said } = await run({ throughputOf: (connections) => ({ perSecond: 100 * connections }) })
  expect(said['load-capacity-knee']).toMatch(/^no knee up to 8 connections: the rate still grows/)
})

test('a target that collapses is a warning', async () => {
  const throughputOf = (connections: number) => ({ perSecond: connections > 8 ? 150 : 500 })
  const { said } = await run({ connections: [16], throughputOf })
  expect(said['load-capacity-knee']).toEqual({
    warn: expect.stringMatching(
      /^the rate falls to less than half of its best: 1 connections: 500/,
    ),
  })
})

test('errors are a warning, and many of them end it', async () => {
  const some = await run({ throughputOf: () => ({ perSecond: 500, failing: 3 }) })
  expect(some.said['load-capacity-errors']).toEqual({
    warn: expect.stringMatching(/^\d+ of \d+ requests failed \(\d+ a 5xx\)$/),
  })
  expect(some.steps).toHaveLength(4)
  const failing = (connections: number) => ({ perSecond: 500, failing: connections > 2 ? 80 : 0 })
  expect((await run({ throughputOf: failing })).steps).toHaveLength(3)
})

test('a key that is refused within its quota is not used again', async () => {
  const throughputOf = (connections: number) => ({
    perSecond: 500,
    ...(connections > 2 && { failing: 1, status: 429 }),
  })
  const { steps, said } = await run({ throughputOf, connections: [64] })
  expect(steps.map(({ connections }) => connections)).toEqual([1, 2, 4])
  expect(said['load-capacity-errors']).toEqual({ warn: expect.stringContaining('refused') })
})

describe('a key', () => {
  const throughputOf = () => ({ perSecond: 400 })

  test('keeps half of its day', async () => {
    const quota = { perMinute: 100_000, perDay: 4_000 }
    const { driven } = await run({ quota, throughputOf, durationMs: 60_000, connections: [64] })
    expect(driven.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThanOrEqual(2_000)
  })

  test.for([60, 300, 1_000, 60_000])(
    'of %i a minute keeps to 90 %% of one minute',
    async (perMinute) => {
      const quota = { perMinute, perDay: 100 * perMinute }
      const { driven, rests } = await run({ quota, throughputOf, connections: [64] })
      expect(rests.length).toBe(1)
      expect(driven.length).toBeGreaterThan(2)
      const sent = driven.reduce((sum, each) => sum + each.sent, 0)
      expect(sent).toBeLessThanOrEqual(0.9 * perMinute)
      expect(driven.every(({ load, sent: own }) => own >= load.connections)).toBe(true)
    },
  )
})
