// The component for GitLab, as far as it runs here: its inputs, and the script of its job.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseYaml } from '../../spec/yaml.ts'
import { execPetvet, folderWith, runShell, writeCommands } from '../e2e/petvet.ts'
import { textOf } from '../layout/sources.ts'
import { sample } from '../sample.ts'
import { serveReference } from '../serve-reference.ts'
import { fillInputs } from './consumer.ts'

const key = 'petvet-test-key-gitlab'

interface Head {
  readonly spec: {
    readonly inputs: Readonly<Record<string, { default?: string; regex?: string }>>
  }
}

interface Config {
  readonly petvet: {
    readonly variables: Readonly<Record<string, { value: string; expand: boolean }>>
    readonly script: readonly string[]
    readonly artifacts: unknown
  }
}

const text = textOf('templates/petvet.yml')
const [head = '', body = ''] = text.split('\n---\n')
const { inputs } = (parseYaml(head) as unknown as Head).spec
const { petvet: job } = parseYaml(body) as unknown as Config

const variables = Object.fromEntries(
  Object.entries(job.variables).map(([name, { value }]) => [name, value]),
)

/** Runs the script in an empty folder, where what `npm` installs as petvet is the checkout. */
const runJob = async (
  given: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
) => {
  const folder = folderWith(files)
  writeCommands(folder, { petvet: execPetvet, npm: 'echo "$@" >npm-words; env >npm-env' })
  const script = ['set -e', ...job.script].join('\n')
  const { code, stdout, stderr } = await runShell(script, folder, {
    ...fillInputs(variables, given, inputs),
    KEY: key,
  })
  return { code, said: stdout + stderr, folder }
}

const target = async (): Promise<string> =>
  (await serveReference({ keys: [{ plan: 'business', key }] })).url

const flags = '--key business=$KEY --seed 7 --only list-valid-*'

test('the job vets the target of its inputs, and writes what it publishes', async () => {
  const known = "it's $(touch stolen) known.txt"
  const given = { target: await target(), version: '1.2.3', flags, known }
  // A file that the flags would name, if the shell took their * for its own.
  const files = { [known]: '', 'list-valid-file': '' }
  const { code, said, folder } = await runJob(given, files)
  expect(code, said).toBe(0)
  expect(said).toMatch(/petvet: (?:conformant|no violations found)/)
  expect(said).not.toContain(key)
  const npm = (name: string) => readFileSync(join(folder, `npm-${name}`), 'utf8')
  expect(npm('words')).toMatch(/^install --global --ignore-scripts .*petvet@1\.2\.3\n$/)
  expect(npm('env')).toContain('PATH=')
  expect(npm('env')).not.toContain(key)
  for (const name of ['junit.xml', 'report.html', 'badge.json']) {
    expect(existsSync(join(folder, 'petvet-run', name)), name).toBe(true)
  }
  expect(existsSync(join(folder, 'stolen'))).toBe(false)
})

test('it ends as petvet ends, and keeps the report of its tests always', async () => {
  const { code } = await runJob({ target: 'here', version: '1.2.3', flags }, {})
  expect(code).toBe(2)
  expect(job.artifacts).toMatchObject({
    when: 'always',
    reports: { junit: 'petvet-run/junit.xml' },
  })
})

test.for([
  ['no configuration', '', {}],
  ['none read', '--no-config', { 'petvet.config.json': '{"target": "http://127.0.0.1:9/v1"}' }],
] as const)('it refuses a run without a target, with %s', async ([, given, files]) => {
  const { code, said } = await runJob({ version: '1.2.3', flags: given }, files)
  expect(code).toBe(2)
  expect(said).toMatch(/^petvet: no target: /)
})

const configured = [
  ['the usual one', 'petvet.config.yaml', ''],
  ['one named behind a tab, on a line of its own', 'ci.yaml', '\n\t--config=ci.yaml\n'],
] as const

test.for(sample(configured, 2))(
  'it takes the target of a configuration, %s',
  async ([, name, more]) => {
    const files = { [name]: `target: ${await target()}\n` }
    const { code, said } = await runJob({ version: '1.2.3', flags: `${flags}${more}` }, files)
    expect(code, said).toBe(0)
  },
)

const notGreen = [
  ['a target that is a flag', '--help', '', 2],
  ['a flag that would take the target for its value', 'http://127.0.0.1:9/v1', '--out', 2],
  ['two dashes that would hide the target', 'http://127.0.0.1:9/v1', '--seed 7 --', 2],
  ['flags that run nothing', 'http://127.0.0.1:9/v1', '--help', 3],
] as const

test.for(sample(notGreen, 4))('it is not green with %s', async ([, address, given, code]) => {
  const ended = await runJob({ target: address, version: '1.2.3', flags: given }, {})
  expect(ended).toMatchObject({ code, said: expect.not.stringContaining('conformant') })
})

test('inputs are variables that GitLab does not expand, and each is used', () => {
  expect(JSON.stringify(job.script)).not.toContain('[[')
  const { variables } = job
  expect(Object.values(variables).filter(({ expand }) => expand !== false)).toEqual([])
  const used = [...body.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name)
  expect(new Set(used)).toEqual(new Set(Object.keys(inputs)))
})

test('the version is exact', () => {
  const exact = new RegExp(inputs.version?.regex ?? '$^')
  expect(['0.1.0', '1.2.3-rc.1'].filter((version) => !exact.test(version))).toEqual([])
  expect(
    ['latest', '1', '1.2.3;rm', '^1.2.3', ''].filter((version) => exact.test(version)),
  ).toEqual([])
})
