// What is known after a round that did not ask again what had failed.
import { expect, test } from 'vitest'
import sample from '../../reports/samples/run.json' with { type: 'json' }
import type { Outcome } from '../../suites/kit/outcome.ts'
import type { CheckResult, RunFile } from '../../suites/kit/run-file.ts'
import { createStanding } from './standing.ts'

const whole = sample as unknown as RunFile
const excusesNone = { excused: new Set<string>(), stale: [] } as unknown as Parameters<
  ReturnType<typeof createStanding>['take']
>[1]

const result = (id: string, outcome: Outcome, more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ id, requirement: 'list.success', level: 'must', outcome, because: null, detail: 'why' },
  ...{ requests: 1, evidence: [], ...more },
})

const runOf = (...checks: CheckResult[]): RunFile => ({
  ...whole,
  ...{ checks, requirements: [], observations: {}, impossible: null, interrupted: false },
})

/** A round in which a sentence about every answer is broken, and then another one. */
const after = (scope: 'failed' | 'failed first') => {
  const standing = createStanding()
  const [{ evidence: [seen] = [] } = {}] = whole.checks.filter(({ evidence }) => evidence.length)
  const evidence = seen ? [{ ...seen, check: 'drew' }] : []
  standing.take(runOf(result('every', 'fail', { evidence })), excusesNone, 'failed first')
  const first = [...standing.toAskFirst()]
  const turn = standing.take(runOf(result('every', 'pass')), excusesNone, scope)
  return { first, turn, failing: standing.failing() }
}

test('an invariant that failed passes in a whole round, what violated it asked first', () => {
  const { first, turn, failing } = after('failed first')
  expect([first, turn?.nowPasses, failing]).toEqual([['every', 'drew'], ['every'], []])
})

test('an invariant that failed does not pass where only what failed is asked', () => {
  const { turn, failing } = after('failed')
  expect(turn?.nowPasses).toEqual([])
  expect(turn?.undecided).toEqual([['every', 'only all checks together show it']])
  expect(failing).toEqual(['every'])
})
