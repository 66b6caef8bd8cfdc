// A missing prerequisite is reported with the flag that provides it.
import { expect, test } from 'vitest'
import { keyOf } from '../../tests/vet-reference.ts'
import type { Needs } from './declare.ts'
import { missingPrerequisite } from './prerequisites.ts'

const bare: Needs = { stage: 'reads', keyed: 1, anonymous: 0 }
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
  ['a second key', { secondKey: 'same-plan' }, 'another key of the plan free (--key free=OTHER)'],
  [
    'one of another plan',
    { secondKey: 'other-plan' },
    '--key pro=OTHER, in addition to the free key',
  ],
  ['a key for bans', { banKey: true }, 'two keys of one plan (--key free=A --key free=B)'],
  ['more keys', { keys: 2 }, '2 keys (--key PLAN=KEY)'],
])('%s', ([, needs, message]) => {
  expect(messageOf(needs)).toContain(message)
})
