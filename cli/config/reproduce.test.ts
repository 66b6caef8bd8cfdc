// A command as it was given: its flags, with keys by name only, and its connection.
import { expect, test } from 'vitest'
import type { ReachFlags } from '../flags.ts'
import { againOf, reachAgain } from './reproduce.ts'

test('flags are kept as they were given, keys by their variables', () => {
  const given = {
    _: ['check'],
    $0: 'petvet',
    'base-url': 'http://127.0.0.1:8080/v1',
    baseUrl: 'http://127.0.0.1:8080/v1',
    key: ['free=$FREE_KEY', 'free=text-of-a-key', 'free=another-text', 'pro=$PRO'],
    clock: 'http://127.0.0.1:8081/clock',
    allow: ['write,exhaust'],
    'max-requests': '400',
    maxRequests: '400',
    only: ['list*', 'auth'],
    mock: true,
    timeout: undefined,
  }
  expect(againOf('check', given, null)).toEqual({
    command: 'check',
    words: [
      ['http://127.0.0.1:8080/v1'],
      ['--key', 'free=$FREE_KEY'],
      ['--key', 'free=$PETVET_KEY'],
      ['--key', 'free=$PETVET_KEY_FREE_3'],
      ['--key', 'pro=$PRO'],
      ['--clock', 'http://127.0.0.1:8081/clock'],
      ['--allow', 'write,exhaust'],
      ['--max-requests', '400'],
      ['--only', 'list*'],
      ['--only', 'auth'],
    ],
  })
})

test('flags about output are left out, and the seed, which the run file has', () => {
  const given = { out: 'x', report: ['html'], quiet: true, seed: '7', bail: true, strict: true }
  expect(againOf('check', { ...given, known: 'k' }, null).words).toEqual([])
})

test.for([
  ['named', {}, 'ci/petvet.yaml', [['--config', 'ci/petvet.yaml']]],
  ['refused', { config: false }, null, [['--no-config']]],
  ['none', { config: undefined }, null, []],
] as const)('a configuration that is %s', ([, given, file, words]) => {
  expect(againOf('check', given, file).words).toEqual(words)
})

test('switches are kept where they differ from the default', () => {
  const given = { mock: false, reference: true, insecure: true, proxy: false }
  expect(againOf('load', given, null).words).toEqual([
    ['--no-mock'],
    ['--insecure'],
    ['--no-proxy'],
  ])
})

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
