// Bans come after repeated refusals, end by themselves, and stay with their key.
import { expect, test } from 'vitest'
import { usualBan, withBans } from './bans.ts'
import { clockWindow, createLimiter, minuteMs } from './limiter.ts'

const quota = { perMinute: 3, perDay: 100 }
const noon = Date.UTC(2026, 10, 20, 12)
const create = () => withBans(createLimiter(clockWindow), { afterRefusals: 4, lastsMs: 90_000 })
const callTimes = (limiter: ReturnType<typeof create>, count: number, atMs: number) =>
  Array.from({ length: count }, () => limiter.take('k', quota, atMs))

test('the ban begins with the refusal that the rule names', () => {
  const answers = callTimes(create(), 7, noon)
  expect(answers.map(({ granted }) => granted)).toEqual([1, 1, 1, 0, 0, 0, 0].map(Boolean))
  expect(answers.map(({ banned }) => banned === true).indexOf(true)).toBe(6)
  expect(answers[6]).toMatchObject({ limit: 3, remaining: 0, retryAfterMs: 90_000 })
  expect(answers[6]?.resetAtMs).toBe(noon + 90_000)
})

test('it ends by itself, whatever is sent meanwhile, and not before', () => {
  const limiter = create()
  callTimes(limiter, 7, noon)
  expect(callTimes(limiter, 20, noon + 89_999).some(({ granted }) => granted)).toBe(false)
  expect(limiter.take('k', quota, noon + 90_000).granted).toBe(true)
})

test('it leaves other keys alone', () => {
  const limiter = create()
  callTimes(limiter, 7, noon)
  expect(limiter.take('other', quota, noon).granted).toBe(true)
})

test('refusals apart by a granted call or by a minute do not add up', () => {
  const limiter = create()
  callTimes(limiter, 6, noon)
  const later = callTimes(limiter, 6, noon + minuteMs)
  expect(later.some(({ banned }) => banned)).toBe(false)
})

test('the response to a banned key states the end of the day if that is later', () => {
  const limiter = create()
  const spent = { perMinute: 10, perDay: 2 }
  const answers = Array.from({ length: 6 }, () => limiter.take('d', spent, noon))
  expect(answers[5]).toMatchObject({ banned: true, limit: 2, retryAfterMs: 12 * 60 * minuteMs })
})

test('a ban that would announce a Reset too far ahead is refused', () => {
  expect(() => withBans(create(), { ...usualBan, lastsMs: 120_001 })).toThrow('two minutes')
})
