// The catalogue of questions as a whole: complete, named well, and within its budget.
import { beforeAll, describe, expect, test } from 'vitest'
import { requirement, requirementIds } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { askable, costOf } from '../suites/kit/plan.ts'
import { told, type Vetted, vetReference } from './vet-reference.ts'

const ids = catalogue.map(({ id }) => id)

test('each sentence has a check, or a reason why none can decide it, or what will', () => {
  const asked = new Set(catalogue.map((question) => question.requirement))
  const unasked = requirementIds.filter((id) => {
    const { untestable, planned } = requirement(id)
    return !asked.has(id) && untestable === undefined && planned === undefined
  })
  expect(unasked).toEqual([])
})

test('no sentence that is asked about is called untestable or planned', () => {
  const asked = [...new Set(catalogue.map((question) => question.requirement))]
  const excused = asked.filter((id) => {
    const { untestable, planned } = requirement(id)
    return untestable !== undefined || planned !== undefined
  })
  expect(excused).toEqual([])
})

test('ids are unique, and say what is the case', () => {
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/)
    expect(id).not.toMatch(/should|must|test/)
  }
})

test('ids are never changed nor reused: reports of years are compared by them', () => {
  expect([...ids].sort()).toMatchSnapshot()
})

describe('on the reference, with one Free key', () => {
  let vetted: Vetted
  beforeAll(async () => {
    vetted = await vetReference({}, {})
  })

  test('everything is decided, and nothing is wrong', () => {
    const { run } = vetted
    expect(told(run, 'fail', 'warn', 'error', 'untested', 'inapplicable')).toEqual([])
    expect(run.verdict).toBe('conformant')
    expect(run.decided.must[0]).toBe(run.decided.must[1])
    expect(run.decided.should[0]).toBe(run.decided.should[1])
  })

  test('the key spends at most 240 requests, and 80 go without a valid key', () => {
    const { run } = vetted
    expect(run.requestsByKey['free-1']).toBeLessThanOrEqual(240)
    expect(run.requests - (run.requestsByKey['free-1'] ?? 0)).toBeLessThanOrEqual(80)
  })

  test('no answer is a refusal for the quota', () => {
    expect(vetted.lines.filter((line) => JSON.parse(line).response.status === 429)).toEqual([])
  })

  test('no check sends more than it declares, and the plan is what a run spends', () => {
    const options = { allow: ['write'] as const, clockUrl: '', descriptionUrl: '', keys: [] }
    const declared = new Map(
      askable(catalogue, options).map(({ id, needs }) => [id, needs.keyed + needs.anonymous]),
    )
    const over = vetted.run.checks.filter(
      ({ id, requests }) => declared.has(id) && requests > (declared.get(id) ?? 0),
    )
    expect(over.map(({ id, requests }) => `${id}: ${requests}, not ${declared.get(id)}`)).toEqual(
      [],
    )
    const { keyed, anonymous } = costOf(catalogue, options)
    expect(keyed + anonymous).toBeGreaterThanOrEqual(vetted.run.requests)
    expect(keyed).toBeLessThanOrEqual(240)
    expect(anonymous).toBeLessThanOrEqual(80)
  })
})
