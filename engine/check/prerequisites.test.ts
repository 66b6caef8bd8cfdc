// A missing prerequisite is reported with the flag that provides it.
import { expect, test } from 'vitest'
import { keyOf } from '../../tests/vet-reference.ts'
import type { Needs } from './declare.ts'
import { missingPrerequisite } from './spendable-keys.ts'

const bare: Needs = { stage: 'reads' }
const given = {
  allow: ['write'],
  clockUrl: null,
  descriptionUrl: null,
  keys: [keyOf('free', 'one')],
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
