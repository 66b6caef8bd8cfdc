// docs/publishing.md is right: its flags, its file, its numbers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { main } from '../../cli/main.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { root } from '../../tests/layout/sources.ts'
import { domainSubjects } from '../faults/domain-mutants.ts'
import { lintDomains } from '../rules/lint.ts'

const text = readFileSync(join(root, 'docs/publishing.md'), 'utf8')

test('the flags exist', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  for (const word of ['lint', 'plan', 'check', 'watch', 'removed', 'demo']) {
    await main(['domains', word, '--help'])
  }
  await main(['mutants', '--help'])
  const help = log.mock.calls.flat().join('\n')
  const flags = [...text.matchAll(/(?<![\w-])(--[a-z]+(?:-[a-z]+)*)/g)].map(([flag]) => flag)
  expect(flags.length).toBeGreaterThan(20)
  expect(flags.filter((flag) => !help.includes(flag))).toEqual([])
})

test('the file that it shows is valid', () => {
  const files = [...text.matchAll(/```yaml\n([^`]+)```/g)].map(([, yaml = '']) => yaml)
  expect(files.map((yaml) => lintDomains(parseYaml(yaml)).faults)).toEqual([[]])
})

test('the numbers are right', () => {
  const [faults, rest] = [/runs (\d+) faults/, /and (\d+)\s+legal/].map((pattern) =>
    Number(pattern.exec(text)?.[1]),
  )
  const own = domainSubjects.filter(({ kind }) => kind === 'mutant').length
  expect([faults, rest]).toEqual([own, domainSubjects.length - own])
})
