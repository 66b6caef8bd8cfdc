// What a response means: whether it looks like a ban, and what may have come back until it.
import { describe, expect, test } from 'vitest'
import { maxRefill } from '../../history/rate-headers.ts'
import { refused } from '../../tests/fake-round.ts'
import { looksBanned } from './banned.ts'

describe('a ban', () => {
  const first = refused(0, { retryAfter: '40' })
  const again = refused(3_000, { retryAfter: '40' })
  const withFraction = refused(500, { retryAfter: '39.5' })
  const all = (...timesMs: number[]) => timesMs.map((atMs) => refused(atMs, { retryAfter: '40' }))
  const coded = (code: string) => refused(500, { retryAfter: '40', body: `{"code":"${code}"}` })

  test.each([
    ['a wait that ends later', [first], refused(500, { retryAfter: '90' }), true],
    ['another status', [first], refused(500, { status: 403 }), true],
    ['a refusal that no longer states a wait', [first], refused(500, { retryAfter: '' }), true],
    ['a fraction after a whole number', [first], withFraction, false],
    ['a fraction after another', [withFraction], refused(900, { retryAfter: '39.1' }), false],
    ['a later end after one end', all(0, 100, 200), refused(250, { retryAfter: '43' }), true],
    ['the same wait again, though it ends later', all(0, 100, 200), again, false],
    ['a later end after several', all(0, 2_500), refused(2_550, { retryAfter: '43' }), false],
    ['another code after a common one', [coded('many'), coded('many')], coded('banned'), true],
    ['a third code after two', [coded('many'), coded('more')], coded('banned'), false],
    ['a second code after one', [coded('many')], coded('banned'), false],
  ])('shows by %s: %#', (_name, earlier, latest, expected) => {
    expect(looksBanned(earlier, latest)).toBe(expected)
  })

  test('is no wait that moves on with each refusal, however far in the end', () => {
    const moving = Array.from({ length: 30 }, (_, at) => refused(at * 500, { retryAfter: '60' }))
    const found = moving.map((one, at) => looksBanned(moving.slice(0, at), one))
    expect(found).not.toContain(true)
  })
})

test('nothing comes back within less than the interval of one call', () => {
  expect([maxRefill(60, 60_000, 999), maxRefill(60, 60_000, 1_000)]).toEqual([0, 1])
})
