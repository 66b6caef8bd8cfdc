// What a wrong response repeats, who else was refused, and at which time: named where that alone
// separates, and not elsewhere.
import { expect, test } from 'vitest'
import { get, unauthorized } from '../../history/exchange.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { afterRefusals } from './refusals.ts'
import { repeated, servedFor } from './repeats.ts'
import { Seen } from './seen.ts'
import { minuteOf } from './times.ts'

const pets = (...ids: number[]): string =>
  JSON.stringify(ids.map((id) => ({ id, name: 'Rex', categoryId: 1, status: 'sold' })))

const list = (path: string, body: string, seq: number) =>
  fakeExchange(path, { status: 200, body, seq })

const all = list('/pets?limit=2', pets(1, 2), 1)
const wrong = [3, 5].map((seq) => list('/pets?limit=2&status=sold', pets(1, 2), seq))

/** The filter is read. */
const other = list('/pets?limit=2&status=sold', pets(3), 7)

test('a list with the body of another one', () => {
  const trace = [all, ...wrong, other]
  const words = 'after GET /pets with limit=2, whose body it repeats'
  expect(repeated(wrong, new Set(wrong), new Seen(trace))).toBe(words)
  // What ignores the filter has the body as well.
  expect(repeated(wrong, new Set(wrong), new Seen([all, ...wrong]))).toBeUndefined()
})

test('an equal request that had the body when that was right says more', () => {
  const right = list('/pets?limit=2&status=sold', pets(1, 2), 2)
  const trace = [all, right, ...wrong, other]
  const words = 'after an equal request, whose body it repeats'
  expect(repeated(wrong, new Set(wrong), new Seen(trace))).toBe(words)
})

test('a list as it was before, where a later one is right', () => {
  const before = list('/pets', pets(1), 1)
  const stale = [3, 5].map((seq) => list('/pets', pets(1), seq))
  const later = list('/pets', pets(1, 2), 7)
  const of = (...trace: (typeof all)[]) => repeated(stale, new Set(stale), new Seen(trace))
  expect(of(before, ...stale, later)).toBe('after an equal request, whose body it repeats')
  // A pet that is lost is missing for good.
  expect(of(before, ...stale)).toBeUndefined()
})

const keyless = (path: string, status: number, seq: number) =>
  fakeExchange(unauthorized(get(path)), { status, body: '[]', key: null, seq })

test('what is served without a key right after it was served with one', () => {
  const turns = [1, 2, 3].flatMap((at) => [
    list(`/pets?limit=${at}`, '[]', 10 * at),
    keyless(`/pets?limit=${at}`, 200, 10 * at + 1),
    keyless(`/pets?limit=${at + 50}`, 401, 10 * at + 2),
  ])
  const first = turns[1] as (typeof turns)[number]
  const words = 'after the same request with a valid key'
  expect(servedFor(first, new Seen(turns))).toBe(words)
  const open = keyless('/pets?limit=9', 200, 90)
  expect(servedFor(first, new Seen([...turns, open]))).toBeUndefined()
})

const refusal = (key: string, seq: number, status = 429) =>
  fakeExchange('/pets', { status, body: '{}', key, seq, headers: { 'Retry-After': '60' } })

test('a key that is refused after refusals of another one', () => {
  const served = Array.from({ length: 20 }, (_, at) =>
    fakeExchange('/pets', { status: 200, body: '[]', key: 'pro-1', seq: 10 + 2 * at }),
  )
  const others = [refusal('free-1', 9), refusal('free-1', 50), refusal('free-1', 51)]
  const own = refusal('pro-1', 52)
  const trace = [...served, ...others, own]
  expect(afterRefusals([own], new Seen(trace))).toBe('after 3 refusals of another key')
  const late = fakeExchange('/pets', { status: 200, body: '[]', key: 'pro-1', seq: 60 })
  expect(afterRefusals([own], new Seen([...trace, late]))).toBeUndefined()
})

const dated = (hour: number, minute: number, status: number) => {
  const date = new Date(Date.UTC(2026, 10, 20, hour, minute)).toUTCString()
  const seq = 100 * hour + minute
  return fakeExchange('/pets', { status, body: '[]', seq, headers: { Date: date } })
}

test('one minute of each hour', () => {
  const passing = Array.from({ length: 24 }, (_, hour) => dated(hour, 2 * hour, 200))
  const failing = [dated(3, 59, 500), dated(7, 59, 500)]
  const first = failing[0] as (typeof failing)[number]
  expect(minuteOf(first, new Seen([...passing, ...failing]))).toBe('in minute 59 of an hour')
  const other = dated(9, 59, 200)
  expect(minuteOf(first, new Seen([...passing, ...failing, other]))).toBeUndefined()
})
