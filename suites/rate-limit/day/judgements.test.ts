// Whether too many or too few requests were served in a day.
import { expect, test } from 'vitest'
import { type FakeSaid, fakeKey, refused, said } from '../../../tests/fake-round.ts'
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

const endMs = 17 * 61_000
const end = refused(endMs, { limit: 1_000, resetS: 80_000, retryAfter: '79000' })
const ban = refused(endMs, { retryAfter: '600' })
const failure = said({ atMs: 1, remaining: 0, status: 500, limit: 7 })
/** Nothing of it shows the day. */
const silent = Array.from({ length: 1_012 }, (_, at) => said({ atMs: at, remaining: 30 }))
const skipping = served(999).filter((_, at) => at !== 30)
const last = (more: Partial<FakeSaid>) => said({ atMs: endMs, remaining: 0, ...more })

test.for([
  ['a day', [...served(1_000), end], 'holds'],
  ['what no bucket has given back, with headers that never show the day', silent, 'violation'],
  ['a day that no header shows', silent.slice(0, 1_000), 'holds'],
] as const)('more than a day: %s', ([, responses, kind]) => {
  expect(judgeDayMore(responses, quota).kind).toBe(kind)
})

test.for([
  ['a day', [...served(1_000), end], 'holds'],
  ['a refusal for the minute', [...served(999), refused(endMs)], 'unclear'],
  ['Remaining skips numbers: another client', [...skipping, end], 'unclear'],
  ['a ban', [...served(990), last({ status: 403 })], 'unclear'],
  ['a failure', [...served(990), last({ status: 500 })], 'unclear'],
  ['a body that cannot be read', [...served(990), last({ body: '[{' })], 'unclear'],
  ['a ban that concurrent refusals have caused', [...served(900), ban, ban], 'unclear'],
  ['less failed than is missing', [failure, ...served(990), end], 'violation'],
  ['as much failed as is missing', [failure, ...served(999), end], 'unclear'],
] as const)('fewer than a day: %s', ([, responses, kind]) => {
  expect(judgeDayFewer(responses, quota).kind).toBe(kind)
})
