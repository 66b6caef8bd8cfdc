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

  test.for([
    ...[['fail', ['a'], []] as const, ['warn', ['a'], []] as const],
    ...[['pass', [], ['a']] as const, ['observed', [], ['a']] as const],
    ...(['untested', 'inapplicable', 'error'] as const).map((each) => [each, [], []] as const),
  ])('%s excuses %j, and makes %j stale', ([outcome, excused, stale]) => {
    const judged = judge(outcome)
    expect([[...judged.excused.keys()], [...judged.stale.keys()]]).toEqual([excused, stale])
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
  const left = withoutExcused(run, judgeKnown(run, readKnown('a why')))
  expect(left.map(({ outcome }) => outcome)).toEqual(['warn', 'fail'])
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
