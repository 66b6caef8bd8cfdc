// Known failures and pinned observations: read strictly, and stale lines are reported.
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { result } from '../tests/print.ts'
import {
  excusedIds,
  judgeKnown,
  nothingKnown,
  readKnown,
  withoutExcused,
} from './known-failures.ts'
import { verdictLine } from './summary.ts'

const runOf = (...checks: CheckResult[]) =>
  ({ checks, startedAt: '2026-11-20T23:59:59.999Z' }) as unknown as RunFile

test('a line is an id, perhaps a day and a ticket, and a reason', () => {
  const text =
    '# comment\n\nlist-a  It is old.  \r\n  list-b\tAnother # one.\n' +
    'list-c ticket=PET-1 until=2027-01-31 Soon.\nlist-d = 200 clamped\n'
  const { failures, pins } = readKnown(text)
  expect([...failures]).toEqual([
    ['list-a', { reason: 'It is old.', until: null, ticket: null }],
    ['list-b', { reason: 'Another # one.', until: null, ticket: null }],
    ['list-c', { reason: 'Soon.', until: '2027-01-31', ticket: 'PET-1' }],
  ])
  expect([...pins]).toEqual([['list-d', '200 clamped']])
})

test.for([
  ['no reason', 'list-a', 'line 1: list-a has no reason'],
  ['the place of a reason', 'list-a  REASON', 'line 1: list-a has no reason'],
  ['no reason behind a ticket', 'list-a ticket=A', 'line 1: list-a has no reason'],
  ['a second line of one id', 'list-a b\nlist-a c', 'line 2: list-a is listed twice'],
  ['a pin and a failure of one id', 'list-a b\nlist-a = c', 'line 2: list-a is listed twice'],
  ['a line without an id', '= 200', 'line 1: "=" is not the id of a check'],
  ['a pin to nothing', 'list-a =', 'line 1: list-a is pinned to nothing'],
  ['a day that is none', 'list-a until=2026-02-30 b', 'line 1: until= expects a day'],
  ['a day in another form', 'list-a until=31.12.2026 b', 'line 1: until= expects a day'],
])('%s is refused', ([, text = '', message = '']) => {
  expect(() => readKnown(text)).toThrow(message)
})

describe('applied to a run', () => {
  const judge = (outcome: CheckResult['outcome'], line = 'a why') =>
    judgeKnown(runOf(result('a', outcome)), readKnown(line))

  test.for(['fail', 'warn'] as const)('%s is excused', (outcome) => {
    expect([...judge(outcome).excused.keys()]).toEqual(['a'])
    expect(judge(outcome).stale.size).toBe(0)
  })

  test.for(['pass', 'observed'] as const)('%s makes the line stale', (outcome) => {
    expect([...judge(outcome).stale.keys()]).toEqual(['a'])
  })

  test.for(['untested', 'inapplicable', 'error'] as const)('%s says nothing', (outcome) => {
    const { excused, stale } = judge(outcome)
    expect([...excused, ...stale]).toEqual([])
  })

  test('a day excuses to its end, and no longer', () => {
    expect(judge('fail', 'a until=2026-11-20 why').excused.get('a')).toBe('why (until 2026-11-20)')
    const { excused, stale } = judge('fail', 'a until=2026-11-19 why')
    expect(excused.size).toBe(0)
    expect(stale.get('a')).toBe('excused until 2026-11-19, and still fails')
  })

  test('a pinned observation warns if its value changed, and only then', () => {
    const moved = (detail: string, outcome: CheckResult['outcome'] = 'observed') =>
      judgeKnown(runOf(result('a', outcome, detail)), readKnown('a = 200 clamped'))
    expect(moved('400').moved?.get('a')).toBe('pinned to 200 clamped, is 400')
    expect(moved('200 clamped').moved?.size).toBe(0)
    expect(moved('a 429 came', 'untested').moved?.size).toBe(0)
    expect(moved('400').stale.size).toBe(0)
  })
})

test('only excused failures become warnings', () => {
  const run = runOf(result('a', 'fail'), result('b', 'fail'))
  const left = withoutExcused(run, {
    excused: new Map([['a', 'why']]),
    stale: new Map(),
    moved: new Map(),
  })
  expect(left.map(({ outcome }) => outcome)).toEqual(['warn', 'fail'])
})

test('the verdict says whether a failure is new', () => {
  const decided = { must: [1, 1], should: [0, 0] }
  const run = { ...runOf(result('a', 'fail')), requirements: [], decided, seed: 7 } as never
  const failing = { verdict: 'not-conformant', impossible: null, interrupted: false }
  const line = (known: string) =>
    verdictLine(
      Object.assign({}, run, failing),
      known === '' ? nothingKnown : judgeKnown(run, readKnown(known)),
    )
  expect(line('a why')).toMatch(
    /^petvet: not conformant, but only in known ways, 1 failure known \(/,
  )
  expect(line('')).toMatch(/^petvet: not conformant \(/)
})

test('what an excused failure prevents is excused with it, and nothing else', () => {
  const by = (id: string, blockedBy: string) => ({ ...result(id, 'untested'), blockedBy })
  const run = runOf(
    by('c', 'b'),
    by('b', 'a'),
    result('a', 'fail'),
    by('e', 'd'),
    result('d', 'fail'),
    by('f', 'f'),
    result('g', 'untested'),
  )
  const known = judgeKnown(run, readKnown('a why'))
  expect([...excusedIds(run, known)].sort()).toEqual(['a', 'b', 'c'])
  expect(excusedIds(run, nothingKnown).size).toBe(0)
})
