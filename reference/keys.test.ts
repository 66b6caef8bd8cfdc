// Only a key that was issued, sent as a bearer token, is a key.
import { describe, expect, test } from 'vitest'
import { createKeys } from './keys.ts'

const keys = createKeys([
  { plan: 'free', key: 'abc-DEF' },
  { plan: 'enterprise', key: 'big', perMinute: 5, perDay: 50 },
])

test.each(['Bearer abc-DEF', 'bearer abc-DEF', 'BEARER abc-DEF', 'Bearer   abc-DEF'])(
  '%s is the key',
  (header) => {
    expect(keys.find(header)).toMatchObject({ plan: 'free', quota: { perMinute: 60 } })
  },
)

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'abc-DEF',
  'Basic abc-DEF',
  'Bearer abc-def',
  'Bearer abc-DE',
  'Bearer abc-DEFF',
  'Bearer abc-DEF, Bearer abc-DEF',
  'Bearer abc-DEF x',
  'Bearerabc-DEF',
  'Bearer\tabc-DEF',
])('%s is no key', (header) => {
  expect(keys.find(header)).toBeUndefined()
})

describe('createKeys', () => {
  test('takes the numbers of a key before those of its plan', () => {
    expect(keys.find('Bearer big')?.quota).toEqual({ perMinute: 5, perDay: 50 })
  })

  test.each([
    [[{ plan: 'enterprise' as const, key: 'k' }], /needs whole numbers/],
    [[{ plan: 'free' as const, key: 'k', perDay: 0.5 }], /needs whole numbers/],
    [[{ plan: 'free' as const, key: 'a b' }], /no bearer token/],
    [[{ plan: 'free' as const, key: '' }], /no bearer token/],
    [Array(2).fill({ plan: 'free' as const, key: 'k' }), /given twice/],
  ])('refuses %j', (issued, message) => {
    expect(() => createKeys(issued)).toThrow(message)
  })
})
