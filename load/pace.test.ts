// The pace is even whatever the responses do, and every latency includes delays.
import { describe, expect, test } from 'vitest'
import { keepPace, type PaceTime, type Pacing } from './pace.ts'

/** A clock that each sleep moves; sleeps end up to `lateMs` late. */
const fakeTime = (lateMs: number) => {
  let nowMs = 1_000
  const timers: { atMs: number; act: () => void }[] = []
  const moveTo = (ms: number) => {
    for (;;) {
      const next = timers.filter(({ atMs }) => atMs <= ms).sort((a, b) => a.atMs - b.atMs)[0]
      if (!next) break
      timers.splice(timers.indexOf(next), 1)
      nowMs = Math.max(nowMs, next.atMs)
      next.act()
    }
    nowMs = Math.max(nowMs, ms)
  }
  const recordResult = async () => {
    for (let index = 0; index < 10; index += 1) await Promise.resolve()
  }
  const time: PaceTime = {
    nowMs: () => nowMs,
    sleep: async (ms) => {
      moveTo(nowMs + ms + lateMs)
      await recordResult()
    },
    turn: async () => {
      moveTo(nowMs + 0.01)
      await recordResult()
    },
  }
  const after = (ms: number) =>
    new Promise<void>((resolve) => timers.push({ atMs: nowMs + ms, act: resolve }))
  /** Until nothing is waited for any more. */
  const drain = async () => {
    while (timers.length > 0) {
      moveTo(Math.min(...timers.map(({ atMs }) => atMs)))
      await recordResult()
    }
  }
  return { time, after, drain, at: () => nowMs - 1_000 }
}

const pace = async (
  answerMs: (index: number) => number,
  given: Partial<Pacing>,
  answered: (index: number) => void = () => {},
) => {
  const { time, after, drain, at } = fakeTime(1.2)
  const sentMs: number[] = []
  const latencies: number[] = []
  let skipped = 0
  const done = keepPace({
    perSecond: 20,
    amount: 40,
    maxInFlight: 100,
    send: async (dueMs) => {
      const index = sentMs.length
      sentMs.push(at())
      await after(answerMs(index))
      latencies.push(time.nowMs() - dueMs)
      answered(index)
      return undefined
    },
    skipped: () => {
      skipped += 1
    },
    time,
    ...given,
  })
  let isOver = false
  const over = done.finally(() => {
    isOver = true
  })
  over.catch(() => {})
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    await drain()
  }
  return { sentMs, latencies, skipped, latestMs: (await over).lateMs }
}

test('the requests leave when they are due, and late timers do not add up', async () => {
  const { sentMs, latestMs } = await pace(() => 5, {})
  expect(sentMs).toHaveLength(40)
  for (const [index, ms] of sentMs.entries()) expect(Math.abs(ms - index * 50)).toBeLessThan(0.05)
  expect(latestMs).toBeLessThan(0.05)
})

test('a server that blocks for a second shows in every request due meanwhile', async () => {
  /** Like a server that sends nothing before its 1,500th millisecond. */
  const { sentMs, latencies } = await pace((index) => Math.max(5, 1_500 - index * 50), {})
  expect(sentMs[39]).toBeCloseTo(1_950, 0)
  const slow = latencies.filter((ms) => ms > 100)
  // A closed loop would have met it once.
  expect(slow.length).toBe(29)
  expect(Math.max(...latencies)).toBeCloseTo(1_500, 0)
})

test('a request due while too many are in flight is not sent, but reported', async () => {
  const { sentMs, skipped } = await pace(() => 100_000, { maxInFlight: 8 })
  expect(sentMs).toHaveLength(8)
  expect(skipped).toBe(32)
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
    const sleep = () => Promise.reject(new Error('interrupted'))
    const time = { ...fakeTime(0).time, sleep }
    await expect(pace(() => 5, { time })).rejects.toThrow('interrupted')
  })
})
