// A command as it was given: its flags, with keys by name only, and its connection.
import { expect, test } from 'vitest'
import { commandGiven } from './given-keys.ts'

test('flags are kept as they were given, keys by their variables', () => {
  const given = {
    _: ['check'],
    $0: 'petvet',
    'base-url': 'http://127.0.0.1:8080/v1',
    key: ['free=$FREE_KEY', 'free=text-of-a-key', 'free=another-text', 'pro=$PRO'],
    clock: 'http://127.0.0.1:8081/clock',
    allow: ['write,exhaust'],
    'max-requests': '400',
    only: ['list*', 'auth'],
    mock: true,
    timeout: undefined,
  }
  expect(commandGiven('check', given, null)).toEqual({
    name: 'check',
    arguments: [
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

const ofOutput = { out: 'x', report: ['html'], quiet: true, strict: true, known: 'k' }
const switches = { mock: false, reference: true, insecure: true, proxy: false }

test.for<[string, object, string | null, string[][]]>([
  ['without flags of output, and the seed', { ...ofOutput, bail: true, seed: '7' }, null, []],
  ['with a configuration that is named', {}, 'ci/petvet.yaml', [['--config', 'ci/petvet.yaml']]],
  ['with a refusal of any configuration', { config: false }, null, [['--no-config']]],
  ['where there is no configuration', { config: undefined }, null, []],
  ['with switched defaults', switches, null, [['--no-mock'], ['--insecure'], ['--no-proxy']]],
])('%s', ([, given, file, words]) => {
  expect(commandGiven('load', given, file).arguments).toEqual(words)
})
