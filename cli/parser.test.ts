// Mistakes on the command line: one line each, which says what to do and repeats no stray word.
import { expect, test, vi } from 'vitest'
import { UsageError } from '../config/values.ts'
import { commands } from './main.ts'
import { parse } from './parser.ts'

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
  [[], 'missing command; see "petvet --help"'],
  [['zebra-house'], 'unknown command; see "petvet --help"'],
  [['chek'], 'unknown command; did you mean check?'],
  [['--', 'chek'], 'unknown command; did you mean check?'],
  [['domains'], 'missing command; see "petvet domains --help"'],
  [['domains', 'wacth'], 'unknown command; did you mean watch?'],
  [['explain'], 'missing argument; usage: petvet explain <id>'],
  [['compare', 'run'], 'missing argument; usage: petvet compare <old> <new>'],
  [['list', 'x'], 'too many arguments; usage: petvet list; '],
  [['check', '--alow', 'ban'], 'unknown option --alow for "petvet check"; did you mean --allow?'],
  [['check', '--kye=free=abcd'], 'unknown option --kye for "petvet check"; did you mean --key?'],
  [['check', '--max-request', '9'], '"petvet check"; did you mean --max-requests?'],
  [['check', '--seeed', '1'], '"petvet check"; did you mean --seed?'],
  [['check', `--${'k'.repeat(5_000)}`], '"petvet check"; see'],
  [['check', '-x'], 'unknown option -x for "petvet check"; see "petvet check --help"'],
  [['check', '-seed', '1'], 'unknown option -seed for "petvet check"; did you mean --seed?'],
  [['check', '--zebra-s3'], 'unknown option --zebra-s... for "petvet check"; see '],
  [['domains', 'lint', '--hots', 'a'], 'unknown option --hots for "petvet domains lint"; see '],
  [['init', '--ci', 'jenkins'], '--ci takes "github", "gitlab", "none", not "jenkins"'],
  [['check', '--seed'], '--seed needs a value'],
  [['check', '--seed='], '--seed needs a value'],
  [['demo', '--seed', '1e3'], '--seed takes a whole number from 0 to 2147483647, not "1e3"'],
  [['load', '--max-requests', '0'], '--max-requests takes a whole number from 1 to 1000000000'],
  [['load', '--duration', 'long'], 'takes seconds (90, 90s or 5m) from 1 to 604800, not "long"'],
  [['check', '--only', 'a', '--only='], '--only needs a value'],
  [['check', '--seed', '1', '--seed', '2'], '--seed is given more than once'],
  [['list', '--json=yes'], '--json takes no value: write --json'],
  [['check', '--no-key'], 'unknown option --no-key: leave out --key'],
  [['check', '--', base], 'unexpected "--" after the command: remove it'],
  [['check', '--cert-key', 'own.key'], '--cert-key needs --cert'],
  [['check', '--cert-passphrase', '$PASS'], '--cert-passphrase needs --cert'],
  [['check', '--quiet', '--json'], '--quiet and --json exclude each other'],
  [['load', '--quiet', '--verbose'], '--quiet and --verbose exclude each other'],
  [['check', '--failed', '--only', 'x'], '--failed and --only exclude each other'],
  [['check', '--failed', 'run', '--watch'], '--failed and --watch exclude each other'],
  [['check', '--resume', 'run', '--only', 'x'], '--resume and --only exclude each other'],
  [['check', '--resume', 'run', '--out', 'x'], '--resume and --out exclude each other'],
  [['domains', 'plan'], 'missing --domains, --platform-host; see "petvet domains plan --help"'],
  [['check', '--key free=abcd'], '--key and its value are one word; write --key=VALUE'],
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
  expect(said).toContain('too many arguments; usage: petvet check [base-url]; ')
  expect(said).not.toContain('sk_live_1')
})

test.each([80, 100])(
  'at %i columns no description runs into the type behind it',
  async (columns) => {
    const lines: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((text) => lines.push(`${text}`))
    for (const { usage } of commands) {
      const name = usage.split(' ', 1)[0] ?? ''
      await parse([name, '--help'], '0', commands, columns)
    }
    log.mockRestore()
    const help = lines.join('\n')
    for (const name of ['seed', 'max-requests', 'timeout', 'max-time', 'port', 'duration']) {
      expect(help).toMatch(new RegExp(`--${name} [^[]+(?:\\[[^\\]]+\\][^[]*)?\\[number\\]`))
    }
    expect(help.match(/.*\S\[(?:string|number|boolean|array|choices).*/g) ?? []).toEqual([])
  },
)
