// Which key may be banned or spent; a missing prerequisite is reported with the flag for it.
import { expect, test } from 'vitest'
import { keyOf as key } from '../../tests/vet-reference.ts'
import type { Needs } from './declare.ts'
import type { KeyHandle } from './key-handle.ts'
import { chooseBanKey, dayKeyIn, exposedKey, missingPrerequisite } from './spendable-keys.ts'

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

test('the key for bans is exposed, else one of the cheapest plan', () => {
  const [pro, free, banned] = [key('pro', 'a'), key('free', 'b'), key('business', 'c')].map(
    ({ plan, quota }) => ({ label: `${plan}-1`, plan, quota }) as KeyHandle,
  )
  const keys = [pro, free].flatMap((each) => each ?? [])
  expect(exposedKey({ keys, banKey: undefined })).toBe(free)
  expect(exposedKey({ keys, banKey: banned })).toBe(banned)
})

test('the day of the smallest key is spent, of the last one where minutes are spent', () => {
  const small = key('enterprise', 'small', { quota: { perMinute: 9_000, perDay: 100 } })
  const keys = [key('free', 'a'), key('free', 'b'), key('enterprise', 'large'), small]
  expect(dayKeyIn(keys, 'enterprise')).toBe(small)
  expect(dayKeyIn(keys, 'free')?.key).toBe('petvet-test-key-b')
  expect(dayKeyIn(keys, 'pro')).toBeUndefined()
})

const bare: Needs = { stage: 'reads' }
const given = {
  allow: ['write'],
  clockUrl: null,
  descriptionUrl: null,
  keys: [key('free', 'one')],
} as const

const messageOf = (needs: Partial<Needs>): string =>
  missingPrerequisite({ ...bare, ...needs }, given)?.message ?? 'nothing'

test.for<[string, Partial<Needs>, string]>([
  ['nothing', {}, 'nothing'],
  [
    'two of them at once',
    { allow: ['ban', 'exhaust'] },
    'to exhaust a quota and get a key banned (--allow write,exhaust,ban)',
  ],
  ['a second key', { keys: 'another' }, 'another key, of any plan (--key PLAN=OTHER)'],
  ['a key for bans', { allow: ['write'], keys: 'another' }, 'another key'],
])('%s', ([, needs, message]) => {
  expect(messageOf(needs)).toContain(message)
})
