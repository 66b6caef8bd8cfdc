// Whether too many or too few requests were served in a day.
import { describe, expect, test } from 'vitest'
import { fakeKey, refused, said } from '../../../tests/fake-round.ts'
import { judgeDayFewer, judgeDayMore } from './judgements.ts'

const { quota } = fakeKey

/** Served calls; the headers are those of the minute until fewer of the day are left. */
const served = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const left = Math.max(0, 999 - at)
    const minute = Math.floor(at / 60)
    const ofMinute = 59 - (at % 60)
    const atMs = minute * 61_000 + 2 * (at % 60)
    return left <= ofMinute
      ? said({ atMs, remaining: left, limit: 1_000, resetS: 80_000 })
      : said({ atMs, remaining: ofMinute, resetS: 60 + 61 * minute })
  })

const end = { limit: 1_000, resetS: 80_000, retryAfter: '79000' }
const endMs = 17 * 61_000

describe('more than a day', () => {
  test('is not a day', () => {
    expect(judgeDayMore([...served(1_000), refused(endMs, end)], quota).kind).toBe('holds')
  })

  test('is what no bucket has given back, where the headers never show the day', () => {
    const silent = Array.from({ length: 1_012 }, (_, at) => said({ atMs: at, remaining: 30 }))
    expect(judgeDayMore(silent, quota).kind).toBe('violation')
    expect(judgeDayMore(silent.slice(0, 1_000), quota).kind).toBe('holds')
  })
})

describe('fewer than a day', () => {
  test('is not a day', () => {
    expect(judgeDayFewer([...served(1_000), refused(endMs, end)], quota).kind).toBe('holds')
  })

  test('may be a refusal for the minute', () => {
    expect(judgeDayFewer([...served(999), refused(endMs)], quota).kind).toBe('unclear')
  })

  test('may be another client, where Remaining skips numbers', () => {
    const responses = served(999).filter((_, at) => at !== 30)
    expect(judgeDayFewer([...responses, refused(endMs, end)], quota).kind).toBe('unclear')
  })

  test.for([
    ['a ban', said({ atMs: endMs, remaining: 0, status: 403 })],
    ['a failure', said({ atMs: endMs, remaining: 0, status: 500 })],
    ['a body that cannot be read', said({ atMs: endMs, remaining: 0, body: '[{' })],
  ] as const)('is not %s', ([, last]) => {
    expect(judgeDayFewer([...served(990), last], quota).kind).toBe('unclear')
  })

  test('is not a ban that several concurrent refusals have caused', () => {
    const ban = refused(endMs, { retryAfter: '600' })
    expect(judgeDayFewer([...served(900), ban, ban], quota).kind).toBe('unclear')
  })

  test('is shown where less failed than was missing', () => {
    const failure = said({ atMs: 1, remaining: 0, status: 500, limit: 7 })
    const day = [failure, ...served(990), refused(endMs, end)]
    expect(judgeDayFewer(day, quota).kind).toBe('violation')
    expect(judgeDayFewer([failure, ...served(999), refused(endMs, end)], quota).kind).toBe(
      'unclear',
    )
  })
})
