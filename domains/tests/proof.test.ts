// A sample of the faults and legal variants of published projects; `petvet mutants` proves all.
import { expect, test } from 'vitest'
import { judgeProject } from '../../proof/judge-project.ts'
import { subjects } from '../../proof/subjects.ts'
import { requirement, requirementIds } from '../../spec/requirements.ts'
import { domainSubjects } from '../faults/domain-subjects.ts'

test('there are enough of each kind, each with its own id', () => {
  const count = (kind: string) => domainSubjects.filter((each) => each.kind === kind).length
  expect(count('mutant')).toBeGreaterThanOrEqual(45)
  expect(count('legal')).toBeGreaterThanOrEqual(34)
  const inconclusive = domainSubjects.filter((each) => 'inconclusive' in each)
  expect(inconclusive.length).toBeGreaterThanOrEqual(3)
  const ids = subjects.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
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

/** `petvet mutants --suite domains` proves all. */
const sample = domainSubjects.filter((_, index) => index % 8 === 1)

test.for(sample.map((project) => [project.id, project] as const))(
  'the project %s is judged correctly',
  // On a busy machine a response may take longer than a check waits, once.
  { retry: 1 },
  async ([, project]) => {
    expect((await judgeProject(project)).complaint).toBeNull()
  },
)
