// What is said of the faults and legal variants of published projects, and a sample of their proof;
// the net proves all.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeProject } from '../../proof/judge-project.ts'
import { requirement, requirementIds } from '../../spec/requirements.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { root } from '../../tests/layout/sources.ts'
import { domainSubjects } from '../faults/domain-subjects.ts'
import { lintDomains } from '../rules/lint.ts'

const text = readFileSync(join(root, 'docs/publishing.md'), 'utf8')

test('the file that docs/publishing.md shows is valid, and its numbers are right', () => {
  const files = [...text.matchAll(/```yaml\n([^`]+)```/g)].map(([, yaml = '']) => yaml)
  expect(files.map((yaml) => lintDomains(parseYaml(yaml)).faults)).toEqual([[]])
  const [faults, rest] = [/runs (\d+) faults/, /and (\d+)\s+legal/].map((pattern) =>
    Number(pattern.exec(text)?.[1]),
  )
  const own = domainSubjects.filter(({ kind }) => kind === 'mutant').length
  expect([faults, rest]).toEqual([own, domainSubjects.length - own])
})

test('each binding requirement that shows has a fault that violates it', () => {
  const violated = new Set(
    domainSubjects.map((subject) => (subject.kind === 'mutant' ? subject.breaks : '')),
  )
  const others = requirementIds.filter((id) => {
    const { untestable, level } = requirement(id)
    const isBinding = untestable === undefined && level !== 'open'
    return /^publishing\.(?!no-operation)/.test(id) && isBinding && !violated.has(id)
  })
  // That several domains can be attached shows only if a person tries.
  expect(others).toEqual(['publishing.several'])
})

const sample = domainSubjects.filter((_, index) => index % 16 === 1)

test.for(sample.map((project) => [project.id, project] as const))(
  'the project %s is judged correctly',
  // On a busy machine a response may take longer than a check waits, once.
  { retry: 1 },
  async ([, project]) => {
    expect((await judgeProject(project)).complaint).toBeNull()
  },
)
