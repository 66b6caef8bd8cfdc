// Keys as they are given: which one may be banned is kept, and said of one alone.
import { expect, test } from 'vitest'
import { keyOptions } from './keys.ts'

const free = { plan: 'free', key: 'sesame-one' } as const
const pro = { plan: 'pro', key: 'sesame-two' } as const

test('the key for bans is kept as it is named', () => {
  const options = keyOptions([{ ...free, use: 'ban' }, pro], {})
  expect(options.map(({ plan, use }) => [plan, use])).toEqual([
    ['free', 'ban'],
    ['pro', undefined],
  ])
})

test('one key alone is for bans', () => {
  const both = [free, pro].map((key) => ({ ...key, use: 'ban' as const }))
  expect(() => keyOptions(both, {})).toThrow('use: ban is for one key; more than one has it')
})
