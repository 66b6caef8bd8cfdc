// Keys as they are given: at most one may be banned, and messages repeat none; and the command of a
// run, which names them.
import { expect, test } from 'vitest'
import { commandGiven, keyOptions } from './given-keys.ts'

const free = { plan: 'free', key: 'sesame-one' } as const
const pro = { plan: 'pro', key: 'sesame-two' } as const

test('the key for bans is kept as it is named', () => {
  const options = keyOptions([{ ...free, use: 'ban' }, pro], {})
  expect(options.map(({ plan, use }) => [plan, use])).toEqual([
    ['free', 'ban'],
    ['pro', undefined],
  ])
})

test.for([
  ['c2VjcmV0a2V5c2VjcmV0a2V5MTIzNA', 'sesame-one', /^a key has its plan before an =, as in free=/],
  ['fre', 'sesame-one', /^a key has its plan before an =, .+; the plans are free, /],
  ['free', 'k'.repeat(20_000), /^the free key is longer than 4096 characters$/],
  ['free', 'kkk', /^the free key is shorter than 4 characters$/],
  ['free', 'ses ame', /^the free key has characters that no bearer token has$/],
  ['free', '$FREE_KEY_2', /^the free key reads \$FREE_KEY_2, which is not set/],
  ['free', '$s3_url', /^the free key reads \$s3_url, which is not set/],
  ['free', '$c2VjcmV0a2V5', /^the free key has a \$ before what is no variable that is set/],
] as const)('a key of %s is refused without being repeated', ([plan, key, says]) => {
  const refusal = () => keyOptions([{ plan, key }], {})
  expect(refusal).toThrow(says)
  expect(refusal).not.toThrow(/c2Vj|ses|kkk/)
})

test('a variable is read anywhere in a key, and two dollar signs are one', () => {
  const environment = { A: 'one', B_2: 'two', NONE: '', LINE: 'abcdef\n' }
  const keyOf = (key: string) => keyOptions([{ plan: 'free', key }], environment)[0]?.key
  expect(keyOf(`x-$A.\${B_2}$$A$`)).toBe('x-one.two$A$')
  expect(() => keyOf('x-$NONE')).toThrow(/^the free key reads \$NONE, which is empty$/)
  expect(() => keyOf('x-${A')).toThrow(/^the free key has a \$ before what is no variable/)
  expect(() => keyOf('$LINE')).toThrow(/^the free key ends with a line break: remove it$/)
})

test('what cannot be a variable is a key itself', () => {
  expect(keyOptions([{ plan: 'free', key: '$2468' }], {})[0]?.key).toBe('$2468')
})

test('one key alone is for bans', () => {
  const both = [free, pro].map((key) => ({ ...key, use: 'ban' as const }))
  expect(() => keyOptions(both, {})).toThrow('use: ban is for one key; more than one has it')
})

const ofOutput = { out: 'x', report: ['html'], quiet: true, strict: true, known: 'k' }
const switches = { mock: false, reference: true, insecure: true, proxy: false }

test.for<[string, object, string | null, string[][]]>([
  ['without flags of output, and the seed', { ...ofOutput, bail: true, seed: '7' }, null, []],
  ['with a configuration that is named', {}, 'ci/petvet.yaml', [['--config', 'ci/petvet.yaml']]],
  ['with a refusal of any configuration', { config: false }, null, [['--no-config']]],
  [
    'with files',
    { files: ['a.har', 'b.har'], only: ['x'] },
    null,
    [['a.har'], ['b.har'], ['--only', 'x']],
  ],
  ['where there is no configuration', { config: undefined }, null, []],
  ['with switched defaults', switches, null, [['--no-mock'], ['--insecure'], ['--no-proxy']]],
])('%s', ([, given, file, words]) => {
  expect(commandGiven('load', given, file).arguments).toEqual(words)
})
