// The pace is even whatever the responses do, and every latency includes delays.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { beginFakeTime } from '../tests/fakes/fake-lane.ts'
import { keepPace } from './pace.ts'

beforeEach(beginFakeTime)
afterEach(() => {
  vi.useRealTimers()
})

/** A timer ends late. */
const sleep = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms + 1.2)
}

const pace = async (
  answerMs: (index: number) => number,
  given: Partial<Parameters<typeof keepPace>[0]> = {},
  answered: (index: number) => void = () => {},
) => {
  const startMs = performance.now()
  const sentMs: number[] = []
  const latencies: number[] = []
  const done = keepPace({
    perSecond: 20,
    amount: 40,
    send: async (dueMs) => {
      const index = sentMs.length
      sentMs.push(performance.now() - startMs)
      await new Promise((resolve) => setTimeout(resolve, answerMs(index)))
      latencies.push(performance.now() - dueMs)
      answered(index)
      return undefined
    },
    sleep,
    ...given,
  })
  let isOver = false
  const over = done.finally(() => {
    isOver = true
  })
  over.catch(() => {})
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(0.01)
  }
  return { sentMs, latencies, ...(await over) }
}

test('the requests leave when they are due, and late timers do not add up', async () => {
  const { sentMs, lateMs } = await pace(() => 5)
  expect(sentMs).toHaveLength(40)
  for (const [index, ms] of sentMs.entries()) expect(Math.abs(ms - index * 50)).toBeLessThan(0.05)
  expect(lateMs).toBeLessThan(0.05)
})

test('a server that blocks for a second shows in every request due meanwhile', async () => {
  /** Like a server that sends nothing before its 1,500th millisecond. */
  const { sentMs, latencies } = await pace((index) => Math.max(5, 1_500 - index * 50))
  expect(sentMs[39]).toBeCloseTo(1_950, 0)
  const slow = latencies.filter((ms) => ms > 120)
  // A closed loop would have met it once.
  expect(slow.length).toBe(28)
  expect(Math.max(...latencies)).toBeCloseTo(1_500, 0)
})

test('a request due while too many are in flight is not sent, but reported', async () => {
  const { sentMs, neverSent } = await pace(() => 120, { perSecond: 10_000, amount: 1_032 })
  expect([sentMs.length, neverSent]).toEqual([1_000, 32])
})

describe('a request that fails', () => {
  test('ends it with its own fault, once all others are over', async () => {
    const ended: number[] = []
    const fourth = (index: number) => {
      ended.push(index)
      if (index === 3) throw new Error('the fourth')
    }
    await expect(pace(() => 150, {}, fourth)).rejects.toThrow('the fourth')
    expect(ended.length).toBeGreaterThanOrEqual(4)
    expect(ended.length).toBeLessThan(12)
  })

  test('and an interruption of the wait is not lost', async () => {
    const interrupt = () => Promise.reject(new Error('interrupted'))
    await expect(pace(() => 5, { sleep: interrupt })).rejects.toThrow('interrupted')
  })
})
