// Which key may be banned, and that only this key sends requests after 429.
import { expect, test } from 'vitest'
import { keyOf as key } from '../../tests/vet-reference.ts'
import { chooseBanKey, dayKeyIn } from './spendable-keys.ts'

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

test('the day of the smallest key is spent, of the last one where minutes are spent', () => {
  const small = key('enterprise', 'small', { quota: { perMinute: 9_000, perDay: 100 } })
  const keys = [key('free', 'a'), key('free', 'b'), key('enterprise', 'large'), small]
  expect(dayKeyIn(keys, 'enterprise')).toBe(small)
  expect(dayKeyIn(keys, 'free')?.key).toBe('petvet-test-key-b')
  expect(dayKeyIn(keys, 'pro')).toBeUndefined()
})
