// A project's start: what init writes is what check reads, and nothing is written over.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseYaml } from '../../spec/yaml.ts'
import { stepsOf } from '../packaging/consumer.ts'
import { serveReference } from '../serve-reference.ts'
import { emptyFolder, execPetvet, petvet, readRunFile, runShell, writeCommands } from './petvet.ts'

const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8')

test('what it writes is a configuration that plan and check take', async () => {
  const folder = emptyFolder()
  const flags = ['--plan', 'free', '--plan', 'free', '--plan', 'enterprise', '--ci', 'none']
  const made = await petvet(['init', 'https://staging.example.com/v1', ...flags], { folder })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain('wrote petvet.config.yaml\n')
  expect(made.stdout).toContain('export FREE_KEY_2=...')
  const env = { FREE_KEY: 'key-one', FREE_KEY_2: 'key-two', ENTERPRISE_KEY: 'key-three' }
  const planned = await petvet(['plan'], { folder, env })
  expect(planned).toMatchObject({ code: 0, stderr: expect.stringMatching(/^petvet: measuring/) })
  expect(planned.stdout).toContain('https://staging.example.com/v1')
})

const key = 'petvet-test-key-init'

const target = async (): Promise<string> =>
  (await serveReference({ keys: [{ plan: 'pro', key }] })).url

/** Runs a script in a shell where what `npm` installs as petvet is the checkout. */
const runScript = async (script: string, folder: string) => {
  const npm = `cd "${folder}"; echo "$@" >npm-words; env >npm-env`
  writeCommands(folder, { petvet: execPetvet, npm })
  const env = { PRO_KEY: key, HTTPS_PROXY: 'http://127.0.0.1:9' }
  return (await runShell(script, folder, env)).code
}

test.for([
  ['github', '.github/workflows/petvet.yml', 'report.md'],
  ['gitlab', '.gitlab/petvet.gitlab-ci.yml', 'junit.xml'],
] as const)(
  'a workflow for %s is valid YAML, names the secrets, and runs',
  async ([ci, path, report]) => {
    const folder = emptyFolder()
    const made = await petvet(['init', await target(), '--plan', 'pro', '--ci', ci], { folder })
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const text = read(folder, path)
    expect(text).toContain('PRO_KEY')
    // A step with secrets has them, and another one has not.
    const lines = stepsOf[ci](text).map(({ run, hasKeys }) =>
      hasKeys ? run : `env -u PRO_KEY ${run}`,
    )
    const script = lines.join(' && ')
    expect(await runScript(`${script} --only list-valid-200`, folder)).toBe(0)
    const words = /^install --global --ignore-scripts petvet@\d+\.\d+\.\d+\n$/
    expect(read(folder, 'npm-words')).toMatch(words)
    expect(read(folder, 'npm-env')).toContain('HTTPS_PROXY=http://127.0.0.1:9\n')
    expect(read(folder, 'npm-env')).not.toContain(key)
    expect(readRunFile(join(folder, 'petvet-run')).verdict).toBe('conformant')
    expect(existsSync(join(folder, 'petvet-run', report))).toBe(true)
    // Without its configuration the built-in reference would be vetted, and be green.
    expect(await runScript(script, emptyFolder())).toBe(2)
  },
)

test('without a terminal what the flags do not give is the default', async () => {
  const folder = emptyFolder()
  expect((await petvet(['init', '--ci', 'github'], { folder, input: 'x\n' })).code).toBe(0)
  expect(readdirSync(folder).toSorted()).toEqual(['.github', 'petvet.config.yaml'])
  expect(parseYaml(read(folder, 'petvet.config.yaml'))).toEqual({
    target: 'http://127.0.0.1:8080/v1',
    keys: [{ plan: 'free', key: '$FREE_KEY' }],
  })
})

test('where one file cannot be written, none is', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, '.github'), 'a file where a folder has to be')
  const { code, stderr } = await petvet(['init', '--ci', 'github'], { folder })
  expect([code, readdirSync(folder)]).toEqual([2, ['.github']])
  expect(stderr).toMatch(/^petvet: cannot write \.github\/workflows\/petvet\.yml: E[A-Z]+\n$/)
})

test('an existing file stays, unless --force is given', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'petvet.config.yaml'), 'mine')
  const refused = await petvet(['init'], { folder })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe(
    'petvet: petvet.config.yaml already exists: add --force, or move it\n',
  )
  expect(read(folder, 'petvet.config.yaml')).toBe('mine')
  expect(await petvet(['init', '--force'], { folder })).toMatchObject({ code: 0 })
  expect(read(folder, 'petvet.config.yaml')).toContain('target: "http://127.0.0.1:8080/v1"')
})

test('workflows are written next to an edited configuration, with its variables', async () => {
  const folder = emptyFolder()
  const mine = 'target: http://127.0.0.1:1/v1\nkeys: [{ plan: pro, key: $MY_OWN_KEY }]\n'
  writeFileSync(join(folder, 'petvet.config.yml'), mine)
  for (const ci of ['github', 'gitlab']) {
    const made = await petvet(['init', '--ci', ci], { folder })
    expect(made).toMatchObject({ code: 0, stderr: 'petvet: petvet.config.yml stays as it is\n' })
    expect(made.stdout).toContain('export MY_OWN_KEY=...')
  }
  expect(read(folder, 'petvet.config.yml')).toBe(mine)
  for (const path of ['.github/workflows/petvet.yml', '.gitlab/petvet.gitlab-ci.yml']) {
    expect(read(folder, path)).toContain('MY_OWN_KEY')
    expect(read(folder, path)).toContain('--config petvet.config.yml --strict')
  }
})

test('no second configuration is written next to one', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'petvet.config.json'), '{}')
  const { code, stderr } = await petvet(['init'], { folder })
  expect(stderr).toMatch(/^petvet: petvet\.config\.json already exists: .+\n$/)
  expect([code, readdirSync(folder)]).toEqual([2, ['petvet.config.json']])
})
