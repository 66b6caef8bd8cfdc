// Known failures: read strictly, and each line has to earn its place.
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../suites/kit/run-file.ts'
import { judgeKnown, readKnown, withoutExcused } from './known.ts'

const result = (id: string, outcome: CheckResult['outcome']): CheckResult => ({
  id,
  requirement: 'list.success',
  level: 'must',
  outcome,
  because: null,
  detail: '',
  requests: 1,
  evidence: [],
})

const runOf = (...checks: CheckResult[]) => ({ checks }) as unknown as RunFile

test('a line is an id and a reason', () => {
  const text = '# comment\n\nlist-a  It is old.  \r\n  list-b\tAnother # one.\n'
  expect([...readKnown(text)]).toEqual([
    ['list-a', 'It is old.'],
    ['list-b', 'Another # one.'],
  ])
})

test.for([
  ['no reason', 'list-a', 'line 1: list-a is given no reason'],
  ['a second line of one id', 'list-a b\nlist-a c', 'line 2: list-a is there twice'],
])('%s is refused', ([, text = '', message = '']) => {
  expect(() => readKnown(text)).toThrow(message)
})

describe('held against a run', () => {
  const judge = (outcome: CheckResult['outcome']) =>
    judgeKnown(runOf(result('a', outcome)), new Map([['a', 'why']]), (id) => id === 'a')

  test.for(['fail', 'warn'] as const)('%s is excused', (outcome) => {
    expect([...judge(outcome).excused.keys()]).toEqual(['a'])
    expect(judge(outcome).stale.size).toBe(0)
  })

  test.for(['pass', 'observed'] as const)('%s makes the line stale', (outcome) => {
    expect([...judge(outcome).stale.keys()]).toEqual(['a'])
  })

  test.for(['untested', 'inapplicable', 'error'] as const)('%s says nothing', (outcome) => {
    expect(judge(outcome)).toEqual({ excused: new Map(), stale: new Map() })
  })

  test('a check that does not exist is stale; one that was not run is not', () => {
    const known = new Map([
      ['b', 'why'],
      ['c', 'why'],
    ])
    const { stale } = judgeKnown(runOf(), known, (id) => id === 'b')
    expect([...stale.keys()]).toEqual(['c'])
  })
})

test('only what is excused counts for less', () => {
  const run = runOf(result('a', 'fail'), result('b', 'fail'))
  const left = withoutExcused(run, { excused: new Map([['a', 'why']]), stale: new Map() })
  expect(left.map(({ outcome }) => outcome)).toEqual(['warn', 'fail'])
})
