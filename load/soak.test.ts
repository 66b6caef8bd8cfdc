// `soak` warns of what grows in an hour, and of nothing that only varies.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { beginFakeTime, type FakeReply, fakeLane, runOnLane } from '../tests/fake-lane.ts'
import { soak } from './soak.ts'

const quota = { perMinute: 300, perDay: 10_000 }
const hourMs = 3_600_000

beforeEach(beginFakeTime)
afterEach(() => {
  vi.useRealTimers()
})

/** From 0 to 1, the same for the same number. */
const noise = (index: number): number => (Math.abs(Math.sin(index * 12.9898)) * 43_758.5453) % 1

/** The headers of a fixed minute that counts `extra` calls more than it was sent. */
const counting = (extra: (atMs: number) => number) => {
  let minute = -1
  let used = 0
  return (atMs: number): Record<string, string> => {
    const now = Math.floor(atMs / 60_000)
    if (now !== minute) used = 0
    minute = now
    used += 1
    return {
      'X-RateLimit-Limit': '300',
      'X-RateLimit-Remaining': String(Math.max(0, 300 - used - Math.floor(extra(atMs)))),
      'X-RateLimit-Reset': String(Date.UTC(2026, 10, 20, 12, 1) / 1_000),
    }
  }
}

const hold = async (reply: (atMs: number, before: number) => FakeReply, shared: boolean) => {
  const fake = fakeLane({ quota, reply, shared, durationMs: hourMs })
  return { ...fake, said: await runOnLane(soak, fake.lane, 0) }
}

const sound = () => {
  const headers = counting(() => 0)
  return (atMs: number, before: number): FakeReply => ({
    ms: 5 + 4 * noise(before),
    headers: headers(atMs),
  })
}

test('a sound server is found to be one, at a tenth of its quota', async () => {
  const { said, sentMs } = await hold(sound(), false)
  expect(sentMs.length).toBeGreaterThan(1_780)
  expect(sentMs.length).toBeLessThanOrEqual(1_801)
  expect(said['load-soak-latency']).toMatch(/^p50 /)
  expect(said['load-soak-drift']).toMatch(/^none: the medians of 48 parts grow by at least 0.00 ms/)
  expect(said['load-soak-ledger']).toBe('the target counts at most 0 calls that were not ours')
  expect(said['load-soak-errors']).toMatch(/^none in \d+ requests$/)
})

test('latency that creeps up is a warning', async () => {
  const creeping = (atMs: number, before: number) => ({
    ms: 5 + 4 * noise(before) + (3 * atMs) / hourMs,
  })
  const { said } = await hold(creeping, false)
  expect(said['load-soak-drift']).toEqual({
    warn: expect.stringMatching(/^the medians of 48 parts grow by at least [12]\.\d\d ms \(99.9 %/),
  })
})

describe('a ledger that counts ever more calls', () => {
  const leaking = () => {
    const headers = counting((atMs) => 50 + (60 * atMs) / hourMs)
    return (atMs: number) => ({ ms: 5, headers: headers(atMs) })
  }
  test('is a warning', async () => {
    const { said } = await hold(leaking(), false)
    expect(said['load-soak-ledger']).toEqual({
      warn: expect.stringMatching(/^the target counts at most \d+ calls that were not ours, more/),
    })
  })
  test('is none where others use the key', async () => {
    const { said } = await hold(leaking(), true)
    expect(said['load-soak-ledger']).toMatch(/, and others use the key$/)
  })
})

test('errors that come in the second half alone are a warning', async () => {
  const failing = (atMs: number, before: number) => ({
    ms: 5,
    status: atMs > 0.6 * hourMs && before % 40 === 0 ? 500 : 200,
  })
  const { said } = await hold(failing, false)
  expect(said['load-soak-errors']).toEqual({
    warn: expect.stringMatching(/^0 errors in \d+ requests of the first half, \d+ in \d+ of the/),
  })
})

test('errors that come all along are a warning of their own', async () => {
  const failing = (_: number, before: number) => ({ ms: 5, status: before % 90 === 5 ? 500 : 200 })
  const { said } = await hold(failing, false)
  expect(said['load-soak-errors']).toEqual({
    warn: expect.stringMatching(/^20 of \d+ requests failed \(20 a 5xx\)$/),
  })
})

test('a few minutes are too short for a drift', async () => {
  const { lane } = fakeLane({ quota, reply: () => ({ ms: 5 }), durationMs: 60_000 })
  const said = await runOnLane(soak, lane, 0)
  expect(said['load-soak-drift']).toMatch(/^too few answers to tell a drift from chance/)
})
