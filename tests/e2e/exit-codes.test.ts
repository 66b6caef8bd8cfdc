// Every command, and how it ends: well, on wrong usage, where it cannot run, and interrupted; and
// with `--json` nothing but JSON on standard output, or nothing at all. Help stays light.
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CommandEntry } from '../../cli/command.ts'
import { commands } from '../../cli/main.ts'
import { serveWith } from '../raw-server.ts'
import { domains, furnished, keyed, nowhere, well } from './commands-that-succeed.ts'
import { emptyFolder, folderWith, petvet, printLoads, start } from './petvet.ts'

const slow = { timeout: 60_000 }

/** A name server that is not there. */
const deaf = ['--resolver', '127.0.0.1:9']

/** A mistake that yargs does not find. */
const wrong: Readonly<Record<string, readonly string[]>> = {
  demo: ['--seed', 'x', '--json'],
  check: [nowhere, ...keyed, '--seed', 'x', '--json'],
  load: [nowhere, ...keyed, '--scenario', 'none*', '--json'],
  judge: ['none.har', '--json'],
  serve: ['--keys', 'free'],
  mock: ['--port', '99999'],
  mutants: ['--only', 'none', '--json'],
  plan: ['--allow', 'all', '--only', 'list-*', '--json'],
  list: ['--jsn'],
  explain: ['none'],
  report: ['none', '--as', 'json'],
  compare: ['run', 'none', '--json'],
  init: ['here'],
  'domains lint': ['--domains', 'none.yaml'],
  'domains plan': ['--domains', 'domains.yaml'],
  'domains check': [...domains, ...deaf, '--plan', 'gold', '--json'],
  'domains watch': [...domains, ...deaf, '--until', 'noon', '--json'],
  'domains removed': [...domains, ...deaf, '--host', 'none.farm.test', '--json'],
  'domains demo': ['--mutant', 'none'],
}

const namesOf = (all: readonly CommandEntry[], group: string): string[] =>
  all.flatMap(({ usage, commands: own }) => {
    const name = `${group}${usage.split(' ', 1)[0]}`
    return own ? namesOf(own, `${name} `) : [name]
  })

const run = (name: string, args: readonly string[], folder: string) =>
  petvet([...name.split(' '), ...args], { folder })

describe('exit 0', slow, () => {
  test.for(well)('%s %j', async ([name, args]) => {
    const { code, stdout, stderr } = await run(name, args, furnished())
    expect(code).toBe(0)
    if (args.includes('--json') || args.includes('json')) JSON.parse(stdout)
    else expect(stdout + stderr).not.toBe('')
  })
})

describe('exit 2, one line on standard error, and nothing on standard output', slow, () => {
  test('of every command', async () => {
    const names = namesOf(commands, '')
    expect(Object.keys(wrong).sort()).toEqual(names.sort())
  })
  test.for(Object.entries(wrong))('%s', async ([name, args]) => {
    const { code, stdout, stderr } = await run(name, args, furnished())
    expect(stderr).toMatch(/^petvet: .+\n$/)
    expect([code, stdout]).toEqual([2, ''])
  })
})

describe('exit 3, where nobody is there', slow, () => {
  test.for([
    ['check', [nowhere, ...keyed, '--json']],
    ['load', [nowhere, ...keyed, '--scenario', 'steady', '--no-mock', '--no-reference', '--json']],
  ] as const)('%s', async ([name, args]) => {
    const { code, stdout, stderr } = await run(name, args, furnished())
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'error' })
    expect(stderr).not.toMatch(/^ +at /m)
    expect(code).toBe(3)
  })
})

test('exit 4, where nothing is decided', slow, async () => {
  const args = [...domains, ...deaf, '--json']
  const { code, stdout } = await run('domains check', args, furnished())
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'undecided' })
  expect(code).toBe(4)
})

// Each signal, and each command that takes its time.
describe('exit 130, interrupted', slow, () => {
  test.for<[string, string[], RegExp, NodeJS.Signals]>([
    ['check', ['SILENT', ...keyed], /seed/, 'SIGTERM'],
    ['mutants', ['--suite', 'limits', '--json'], /to prove/, 'SIGINT'],
    ['domains watch', [...domains, ...deaf, '--json'], /waiting for www\.farm\.test/, 'SIGHUP'],
  ])('%s', async ([name, args, pattern, signal]) => {
    const requested = Promise.withResolvers<void>()
    const silent = await serveWith(() => requested.resolve())
    const words = args.map((word) => (word === 'SILENT' ? `${silent}/v1` : word))
    const started = start([...name.split(' '), ...words], { folder: furnished() })
    await started.printedError(pattern)
    if (args.includes('SILENT')) await requested.promise
    started.interrupt(signal)
    const { code, stdout, stderr } = await started.ended
    if (args.includes('--json')) JSON.parse(stdout)
    else expect(stdout).toContain('petvet: interrupted')
    expect(stderr).not.toMatch(/ {4}at /)
    expect(code).toBe(130)
  })
})

