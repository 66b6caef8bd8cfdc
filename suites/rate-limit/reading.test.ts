// What a response means: whether it was served, how long to wait, and whether it looks like a ban.
import { describe, expect, test } from 'vitest'
import { refused } from '../../tests/fake-round.ts'
import { looksBanned, refillOf } from './reading.ts'
import { waitOf } from './waits.ts'

describe('a wait', () => {
  const waitFor = (retryAfter: string) => waitOf(refused(0, { retryAfter }))

  test.each([
    ['30', { form: 'delta-seconds', ms: 30_000 }],
    ['Fri, 20 Nov 2026 12:00:07 GMT', { form: 'HTTP-date', ms: 7_000 }],
    ['Friday, 20-Nov-26 12:00:07 GMT', { form: 'HTTP-date', ms: 7_000 }],
    ['Fri Nov 20 12:00:07 2026', { form: 'HTTP-date', ms: 7_000 }],
    ['Fri, 20 Nov 2026 11:59:00 GMT', { form: 'HTTP-date', ms: -60_000 }],
  ])('is stated by %s', (value, expected) => {
    expect(waitFor(value)).toEqual(expected)
  })

  test.each(['-5', '1.5', '30s', 'soon', '', '2026-11-20T12:00:07Z'])(
    'is not stated by %j',
    (value) => {
      expect(waitFor(value)).toHaveProperty('fault')
    },
  )
})

describe('a ban', () => {
  const first = refused(0, { retryAfter: '40' })

  test('is a wait that ends later', () => {
    expect(looksBanned([first], refused(500, { retryAfter: '90' }))).toBe(true)
  })

  test('is another status, or a refusal that no longer states a wait', () => {
    expect(looksBanned([first], refused(500, { status: 403 }))).toBe(true)
    expect(looksBanned([first], refused(500, { retryAfter: '' }))).toBe(true)
  })

  test('is no whole number of seconds among waits with a fraction', () => {
    const second = refused(500, { retryAfter: '39.5' })
    expect(looksBanned([first], second)).toBe(false)
    expect(looksBanned([second], refused(900, { retryAfter: '39.1' }))).toBe(false)
  })

  test.each([
    ['ends a little later after three with one end', [0, 100, 200], '43', true],
    ['ends a little later after others', [0, 2_500], '43', false],
  ])('%s: %#', (_name, earlier, retryAfter, expected) => {
    const before = earlier.map((atMs) => refused(atMs, { retryAfter: '40' }))
    expect(looksBanned(before, refused((earlier.at(-1) ?? 0) + 50, { retryAfter }))).toBe(expected)
  })

  test('is no wait that moves on with each refusal, however far in the end', () => {
    const all = Array.from({ length: 30 }, (_, at) => refused(at * 500, { retryAfter: '60' }))
    const found = all.map((one, at) => looksBanned(all.slice(0, at), one))
    expect(found).not.toContain(true)
  })

  test('is another code after refusals that had one in common', () => {
    const coded = (code: string) => refused(500, { retryAfter: '40', body: `{"code":"${code}"}` })
    expect(looksBanned([coded('many'), coded('many')], coded('banned'))).toBe(true)
    expect(looksBanned([coded('many'), coded('more')], coded('banned'))).toBe(false)
    expect(looksBanned([coded('many')], coded('banned'))).toBe(false)
  })
})

test('nothing comes back within less than the interval of one call', () => {
  expect([refillOf(60, 60_000, 999), refillOf(60, 60_000, 1_000)]).toEqual([0, 1])
})
