// Mistakes on the command line: one line each, which says what to do and repeats no stray word.
import { expect, test } from 'vitest'
import { commands } from './all-commands.ts'
import { parse } from './parser.ts'
import { UsageError } from './usage-error.ts'

const base = 'http://127.0.0.1:9/v1'

const mistake = async (argv: readonly string[]): Promise<string> => {
  const error = await parse(argv, '0.0.0', commands, 80).then(
    (code) => new Error(`it ended with ${code}`),
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(UsageError)
  expect(error.message).not.toContain('\n')
  return error.message
}

test.for<[string[], string]>([
  [[], 'petvet needs a command: check, load, '],
  [['foo'], 'what follows petvet is no command of it; petvet --help lists them'],
  [['chek'], '"chek" is no command of petvet; did you mean check?'],
  [['--', 'chek'], '"chek" is no command of petvet; did you mean check?'],
  [['domains'], 'petvet domains needs a command: lint, plan, check, watch, removed or demo; '],
  [['domains', 'wacth'], '"wacth" is no command of petvet domains; did you mean watch?'],
  [['explain'], 'petvet explain needs <id>: '],
  [['compare', 'run'], 'petvet compare needs <new>: the later run'],
  [['report'], 'petvet report needs <run>: '],
  [['check', base, '--sede', '1'], '--sede is no flag of petvet check; did you mean --seed?'],
  [['check', base, '--kye=free=abcd'], '--kye is no flag of petvet check; did you mean --key?'],
  [['check', base, '-x'], '-x is no flag of petvet check; petvet check --help lists them'],
  [['check', base, '-seed', '1'], '-seed is no flag of petvet check; did you mean --seed?'],
  [['check', base, '--zebra-s3'], '--zebra-s... is no flag of petvet check; petvet check --help'],
  [
    ['check', base, '--scenario', 'burst'],
    '--scenario is no flag of petvet check, but of petvet load',
  ],
  [
    ['domains', 'lint', '--host', 'a.example'],
    'petvet domains lint, but of petvet domains removed',
  ],
  [['init', '--ci', 'jenkins'], '--ci takes github, gitlab or none, not "jenkins"'],
  [['init', '--ci', 'gitlba'], '; did you mean gitlab?'],
  [['check', '--seed'], '--seed needs a value'],
  [['check', '--seed='], '--seed needs a value'],
  [['check', '--only', 'a', '--only='], '--only needs a value'],
  [['check', '--seed', '1', '--seed', '2'], '--seed is given more than once'],
  [['list', '--json=yes'], '--json is on where it is named: it takes no value'],
  [['check', '--no-key'], '--no-key is no flag: leave --key out'],
  [['check', '--', base], '-- stands before the command alone: leave it out'],
  [['check', base, '--key free=abcd'], '--key and its value came as one word: give two, or --key='],
])('%j', async ([argv, said]) => {
  expect(await mistake(argv)).toContain(said)
})

test.for([
  ['free=sk_live_1'],
  ['check', base, '-k', 'sk_live_1', '--keysk_live_1'],
  ['check', base, '-ksk_live_1'],
  ['check', base, '--key sk_live_1=='],
  ['check', base, '--keys=sk_live_1', '--keysk_live_1=='],
  ['check', base, '-HX-Api-Key:sk_live_1'],
  ['check', base, '-key=sk_live_1 and more'],
])('what is near to no command and no flag is not repeated: %j', async (argv) => {
  expect(await mistake(argv)).not.toMatch(/live|k_l/)
})

test('a word too many may be a key, and is not repeated', async () => {
  const said = await mistake(['check', base, 'sk_live_1'])
  expect(said).toContain('petvet check takes [base-url] and flags, and more words were given')
  expect(said).not.toContain('sk_live_1')
})
