// Which key may be banned, and that only this key sends requests after 429.
import { expect, test } from 'vitest'
import { keyOf as key } from '../../tests/vet-reference.ts'
import { chooseBanKey, chooseDayKey } from './spendable-keys.ts'

test.for([
  ['the named one', [key('free', 'a', { use: 'ban' }), key('free', 'b'), key('pro', 'c')], 'a'],
  ['the last of two of a plan', [key('free', 'a'), key('pro', 'c'), key('free', 'b')], 'b'],
  [
    'of two such plans that of the cheaper one',
    [key('free', 'a'), key('free', 'b'), key('enterprise', 'c'), key('enterprise', 'd')],
    'b',
  ],
  ['not the only key of a cheaper plan', [key('free', 'a'), key('pro', 'b'), key('pro', 'c')], 'c'],
  ['none, where no plan has two', [key('free', 'a'), key('pro', 'c')], undefined],
] as const)('the key for bans is %s', ([, keys, name]) => {
  expect(chooseBanKey(keys)?.key).toBe(name && `petvet-test-key-${name}`)
})

test('the day that is spent is the smallest of a plan, but for that of the key for bans', () => {
  const small = key('enterprise', 'small', { quota: { perMinute: 9_000, perDay: 100 } })
  const keys = [key('free', 'a'), key('free', 'b'), key('enterprise', 'large'), small]
  expect(chooseDayKey(keys, 'enterprise')).toBe(small)
  expect(chooseDayKey(keys, 'free')?.key).toBe('petvet-test-key-a')
  expect(chooseDayKey(keys, 'pro')).toBeUndefined()
})
