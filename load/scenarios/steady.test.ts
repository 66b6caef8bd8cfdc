// `steady` and `soak` keep their pace within the quota whatever the server does.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { beginFakeTime, fakeLane, runOnLane } from '../../tests/fakes/fake-lane.ts'
import { soak, steady } from './within-quota.ts'

const free = { perMinute: 60, perDay: 1_000 }
const business = { perMinute: 1_000, perDay: 100_000 }

beforeEach(beginFakeTime)
afterEach(() => {
  vi.useRealTimers()
})

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