const validArgs = ['check', nowhere, ...keyed]

describe('exit 2, and nothing written, for', () => {
  test.for([
    ['no target', ['check'], 'petvet demo'],
    ['an empty target', ['check', '', ...keyed], 'the base URL is empty'],
    ['the help of an unknown command', ['nosuch', '--help'], 'unknown command'],
    ['the help of an unknown command of a group', ['domains', 'chek', '--help'], 'mean check?'],
    ['an unknown mutant', ['serve', '--mutant', 'nosuch'], 'petvet mutants --list'],
    ['a key without a plan', ['check', nowhere, '--key', 'k'], '--key takes PLAN=KEY'],
    ['no key', ['check', nowhere], 'no API key'],
    ['a bad address', ['check', 'ftp://x/', ...keyed], 'http:// or https://'],
    ['no known failures', [...validArgs, '--known', 'none.txt'], '--known none.txt'],
    ['a key that is none', ['serve', '--keys', 'free=abcd=e'], 'of --keys is no bearer token'],
    [
      'an Enterprise key',
      ['serve', '--keys', 'enterprise=abcd'],
      'an enterprise key needs its perMinute',
    ],
    ['a key twice', ['serve', '--keys', 'free=key-1,pro=key-1'], 'the same key is given twice'],
    ['a query', ['init', `${nowhere}?`], 'must end with its path'],
    ['a key in place of its plan', ['init', '--plan', 'enterprise=abcde'], 'not the key'],
    ['an invalid clock', ['init', '--clock', 'noon'], 'invalid clock'],
    ['two forms', ['compare', 'a', 'b', '--json', '--as', 'text'], 'exclude each other'],
    ['an unknown report', [...validArgs, '--report', 'pdf'], 'unknown report format "pdf"'],
  ] as const)('%s', async ([, args, message]) => {
    const folder = emptyFolder()
    const { code, stdout, stderr } = await petvet(args, { folder })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^petvet: .+\n$/)
    expect(stderr).not.toContain('abcde')
    expect([code, stdout, readdirSync(folder)]).toEqual([2, '', []])
  })

  test.for([
    ['an unknown member', ['check'], 'petvet.config.yaml', 'line 2: keyz is unknown; did you mean'],
    ['a folder with a run', [...validArgs, '--out', '.'], 'run.json', 'already contains a run'],
  ] as const)('%s', async ([, args, name, says]) => {
    const folder = folderWith({ [name]: `target: ${nowhere}\nkeyz: []\n` })
    const { code, stderr } = await petvet(args, { folder })
    expect(stderr).toContain(says)
    expect([code, readdirSync(folder)]).toEqual([2, [name]])
  })

  test.for([
    ['demo', ['demo', '--out', 'file/run']],
    ['demo, with a file in its place', ['demo', '--out', 'file']],
    ['report', ['report', 'run', '--as', 'junit', '--out', 'file/run']],
  ] as const)('a folder that cannot be written: %s', async ([, args]) => {
    const { code, stdout, stderr } = await petvet(args, { folder: furnished() })
    expect(stderr).toMatch(/^petvet: cannot write to .+: choose another folder with --out\n$/)
    expect([code, stdout]).toEqual([2, ''])
  })
})

const ofWork = /stoplight|fast-check|undici|\/ajv\/|\/yaml\/|fast-xml/
const ofDomains = /dns-packet|tldts|\/@peculiar\/x509/

test.for([
  [['--help'], 'petvet check [base-url]', ofWork],
  [['domains', 'check', '--help'], 'petvet domains check', ofDomains],
  [['explain', 'domain-cname'], 'domain-cname', ofDomains],
] as const)('%j loads no work', slow, async ([args, says, work]) => {
  const how = { folder: emptyFolder(), nodeFlags: printLoads }
  const { code, stdout, stderr } = await petvet(args, how)
  expect([code, stdout]).toEqual([0, expect.stringContaining(says)])
  expect(stderr).toContain('cli/main.ts')
  expect(stderr).toContain('/yargs/')
  expect(stderr).not.toMatch(work)
})
