// Every limiter, that of the reference included, meets the requirements for all of them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { legalMeters, offset, toTheMillisecond } from './legal-meters.ts'
import { clockWindow, createLimiter, type Decision, minuteMs } from './limiter.ts'

const meters = Object.entries({
  'window-of-the-clock': clockWindow,
  'window-from-second-17': offset(17_000),
  'window-to-the-millisecond': toTheMillisecond,
  ...legalMeters,
})
// Mostly short, so that windows are used up: a lone call shows little of a limiter.
const pause = fc.oneof(
  { weight: 12, arbitrary: fc.nat(300) },
  { weight: 4, arbitrary: fc.nat(3_000) },
  { weight: 2, arbitrary: fc.nat(30_000) },
  { weight: 1, arbitrary: fc.nat(130_000) },
)
const pauses = fc.array(pause, { minLength: 1, maxLength: 120, size: 'max' })
const quotas = fc.constantFrom(
  { perMinute: 5, perDay: 1_000 },
  { perMinute: 7, perDay: 40 },
  { perMinute: 20, perDay: 20 },
  { perMinute: 120, perDay: 1_000 },
)
const dayMs = 86_400_000
const start = Date.UTC(2026, 10, 20, 12, 0, 17, 345)

interface Exchange extends Decision {
  atMs: number
}

const expectForm = (now: Exchange, windowMs: number) => {
  expect(now.remaining).toBeGreaterThanOrEqual(0)
  expect(now.remaining).toBeLessThan(now.limit)
  expect(now.resetAtMs).toBeGreaterThanOrEqual(now.atMs)
  expect(now.resetAtMs).toBeLessThanOrEqual(now.atMs + 2 * windowMs + 1_000)
  if (!now.granted) expect(now.remaining).toBe(0)
  expect(now.retryAfterMs !== undefined).toBe(!now.granted)
}

describe.each(meters)('%s', (_name, make) => {
  const run = (quota: { perMinute: number; perDay: number }, gapsMs: readonly number[]) => {
    const limiter = createLimiter(make)
    let atMs = start
    return gapsMs.map((gapMs): Exchange => {
      atMs += gapMs
      return { ...limiter.take('k', quota, atMs), atMs }
    })
  }

  test('headers are in form, and a call announced is granted', () => {
    fc.assert(
      fc.property(quotas, pauses, (quota, gapsMs) => {
        let before: Exchange | undefined
        for (const now of run(quota, gapsMs)) {
          expectForm(now, now.limit === quota.perDay ? dayMs : minuteMs)
          if (before && before.remaining > 0) expect(now.granted).toBe(true)
          before = now
        }
      }),
      { seed: 7, numRuns: 60 },
    )
  })

  test('a client that waits as long as stated is served, and not a millisecond too late', () => {
    fc.assert(
      fc.property(quotas, pauses, (quota, gapsMs) => {
        for (const [index, { granted, retryAfterMs = 0 }] of run(quota, gapsMs).entries()) {
          if (granted) continue
          const before = gapsMs.slice(0, index + 1)
          expect(retryAfterMs).toBeGreaterThan(0)
          expect(run(quota, [...before, retryAfterMs]).at(-1)?.granted).toBe(true)
          expect(run(quota, [...before, retryAfterMs - 1]).at(-1)?.granted).toBe(false)
        }
      }),
      { seed: 7, numRuns: 20 },
    )
  })
})
