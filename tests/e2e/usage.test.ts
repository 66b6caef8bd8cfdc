// Wrong usage: one line that says what to do, exit 2, and nothing written. Help stays light.
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder, petvet, printLoads } from './petvet.ts'

const base = 'http://127.0.0.1:9/v1'
const validArgs = ['check', base, '--key', 'free=key-1']

describe('exit 2 for', () => {
  test.for([
    ['an unknown flag', [...validArgs, '--sede', '1'], 'did you mean --seed?'],
    ['an unknown command', ['chek'], 'did you mean check?'],
    ['a seed that is none', [...validArgs, '--seed', 'abc'], '--seed takes a whole number'],
    ['a seed given twice', [...validArgs, '--seed', '1', '--seed', '2'], 'given more than once'],
    ['no target', ['check'], 'petvet demo'],
    ['an empty target', ['check', '', '--key', 'free=key-1'], 'the base URL is empty'],
    ['the help of an unknown command', ['nosuch', '--help'], 'unknown command'],
    ['the help of an unknown command of a group', ['domains', 'chek', '--help'], 'mean check?'],
    ['an unknown mutant', ['serve', '--mutant', 'nosuch'], 'petvet mutants --list'],
    ['a key without a value', ['check', base, '--key'], '--key needs a value'],
    ['a key without a plan', ['check', base, '--key', 'k'], '--key takes PLAN=KEY'],
    ['no key', ['check', base], 'no API key'],
    ['an unknown plan', ['check', base, '--key', 'fre=key-1'], 'did you mean free?'],
    ['what is no plan', ['check', base, '--key', 'c2VjcmV0a2V5=='], 'a key has its plan before'],
    [
      'a key that is too long',
      ['check', base, '--key', `free=${'k'.repeat(5_000)}`],
      'longer than',
    ],
    ['enterprise without numbers', ['check', base, '--key', 'enterprise=key-1'], 'perMinute'],
    ['a variable that is not set', ['check', base, '--key', 'free=$NOPE'], '$NOPE, which is not'],
    ['a bad address', ['check', 'ftp://x/', '--key', 'free=key-1'], 'http:// or https://'],
    ['an unknown report', [...validArgs, '--report', 'pdf'], 'unknown report format "pdf"'],
    ['an unknown permission', [...validArgs, '--allow', 'all'], 'unknown permission "all"'],
    [
      'a glob that matches nothing',
      [...validArgs, '--only', 'zebra*'],
      '"zebra*" matches no check',
    ],
    [
      'known failures that are not there',
      [...validArgs, '--known', 'none.txt'],
      '--known none.txt',
    ],
    [
      'a key for the built-in reference',
      ['check', '--key', 'free=key-1'],
      '--key needs a base URL',
    ],
  ] as const)('%s', async ([, args, message]) => {
    const folder = emptyFolder()
    const { code, stdout, stderr } = await petvet(args, { folder })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^petvet: .+\n$/)
    expect(stderr).not.toContain('c2VjcmV0a2V5')
    expect([code, stdout, readdirSync(folder)]).toEqual([2, '', []])
  })

  test('an unknown member of the configuration, with its line', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'petvet.config.yaml'), `target: ${base}\nkeyz: []\n`)
    const { code, stderr } = await petvet(['check'], { folder })
    expect(stderr).toContain('petvet.config.yaml, line 2: keyz is unknown; did you mean keys?')
    expect([code, readdirSync(folder)]).toEqual([2, ['petvet.config.yaml']])
  })

  test('a folder that holds a run', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'run.json'), '{}')
    const { code, stderr } = await petvet([...validArgs, '--out', '.'], { folder })
    expect(stderr).toContain('already contains a run')
    expect([code, readdirSync(folder)]).toEqual([2, ['run.json']])
  })
})

describe('a folder that cannot be written', () => {
  test.for([
    ['demo', ['demo', '--out', 'file/run']],
    ['demo, with a file in its place', ['demo', '--out', 'file']],
    ['report', ['report', 'run', '--as', 'junit', '--out', 'file/run']],
  ] as const)('%s', async ([, args]) => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'file'), '')
    cpSync(join(import.meta.dirname, '../../reports/samples'), join(folder, 'run'), {
      recursive: true,
    })
    const { code, stdout, stderr } = await petvet(args, { folder })
    expect(stderr).toMatch(/^petvet: cannot write to .+: choose another folder with --out\n$/)
    expect([code, stdout]).toEqual([2, ''])
  })
})

test('help loads no work', async () => {
  const { code, stdout, stderr } = await petvet(['--help'], {
    folder: emptyFolder(),
    nodeFlags: printLoads,
  })
  expect(code).toBe(0)
  expect(stdout).toContain('petvet check [base-url]')
  expect(stderr).toContain('cli/main.ts')
  expect(stderr).toContain('/yargs/')
  expect(stderr).not.toMatch(/stoplight|fast-check|undici|\/ajv\/|\/yaml\/|fast-xml/)
})
