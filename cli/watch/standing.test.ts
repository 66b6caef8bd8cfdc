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
const after = (
  provokers: readonly string[],
  scope: 'failed' | 'failed first',
  ...second: CheckResult[]
) => {
  const standing = createStanding()
  const broken = result('every', 'fail', { provokers })
  standing.take(runOf(broken, result('drew', 'pass')), excusesNone, 'failed first')
  const first = [...standing.toAskFirst()]
  const turn = standing.take(runOf(result('every', 'pass'), ...second), excusesNone, scope)
  return { first, turn, failing: standing.failing() }
}

test('what drew a breach is asked again, and where it passes the sentence does', () => {
  const { first, turn, failing } = after(['drew'], 'failed', result('drew', 'pass'))
  expect([first, turn?.nowPasses, failing]).toEqual([['every', 'drew'], ['every'], []])
})

test.for([
  ['was not asked', ['drew'], 'failed first', [], 'drew, which drew it, was not asked'],
  ['was not decided', ['drew'], 'failed', [result('drew', 'untested')], 'ended untested: why'],
  ['is a whole run', [], 'failed', [], 'only all checks together draw it'],
] as const)(
  'a sentence does not pass where what drew the breach %s',
  ([, provokers, scope, second, why]) => {
    const { turn, failing } = after(provokers, scope, ...second)
    expect(turn?.nowPasses).toEqual([])
    expect(turn?.undecided).toEqual([['every', expect.stringContaining(why)]])
    expect(failing).toEqual(['every'])
  },
)

test('what all checks together drew passes in a whole round', () => {
  const { turn, failing } = after([], 'failed first')
  expect([turn?.nowPasses, failing]).toEqual([['every'], []])
})
