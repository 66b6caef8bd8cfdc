// Two runs held against each other: every turn of an outcome and of a headline, in each format.
import { describe, expect, test } from 'vitest'
import type { Cause, CheckResult, RunFile } from '../engine/check/run-file.ts'
import { type Because, type Outcome, reasons } from '../history/outcome.ts'
import { failing, result } from '../tests/print.ts'
import { compareMarkdown, compareRuns, compareText, compareVerdict } from './comparison.ts'
import sample from './samples/run.json' with { type: 'json' }

const full = sample as unknown as RunFile
const { load: _load, ...whole } = full

const runOf = (outcomes: Readonly<Record<string, Outcome>>, more: Partial<RunFile>): RunFile => ({
  ...whole,
  verdict: 'conformant',
  checks: Object.entries(outcomes).map(([id, outcome]) => result(id, outcome, `of ${id}`)),
  observations: {},
  ...more,
})

const turned = (was: Outcome, is: Outcome) => {
  const { changes, worse } = compareRuns(runOf({ one: was }, {}), runOf({ one: is }, {}))
  const kinds = Object.entries(changes).filter(([, own]) => own.length > 0)
  return [kinds.map(([kind]) => kind).join(), worse]
}

describe('a turn', () => {
  test.for<[Outcome, Outcome, string, boolean]>([
    ['pass', 'fail', 'newlyFailing', true],
    ['untested', 'fail', 'newlyFailing', true],
    ['warn', 'fail', 'newlyFailing', true],
    ['pass', 'warn', 'newlyWarning', false],
    ['untested', 'warn', 'newlyWarning', false],
    ['fail', 'pass', 'newlyPassing', false],
    ['fail', 'warn', 'newlyPassing', false],
    ['warn', 'pass', 'newlyPassing', false],
    ['untested', 'pass', 'newlyTested', false],
    ['inapplicable', 'observed', 'newlyTested', false],
    ['pass', 'untested', 'newlyUntested', true],
    ['pass', 'inapplicable', 'newlyUntested', false],
    ['fail', 'error', 'newlyUntested', true],
    ['pass', 'pass', '', false],
    ['untested', 'inapplicable', '', false],
  ])('from %s to %s', ([was, is, kind, worse]) => {
    expect(turned(was, is)).toEqual([kind, worse])
  })

  test('to inapplicable is worse as an option is not given', () => {
    const now = { ...result('one', 'inapplicable', ''), notGiven: true as const }
    expect(compareRuns(runOf({ one: 'pass' }, {}), { ...whole, checks: [now] }).worse).toBe(true)
  })

  /** A check that passed, and now lacks this. */
  const lacking = (because: Because, level: CheckResult['level'], strict = false) => {
    const passed = { ...result('one', 'pass', ''), level }
    const lost = { ...passed, outcome: 'untested' as const, because }
    const [old, now] = [passed, lost].map((each) => ({ ...runOf({}, {}), checks: [each] }))
    return compareRuns(old as RunFile, now as RunFile, strict)
  }

  test.for(reasons)('to untested (%s) is worse, unless it comes by chance', (because) => {
    expect(lacking(because, 'must').worse).toBe(because !== 'ambiguous')
    expect(lacking(because, 'should').worse).toBe(false)
    expect(lacking(because, 'should', true).worse).toBe(because !== 'ambiguous')
    expect(lacking(because, 'open').worse).toBe(false)
    const text = compareText(lacking(because, 'must'))
    expect(text).toContain(`one  pass → untested (${because}), must`)
  })

  test('of every pair but the equal ones has a kind, or both are undecided', () => {
    const all: Outcome[] = ['pass', 'observed', 'inapplicable', 'untested', 'warn', 'fail', 'error']
    const isUndecided = (one: Outcome) => ['inapplicable', 'untested', 'error'].includes(one)
    const silent = all
      .flatMap((was) => all.map((is) => [was, is] as const))
      .filter(([was, is]) => was !== is && turned(was, is)[0] === '')
    expect(silent.filter((pair) => !pair.every(isUndecided))).toEqual([])
  })
})

