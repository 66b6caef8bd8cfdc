// `soak` keeps a tenth of its quota over an hour, and reports latency and errors.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beginFakeTime, type FakeReply, fakeLane, runOnLane } from '../../tests/fake-lane.ts'
import { soak } from './steady.ts'

const quota = { perMinute: 300, perDay: 10_000 }

beforeEach(beginFakeTime)
afterEach(() => {
  vi.useRealTimers()
})

const hold = async (reply: (atMs: number, before: number) => FakeReply) => {
  const fake = fakeLane({ quota, reply, durationMs: 3_600_000 })
  return { ...fake, said: await runOnLane(soak, fake.lane, 0) }
}

test('a valid server has no errors, at a tenth of the quota', async () => {
  const { said, sentMs } = await hold(() => ({ ms: 5 }))
  expect(sentMs.length).toBeGreaterThan(1_780)
  expect(sentMs.length).toBeLessThanOrEqual(1_801)
  expect(said['load-soak-latency']).toMatch(/^p50 /)
  expect(said['load-soak-errors']).toMatch(/^none in \d+ requests$/)
})

test('errors are a warning', async () => {
  const { said } = await hold((_, before) => ({ ms: 5, status: before % 90 === 5 ? 500 : 200 }))
  expect(said['load-soak-errors']).toEqual({
    warn: expect.stringMatching(/^20 of \d+ requests failed \(20 a 5xx\)$/),
  })
})
