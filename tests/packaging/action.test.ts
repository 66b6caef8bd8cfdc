// The action, as far as it runs here: its inputs, and the script of its one step.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Mutant } from '../../reference/mutant.ts'
import { mutants } from '../../reference/mutants.ts'
import { startReference } from '../../reference/start.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { emptyFolder } from '../e2e/petvet.ts'
import { root } from '../layout/sources.ts'
import { isProof } from '../sample.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
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

const action = parseYaml(read('action.yml')) as unknown as Action
const stepOf = (wanted: string) => action.runs.steps.find(({ id }) => id === wanted)
const step = stepOf('check')

/** What the runner puts in place of an input. */
const filled = (given: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(step?.env ?? {}).map(([name, text]) => [
      name,
      text.replace(
        /\$\{\{ inputs\.(\w+) \}\}/,
        (_, input) => given[input] ?? action.inputs[input]?.default ?? '',
      ),
    ]),
  )

/** Runs the step in an empty folder. */
const runStep = (
  given: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
  node = `exec "${process.execPath}" "$@"`,
) => {
  const folder = emptyFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  // The packages are there, none is installed now, and the Node is that of the test.
  const stub = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  stub('npm', 'exit 70')
  stub('node', node)
  const output = join(folder, 'output')
  const env = {
    ...filled(given),
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    GITHUB_ACTION_PATH: root,
    GITHUB_OUTPUT: output,
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    KEY: key,
  }
  return new Promise<{ code: number; said: string; output: string; folder: string }>((resolve) => {
    execFile('bash', ['-c', step?.run ?? ''], { cwd: folder, env }, (error, stdout, stderr) => {
      const written = existsSync(output) ? readFileSync(output, 'utf8') : ''
      const code = error ? Number(error.code) : 0
      resolve({ code, said: stdout + stderr, output: written, folder })
    })
  })
}

const target = async (mutant?: Mutant): Promise<string> => {
  const { url, close } = await startReference({
    keys: [{ plan: 'business', key }],
    ...(mutant && { variant: mutant }),
    store: 'memory',
    port: 0,
    onFault: () => {},
  })
  onTestFinished(close)
  return url
}

const flags = '--key\nbusiness=$KEY\n--only\nlist-sound-200\n--seed\n7\n'
const all = flags.replace('list-sound-200', 'list-limit-most')

describe('the step', () => {
  test('checks the target, keeps the run and outputs its verdict', async () => {
    const { code, output, folder } = await runStep({ target: await target(), flags })
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

  test('takes the target of a configuration', async () => {
    const config = `{"target": "${await target()}"}`
    const { code, output } = await runStep({ flags }, { 'petvet.config.json': config })
    expect(code).toBe(0)
    expect(output).toContain('verdict=conformant\n')
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
  const npm = `#!/bin/sh\ncd "${folder}"; echo "$@" >words; env >variables\n`
  writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 })
  const paths = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, GITHUB_ACTION_PATH: root }
  const env = { ...paths, KEY: key, HTTPS_PROXY: 'http://127.0.0.1:9' }
  const code = await new Promise((resolve) => {
    execFile('bash', ['-c', stepOf('install')?.run ?? 'exit 1'], { env }, (error) =>
      resolve(error ? error.code : 0),
    )
  })
  expect(code).toBe(0)
  expect(readFileSync(join(folder, 'words'), 'utf8')).toMatch(/^ci .*--ignore-scripts/)
  const variables = readFileSync(join(folder, 'variables'), 'utf8')
  expect(variables).toContain('HTTPS_PROXY=http://127.0.0.1:9\n')
  expect(variables).not.toContain(key)
  const ids = action.runs.steps.map(({ id }) => id)
  expect(ids.indexOf('install')).toBeLessThan(ids.indexOf('check'))
})

test('every input of the action is used, and none that is not there', () => {
  const text = read('action.yml')
  const used = new Set([...text.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name))
  expect([...used].toSorted()).toEqual(Object.keys(action.inputs).toSorted())
})
