// The action, as far as it runs here: its inputs, and the script of its one step.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  authorityName,
  marker,
  platformHost,
  primary,
  redirects,
  startDemo,
} from '../../domains/demo/start-demo.ts'
import { mutants } from '../../reference/mutants.ts'
import type { Mutant } from '../../reference/variant.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { emptyFolder, folderWith, runShell, writeCommands } from '../e2e/petvet.ts'
import { root, textOf } from '../layout/sources.ts'
import { isProof } from '../sample.ts'
import { serveReference } from '../serve-reference.ts'
import { fillInputs } from './consumer.ts'

const key = 'petvet-test-key-action'

interface Step {
  readonly id?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

const action = parseYaml(textOf('action.yml')) as unknown as Action
const stepOf = (wanted: string) => action.runs.steps.find(({ id }) => id === wanted)
const step = stepOf('check')

/** Runs the step in an empty folder. */
const runStep = async (
  given: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
  node = `exec "${process.execPath}" "$@"`,
) => {
  const folder = folderWith(files)
  // The packages are there, none is installed now, and the Node is that of the test.
  writeCommands(folder, { npm: 'exit 70', node })
  const output = join(folder, 'output')
  const env = {
    ...fillInputs(step?.env ?? {}, given, action.inputs),
    GITHUB_ACTION_PATH: root,
    GITHUB_OUTPUT: output,
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    KEY: key,
  }
  const { code, stdout, stderr } = await runShell(step?.run ?? '', folder, env, 'bash')
  const written = existsSync(output) ? readFileSync(output, 'utf8') : ''
  return { code, said: stdout + stderr, output: written, folder }
}

const target = async (variant: Mutant | object = {}): Promise<string> =>
  (await serveReference({ keys: [{ plan: 'business', key }], variant })).url

const flags = '--key\nbusiness=$KEY\n--only\nlist-valid-200\n--seed\n7\n'
const all = flags.replace('list-valid-200', 'list-limit-most')

describe('the step', () => {
  test('checks the target of a configuration, keeps the run and outputs its verdict', async () => {
    const config = `{"target": "${await target()}"}`
    const { code, output, folder } = await runStep({ flags }, { 'petvet.config.json': config })
    expect(code).toBe(0)
    expect(output.trim().split('\n')).toEqual([
      'run=petvet-run/run.json',
      'verdict=conformant',
      'junit=petvet-run/junit.xml',
      'badge=petvet-run/badge.json',
    ])
    const badge = JSON.parse(readFileSync(join(folder, 'petvet-run/badge.json'), 'utf8'))
    expect(badge).toMatchObject({ schemaVersion: 1, color: 'brightgreen' })
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toMatch(
      /petvet: (?:conformant|no violations found)/,
    )
  })

  test('fails where the target fails, once its reports are written', async () => {
    const mutant = mutants.find(({ id }) => id === 'list-limit-ignored')
    const { code, output, said, folder } = await runStep({
      target: await target(mutant),
      flags: all,
    })
    expect(code).toBe(1)
    expect(output).toContain('verdict=not-conformant\njunit=petvet-run/junit.xml\n')
    expect(readFileSync(join(folder, 'petvet-run/junit.xml'), 'utf8')).toContain('<failure')
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('list-limit-most')
    expect(said).toMatch(/^::error .*list-limit-most/m)
    expect(said).not.toContain(key)
  })

  test.runIf(isProof)('takes known failures and folders with spaces and quotes', async () => {
    const mutant = mutants.find(({ id }) => id === 'list-limit-ignored')
    const out = `the "run" of it's $(touch stolen)`
    const known = "known 'failures'.txt"
    const given = { target: await target(mutant), flags: all, out, known }
    const { code, output, folder } = await runStep(given, {
      [known]: 'list-limit-most  Fetches too many.\n',
    })
    expect([code, existsSync(join(folder, 'stolen'))]).toEqual([0, false])
    expect(output).toContain(`run=${out}/run.json\n`)
  })

  test('does not read a second line of a folder as another output', async () => {
    const { code, output } = await runStep({ target: await target(), out: 'a\nverdict=conformant' })
    expect([code, output]).toEqual([2, ''])
  })

  test.runIf(isProof)('masks a key that is given as text', async () => {
    const given = { target: await target(), flags: flags.replace('$KEY', key) }
    const { code, said } = await runStep(given)
    expect(code).toBe(0)
    expect(said).toContain(`::add-mask::${key}\n`)
    expect(said.replace(`::add-mask::${key}`, '')).not.toContain(key)
  })

  test('ends as petvet ends, with no verdict where there was no run', async () => {
    const { code, output, said } = await runStep({ target: 'here', flags })
    expect([code, output]).toEqual([2, ''])
    expect(said).toContain('invalid base URL; expected for example')
  })

  test('refuses a run without a target', async () => {
    // A variable of the repository that is not set is an empty input.
    const { code, output, said } = await runStep({ target: '' })
    expect([code, output]).toEqual([2, ''])
    expect(said).toMatch(/^petvet: no target: /)
  })

  test('checks domains instead of a target', async () => {
    const demo = await startDemo({}, null)
    onTestFinished(demo.close)
    const files = {
      'domains.json': JSON.stringify({ domains: { primary, redirects } }),
      'root.pem': demo.rootPem,
    }
    const named = { 'platform-host': platformHost, marker, resolver: demo.dns, ca: authorityName }
    const ports = { 'https-port': demo.httpsPort, 'http-port': demo.httpPort }
    const words = Object.entries({ ...named, ...ports, 'ca-file': 'root.pem' })
    const given = words.map(([name, value]) => `--${name}=${value}\n`).join('')
    const { code, output, folder } = await runStep({ domains: 'domains.json', flags: given }, files)
    expect([code, output]).toEqual([0, expect.stringContaining('verdict=conformant\n')])
    const badge = readFileSync(join(folder, 'petvet-run/badge.json'), 'utf8')
    expect(JSON.parse(badge)).toMatchObject({ label: 'custom domains', color: 'brightgreen' })
    const both = { domains: 'domains.json', target: 'http://127.0.0.1:9/v1' }
    expect((await runStep(both, files)).code).toBe(2)
  })

  test('outputs no verdict of an interrupted run', async () => {
    const run = JSON.stringify({ verdict: 'conformant', interrupted: true })
    const end = `mkdir petvet-run; echo '${run}' >petvet-run/run.json; exit 130`
    const node = `case "$1" in *petvet.js) ${end} ;; esac; exec "${process.execPath}" "$@"`
    const { code, output } = await runStep({ target: 'http://127.0.0.1/v1' }, {}, node)
    expect([code, output]).toEqual([130, 'run=petvet-run/run.json\nverdict=interrupted\n'])
  })

  test.for([
    ['flags that run nothing', { flags: '--help' }, 3],
    ['the run of another job in its folder', { out: '.' }, 2],
  ] as const)('is not green with %s, and outputs no verdict', async ([, given, expected]) => {
    const files = { 'run.json': '{"verdict": "conformant"}' }
    const { code, output } = await runStep({ target: 'http://127.0.0.1:9/v1', ...given }, files)
    expect([code, output]).toEqual([expected, ''])
  })

  test('does not read an input as script, nor an address as a flag', async () => {
    const hostile = '--out=$(touch stolen)`touch stolen`; touch stolen'
    const { code, folder } = await runStep({ target: hostile, flags: '' })
    expect([code, existsSync(join(folder, 'stolen'))]).toEqual([2, false])
  })
})

test('packages are installed before, without their scripts and without a key', async () => {
  const folder = emptyFolder()
  writeCommands(folder, { npm: `cd "${folder}"; echo "$@" >words; env >variables` })
  const env = { GITHUB_ACTION_PATH: root, KEY: key, HTTPS_PROXY: 'http://127.0.0.1:9' }
  const { code } = await runShell(stepOf('install')?.run ?? 'exit 1', folder, env, 'bash')
  expect(code).toBe(0)
  expect(readFileSync(join(folder, 'words'), 'utf8')).toMatch(/^ci .*--ignore-scripts/)
  const variables = readFileSync(join(folder, 'variables'), 'utf8')
  expect(variables).toContain('HTTPS_PROXY=http://127.0.0.1:9\n')
  expect(variables).not.toContain(key)
  const ids = action.runs.steps.map(({ id }) => id)
  expect(ids.indexOf('install')).toBeLessThan(ids.indexOf('check'))
})

test('every input of the action is used, and none that is not there', () => {
  const text = textOf('action.yml')
  const used = new Set([...text.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name))
  expect([...used].toSorted()).toEqual(Object.keys(action.inputs).toSorted())
})
