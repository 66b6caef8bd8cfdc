// `capacity` finds where more connections are of no use, and never overdraws the key.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  beginFakeTime,
  type FakeLaneParts,
  fakeLane,
  runOnLane,
} from '../../tests/fakes/fake-lane.ts'
import { capacity } from './within-quota.ts'

const large = { perMinute: 10_000_000, perDay: 50_000_000 }

beforeEach(beginFakeTime)
afterEach(() => {
  vi.useRealTimers()
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
