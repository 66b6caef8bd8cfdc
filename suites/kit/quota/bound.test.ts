// The least time of a run: the arithmetic of windows, silences and rests, checked against examples.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plans } from '../../../spec/plans.ts'
import type { Needs } from '../check.ts'
import { check } from '../check.ts'
import type { Permission } from '../permission.ts'
import type { KeyOption } from '../run-options.ts'
import { boundMs, timeLeftMs } from './bound.ts'
import type { Work } from './key-work.ts'
import { workMs } from './key-work.ts'

const second = 1_000
const plain: Work = { perMinute: 60, requests: 0, burst: 'none', retries: false }
/** A minute of which so many seconds are left, and nothing is spent. */
const with60 = (resetInSeconds: number) => ({ left: 60, resetInMs: resetInSeconds * second })
const secondsFor = (work: Partial<Work>, resetInSeconds: number) =>
  workMs({ ...plain, ...work }, with60(resetInSeconds)) / second

describe('requests alone', () => {
  test('take no time while the first window grants them', () => {
    expect(secondsFor({ requests: 60 }, 30)).toBe(0)
  })
  test('then wait for its end, and a minute more for each window more', () => {
    expect(secondsFor({ requests: 61 }, 30)).toBe(30)
    expect(secondsFor({ requests: 120 }, 30)).toBe(30)
    expect(secondsFor({ requests: 121 }, 30)).toBe(90)
  })
  test('and a window of which something is spent grants the rest', () => {
    expect(workMs({ ...plain, requests: 8 }, { left: 7, resetInMs: 5 * second })).toBe(5 * second)
  })
})

describe('a burst after a silence', () => {
  const burst = { burst: 'after-silence', requests: 1 } as const
  test('in a minute that has just begun comes 75 s and the pause later', () => {
    expect(secondsFor(burst, 60)).toBe(78.5)
    expect(secondsFor(burst, 50)).toBe(78.5)
  })
  test('else the next minute is begun first', () => {
    expect(secondsFor(burst, 48)).toBe(48 + 78.5)
  })
  test('and the retry comes as the window of the burst ends', () => {
    expect(secondsFor({ ...burst, retries: true }, 60)).toBe(120)
    expect(secondsFor({ ...burst, retries: true }, 20)).toBe(20 + 120)
  })
  test('other requests fill the minutes before it and what is left of the one after it', () => {
    const filled = { ...burst, retries: true, requests: 60 + 3 * 60 + 59 }
    expect(secondsFor(filled, 20)).toBe(20 + 4 * 60)
    expect(secondsFor({ ...filled, requests: filled.requests + 1 }, 20)).toBe(20 + 5 * 60)
  })
})

test('without a silence the key rests for two windows before a burst', () => {
  expect(secondsFor({ burst: 'after-rest', requests: 1 }, 60)).toBe(123.5)
  expect(secondsFor({ burst: 'after-rest', requests: 1, retries: true }, 60)).toBe(180)
})

const free: KeyOption = { plan: 'free', key: 'one', quota: plans.free }
const pro: KeyOption = { plan: 'pro', key: 'two', quota: plans.pro }

const ask = (id: string, needs: Partial<Needs>) =>
  check(id, 'list.success', { stage: 'reads', keyed: 0, anonymous: 0, ...needs }, async () => {})

const limits = [
  ask('rest', { stage: 'limits', keyed: 64, holds: 'silence' }),
  ask('quota', { stage: 'limits', keyed: 62, holds: 'burst' }),
  ask('wait', { stage: 'limits', keyed: 1, holds: 'retry', looksAt: ['burst'] }),
]
const reads = ask('reads', { keyed: 233 })
const asking = (...keys: KeyOption[]) => ({
  keys,
  allow: ['exhaust'] as const satisfies Permission[],
  clockUrl: null,
  descriptionUrl: null,
})

describe('a run', () => {
  test('adds up what its only key has to do', () => {
    expect(boundMs([reads, ...limits], asking(free), 20 * second)).toBe(
      (40 + 2 * 60 + 120) * second - 60 * second,
    )
    expect(boundMs([reads], asking(free), 0)).toBe(180 * second)
  })
  test('of several keys takes what the slowest one does by itself', () => {
    expect(boundMs([reads, ...limits], asking(free, pro), 0)).toBe(120 * second)
    const proQuota = ask('pro', { stage: 'limits', holds: 'burst', plan: 'pro' })
    expect(boundMs([proQuota, ...limits], asking(free, pro), 0)).toBe(123.5 * second)
    expect(boundMs([reads], asking(free, pro), 0)).toBe(0)
  })
  test('of which the burst has been is left with its retry', () => {
    const standing = () => ({ left: 0, resetInMs: 33 * second })
    const [, , retry] = limits
    const left = retry ? [retry] : []
    expect(timeLeftMs(limits.slice(0, 2), left, asking(free), standing)).toBe(33 * second)
    expect(timeLeftMs(limits, [], asking(free), standing)).toBe(0)
    const whole = () => ({ left: 59, resetInMs: 42 * second })
    expect(timeLeftMs(limits.slice(0, 1), limits.slice(1), asking(free), whole)).toBe(42 * second)
  })
})

test('more requests never take less time, and no start takes a minute more than another', () => {
  const some = fc.record({
    perMinute: fc.constantFrom(60, 300),
    requests: fc.nat({ max: 900 }),
    burst: fc.constantFrom('after-silence', 'after-rest', 'none'),
    retries: fc.boolean(),
  })
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 60_000 }), (work, resetInMs) => {
      const first = { left: work.perMinute, resetInMs }
      const least = workMs(work, first)
      expect(Number.isFinite(least)).toBe(true)
      expect(workMs({ ...work, requests: work.requests + 1 }, first)).toBeGreaterThanOrEqual(least)
      const whole = workMs(work, { ...first, resetInMs: 60_000 })
      expect(Math.abs(whole - least)).toBeLessThanOrEqual(60_000)
    }),
    { seed: 3, numRuns: 500 },
  )
})
