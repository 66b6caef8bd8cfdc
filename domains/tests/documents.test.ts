// docs/publishing.md is right: its file and its numbers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseYaml } from '../../spec/yaml.ts'
import { root } from '../../tests/layout/sources.ts'
import { domainSubjects } from '../faults/domain-subjects.ts'
import { lintDomains } from '../rules/lint.ts'

const text = readFileSync(join(root, 'docs/publishing.md'), 'utf8')

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
