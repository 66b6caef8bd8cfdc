// The action, as far as it runs here: its inputs, and the script of its one step.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startReference } from '../../reference/start.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { emptyFolder } from '../e2e/petvet.ts'
import { root } from '../layout/sources.ts'

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
const step = action.runs.steps.find(({ id }) => id === 'check')

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
const runStep = (given: Readonly<Record<string, string>>) => {
  const folder = emptyFolder()
  // The packages are there, and the Node of the test is the one that the action sets up.
  const stub = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  stub('npm', 'exit 0')
  stub('node', `exec "${process.execPath}" "$@"`)
  const output = join(folder, 'output')
  const env = {
    ...filled(given),
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    GITHUB_ACTION_PATH: root,
    GITHUB_OUTPUT: output,
    FREE_KEY: key,
  }
  return new Promise<{ code: number; said: string; output: string; folder: string }>((resolve) => {
    execFile('bash', ['-c', step?.run ?? ''], { cwd: folder, env }, (error, stdout, stderr) => {
      const written = existsSync(output) ? readFileSync(output, 'utf8') : ''
      const code = error ? Number(error.code) : 0
      resolve({ code, said: stdout + stderr, output: written, folder })
    })
  })
}

const target = async (): Promise<string> => {
  const { url, close } = await startReference({
    keys: [{ plan: 'free', key }],
    store: 'memory',
    port: 0,
    onFault: () => {},
  })
  onTestFinished(close)
  return url
}

const flags = '--key\nfree=$FREE_KEY\n--only\nlist-sound-200\n--seed\n7\n'

describe('the step', () => {
  test('vets the target, keeps the run and tells its verdict', async () => {
    const { code, output, folder } = await runStep({ target: await target(), flags })
    expect([code, output]).toEqual([0, 'verdict=conformant\nrun=petvet-run/run.json\n'])
    expect(existsSync(join(folder, 'petvet-run/junit.xml'))).toBe(true)
  })

  test('ends as petvet ends, with no verdict where there was no run', async () => {
    const { code, output, said } = await runStep({ target: 'here', flags })
    expect([code, output]).toEqual([2, ''])
    expect(said).toContain('the base-url is no address')
  })

  test('takes no input for a part of its text, and no address for a flag', async () => {
    const hostile = '--out=$(touch stolen)`touch stolen`; touch stolen'
    const { code, folder } = await runStep({ target: hostile, flags: '' })
    expect([code, existsSync(join(folder, 'stolen'))]).toEqual([2, false])
  })
})

test('every input of the action is used, and none that is not there', () => {
  const text = read('action.yml')
  const used = new Set([...text.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name))
  expect([...used].toSorted()).toEqual(Object.keys(action.inputs).toSorted())
})

test('the component for GitLab is sound YAML, and keeps the report of its tests', () => {
  const [inputs = '', job = ''] = read('templates/petvet.yml').split('\n---\n')
  expect(parseYaml(inputs)).toHaveProperty('spec.inputs.stage')
  expect(parseYaml(job)).toHaveProperty('petvet.artifacts.reports.junit', 'petvet-run/junit.xml')
})
