// Counters that replicas share count like those in memory, together, and never lose a call.
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lacksRedis, type RedisServer, reasonToSkip, startRedis } from '../tests/redis-server.ts'
import { usualBan, withBans } from './bans.ts'
import { clockWindow, createLimiter, type SharedCounters } from './limiter.ts'
import { beginCounting, redisCounters } from './redis-counters.ts'

const noonMs = Date.UTC(2026, 0, 1, 12)
const midnightMs = Date.UTC(2026, 0, 2)
const quota = { perMinute: 60, perDay: 1_000 }

const join = async (url: string, sinceMs: number): Promise<SharedCounters> => {
  const counters = await redisCounters({ url, sinceMs, ban: usualBan })
  onTestFinished(counters.close)
  return counters
}

const begun = async () => {
  const redis = await startRedis()
  const sinceMs = await beginCounting(redis.url, noonMs)
  return { redis, sinceMs, counters: await join(redis.url, sinceMs) }
}

const take = (counters: SharedCounters, nowMs: number) => counters.take('key', quota, nowMs)

/** A store that has lost its counts is refused until the day under way has ended. */
const expectLost = (counters: SharedCounters, nowMs: number) =>
  vi.waitFor(
    async () =>
      expect(await take(counters, nowMs)).toEqual({
        granted: false,
        limit: quota.perDay,
        remaining: 0,
        resetAtMs: midnightMs,
        retryAfterMs: midnightMs - nowMs,
        uncounted: true,
      }),
    { timeout: 5_000, interval: 20 },
  )

describe.skipIf(lacksRedis)(`counters in Redis or Valkey${reasonToSkip}`, () => {
  test('decide every sequence of calls as the limiter in memory does', async () => {
    const { counters } = await begun()
    const jumpMs = fc.constantFrom(0, 0, 0, 0, 1, -1, 999, 7_000, 59_999, 60_000, 90_000, 9_000_000)
    const small = fc.record({
      perMinute: fc.integer({ min: 1, max: 5 }),
      perDay: fc.integer({ min: 1, max: 12 }),
    })
    let runs = 0
    const alike = fc.asyncProperty(
      small,
      fc.array(jumpMs, { minLength: 30, maxLength: 60 }),
      async (own, jumps) => {
        const key = `key-${runs++}`
        const inMemory = withBans(createLimiter(clockWindow), usualBan)
        let nowMs = noonMs
        for (const jump of jumps) {
          nowMs += jump
          expect(await counters.take(key, own, nowMs)).toEqual(inMemory.take(key, own, nowMs))
        }
      },
    )
    await fc.assert(alike, { seed: 7, numRuns: 40 })
  })

  test('grant exactly the quota to many at once', async () => {
    const { redis, sinceMs, counters } = await begun()
    const all = [counters, await join(redis.url, sinceMs), await join(redis.url, sinceMs)]
    const calls = Array.from({ length: 200 }, (_, at) => all[at % 3] ?? counters)
    const decisions = await Promise.all(calls.map((each) => take(each, noonMs)))
    const remaining = decisions.filter(({ granted }) => granted).map((each) => each.remaining)
    expect(remaining.sort((a, b) => b - a)).toEqual([...Array(60).keys()].reverse())
    expect(decisions.some(({ uncounted }) => uncounted)).toBe(false)
  })

  test('stand under a prefix, expire with their day, and name no key', async () => {
    const { redis, counters } = await begun()
    await take(counters, noonMs)
    const names = (await redis.command('KEYS', '*')) as string[]
    expect(names.every((name) => name.startsWith('petvet:{counters}:'))).toBe(true)
    expect(names.join()).not.toContain('key')
    const name = names.find((each) => !each.endsWith('since')) ?? ''
    const leftMs = Number(await redis.command('PTTL', name))
    expect(leftMs).toBeGreaterThan(midnightMs - noonMs)
    expect(leftMs).toBeLessThanOrEqual(midnightMs - noonMs + usualBan.lastsMs)
  })

  test('go on under the same mark when another service begins', async () => {
    const { redis, sinceMs, counters } = await begun()
    await take(counters, noonMs)
    expect(await beginCounting(redis.url, noonMs + 5_000)).toBe(sinceMs)
    expect(await take(counters, noonMs + 5_000)).toMatchObject({ granted: true, remaining: 58 })
  })
})

describe.skipIf(lacksRedis)(`a store that fails${reasonToSkip}`, () => {
  const losses: [string, (redis: RedisServer) => Promise<unknown>][] = [
    ['is restarted empty', (redis) => redis.kill().then(redis.restart)],
    ['is emptied', (redis) => redis.command('FLUSHALL')],
    ['forgets scripts alone', (redis) => redis.command('SCRIPT', 'FLUSH')],
  ]
  test.each(losses)('refuses all until the day has ended when it %s', async (_name, lose) => {
    const { redis, sinceMs, counters } = await begun()
    const fellow = await join(redis.url, sinceMs)
    expect(await take(counters, noonMs)).toMatchObject({ granted: true })
    await lose(redis)
    await expectLost(counters, noonMs + 1)
    await expectLost(fellow, midnightMs - 1)
    expect(await take(counters, midnightMs)).toMatchObject({ granted: true, remaining: 59 })
    // This one has heard of nothing before the new day began.
    expect(await take(fellow, midnightMs)).toMatchObject({ granted: true, remaining: 58 })
  })

  test('is not believed when it comes back with an earlier snapshot', async () => {
    const { redis, counters } = await begun()
    await take(counters, noonMs)
    await redis.command('SAVE')
    await take(counters, noonMs)
    await redis.kill()
    await redis.restart()
    await expectLost(counters, noonMs)
  })

  test('refuses while it cannot be reached, and while it is silent', async () => {
    const { redis, counters } = await begun()
    const refusal = { granted: false, limit: 60, remaining: 0, uncounted: true }
    await redis.command('CLIENT', 'PAUSE', '1500', 'ALL')
    expect(await take(counters, noonMs)).toMatchObject(refusal)
    await redis.kill()
    expect(await take(counters, noonMs)).toMatchObject(refusal)
    await expect(beginCounting(redis.url, noonMs)).rejects.toThrow('cannot be used')
  })

  test('is refused at the start if it may evict counts', async () => {
    const { redis } = await begun()
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru')
    await expect(beginCounting(redis.url, noonMs)).rejects.toThrow('maxmemory-policy')
  })
})