test.for<[Outcome, Outcome, string]>([
  ['fail', 'warn', 'better, with 1 new warning'],
  ['pass', 'warn', 'not worse, with 1 new warning'],
  ['warn', 'pass', 'better'],
  ['untested', 'pass', 'not worse'],
  ['pass', 'pass', 'the same'],
  ['pass', 'fail', 'worse'],
])(
  'the verdict from %s to %s is %s; a new warning is worse with --strict',
  ([was, is, verdict]) => {
    const verdictOf = (strict: boolean) =>
      compareVerdict(compareRuns(runOf({ one: was }, {}), runOf({ one: is }, {}), strict))
    expect(verdictOf(false)).toBe(verdict)
    expect(verdictOf(true)).toBe(was === 'pass' && is === 'warn' ? 'worse' : verdict)
  },
)

test('checks that one run lacks are no regression', () => {
  const compared = compareRuns(runOf({ gone: 'pass' }, {}), runOf({ new: 'fail' }, {}))
  expect(compared.changes.added).toMatchObject([{ id: 'new', was: null, is: 'fail' }])
  expect(compared.changes.removed).toMatchObject([{ id: 'gone', was: 'pass', is: null }])
  expect(compared.worse).toBe(false)
})

test('a verdict that fell from conformant is worse, and so is an interrupted run', () => {
  const before = runOf({ one: 'pass' }, {})
  const cut = runOf({ one: 'pass' }, { interrupted: true })
  expect(compareRuns(before, runOf({ one: 'pass' }, { verdict: 'undecided' })).worse).toBe(true)
  expect([compareRuns(before, cut).worse, compareRuns(cut, before).worse]).toEqual([true, false])
  expect(compareText(compareRuns(before, cut))).toMatch(
    /^Verdict +no violations found → interrupted, so far no violations found$/m,
  )
})

const cause = (change: Partial<Cause>): Cause => ({
  observed: 'GET /pets without a key: 200 instead of 401',
  ...{ explains: ['check-0', 'check-1', 'check-2'], show: 'check-1' },
  ...{ requirement: failing.requirement, ...change },
})

const runWith = (outcomes: readonly Outcome[], causes: readonly Cause[]): RunFile => {
  const checks = outcomes.map((outcome, at) => ({ ...failing, id: `check-${at}`, outcome }))
  return { ...whole, checks, causes }
}

describe('a headline', () => {
  test.each([
    ['is gone once nothing of it fails', ['pass', 'pass', 'untested'], 1],
    ['is not gone while one still fails', ['pass', 'pass', 'fail'], 0],
    ['is not gone where nothing was tested', ['untested', 'untested', 'untested'], 0],
  ] as const)('%s', (_name, outcomes, number) => {
    const was = runWith(['fail', 'fail', 'fail'], [cause({})])
    expect(compareRuns(was, runWith(outcomes, [])).causes.fixed).toHaveLength(number)
  })

  test('is new where nothing of it failed before', () => {
    const [one, two] = [cause({ explains: ['check-0'] }), cause({ explains: ['check-1'] })]
    const was = runWith(['pass', 'fail'], [])
    expect(compareRuns(was, runWith(['fail', 'fail'], [one, two])).causes.new).toEqual([one])
  })
})

const hostile = '</td><script>alert(1)</script> | @team ![x](http://x) `rm` ##[error]b\u001b[2J'
const own = { observations: { 'list-limit-101': '200 with 100' }, petvet: '0.0.1' }
const old = { ...runWith(['fail', 'fail', 'fail', 'pass'], [cause({})]), ...own }
const now: RunFile = {
  ...runWith(
    ['pass', 'pass', 'pass', 'fail'],
    [cause({ explains: ['check-3'], observed: hostile })],
  ),
  observations: { 'list-limit-101': '400' },
}

test.for([
  ['comparison.txt', compareText],
  ['comparison.md', compareMarkdown],
] as const)('%s has what changed', async ([file, write]) => {
  const latency = [{ percentile: 'all', oldMs: 1, newMs: 200 }]
  const text = write({ ...compareRuns(old, now), latency })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
  expect(text).not.toMatch(/##\w*\[/)
  await expect(text).toMatchFileSnapshot(`golden/${file}`)
})

test('latency is compared of each scenario that both runs have', () => {
  const text = compareRuns(full, full).latency.map(({ percentile }) => percentile)
  expect(text).toEqual(full.load?.flatMap(({ id }) => [`${id}, p50`, `${id}, p99`]))
  expect(compareRuns(old, full).latency).toEqual([])
})
