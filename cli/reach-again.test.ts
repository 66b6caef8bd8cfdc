// What the journal keeps of a command gives back how the target was reached.
import { expect, test } from 'vitest'
import { againOf } from './again.ts'
import { reachAgain } from './reach-again.ts'
import type { ReachFlags } from './run-flags.ts'

test.for<ReachFlags>([
  {},
  { ca: 'ca.pem', cert: 'own.pem', 'cert-key': 'own.key', 'cert-passphrase': '$PASS' },
  { insecure: true },
  { insecure: false },
  { proxy: '$PROXY' },
  { proxy: false },
])('%j', (flags) => {
  const again = againOf(
    'check',
    { 'base-url': 'http://127.0.0.1:9', key: ['free=k'], ...flags },
    null,
  )
  expect(reachAgain(again)).toEqual(flags)
})

test('without a command nothing is known', () => {
  expect(reachAgain(undefined)).toEqual({})
})
