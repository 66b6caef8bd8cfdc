// A project's start: what init writes is what check reads, and nothing is written over.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseYaml } from '../../spec/yaml.ts'
import { emptyFolder, petvet } from './petvet.ts'

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
  expect(planned).toMatchObject({ code: 0, stderr: '' })
  expect(planned.stdout).toContain('https://staging.example.com/v1')
})

describe('a workflow', () => {
  test.for([
    ['github', '.github/workflows/petvet.yml'],
    ['gitlab', '.gitlab/petvet.gitlab-ci.yml'],
  ])('for %s is sound YAML that names the secrets', async ([ci = '', path = '']) => {
    const folder = emptyFolder()
    const made = await petvet(['init', '--plan', 'pro', '--ci', ci], { folder })
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const text = read(folder, path)
    expect(parseYaml(text)).toBeTypeOf('object')
    expect(text).toContain('PRO_KEY')
    expect(text).toMatch(/npx --yes petvet@\d+\.\d+\.\d+ check/)
  })
})

test('a file that is there stays, unless it is to be written over', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'petvet.config.yaml'), 'mine')
  const refused = await petvet(['init', '--ci', 'github'], { folder })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe(
    'petvet: petvet.config.yaml is there already: add --force to write over it\n',
  )
  expect(read(folder, 'petvet.config.yaml')).toBe('mine')
  expect(await petvet(['init', '--force'], { folder })).toMatchObject({ code: 0 })
  expect(read(folder, 'petvet.config.yaml')).toContain('target: "http://127.0.0.1:8080/v1"')
})

describe('a mistake is told in a line', () => {
  test.for<[string, string[], RegExp]>([
    ['an address', ['init', 'here'], /the base-url is no address/],
    ['a plan', ['init', '--plan', 'fre'], /did you mean free\?/],
    ['a clock', ['init', '--clock', 'noon'], /the clock is no address/],
    ['a CI', ['init', '--ci', 'jenkins'], /ci/i],
  ])('%s', async ([, args, said]) => {
    const ended = await petvet(args, { folder: emptyFolder() })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(said)
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  })
})
