// Two runs held against each other: every turn of an outcome, in every format.
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { type Because, type Outcome, reasons } from '../history/outcome.ts'
import { result } from '../tests/print.ts'
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

  test.for([
    ['the target does not claim it', false],
    ['an option is not given', true],
  ] as const)('to inapplicable, as %s', ([_why, worse]) => {
    const now = {
      ...result('one', 'inapplicable', ''),
      ...(worse && { notGiven: worse }),
    }
    const compared = compareRuns(runOf({ one: 'pass' }, {}), { ...runOf({}, {}), checks: [now] })
    expect(compared.worse).toBe(worse)
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
    const undecided = ['inapplicable', 'untested', 'error']
    const silent = all.flatMap((was) =>
      all.filter((is) => turned(was, is)[0] === '').map((is) => [was, is]),
    )
    expect(
      silent.filter(
        ([was, is]) => was !== is && !(undecided.includes(`${was}`) && undecided.includes(`${is}`)),
      ),
    ).toEqual([])
  })
})

describe('the verdict', () => {
  const verdictOf = (was: Record<string, Outcome>, is: Record<string, Outcome>, strict = false) =>
    compareVerdict(compareRuns(runOf(was, {}), runOf(is, {}), strict))

  test('from red to green with a new warning is better, unless a warning counts', () => {
    const [was, is] = [{ one: 'fail', two: 'pass' } as const, { one: 'pass', two: 'warn' } as const]
    expect(verdictOf(was, is)).toBe('better, with 1 new warning')
    expect(verdictOf(was, is, true)).toBe('worse')
  })

  test.for<[Outcome, Outcome, string]>([
    ['fail', 'warn', 'better, with 1 new warning'],
    ['pass', 'warn', 'not worse, with 1 new warning'],
    ['warn', 'pass', 'better'],
    ['untested', 'pass', 'not worse'],
    ['pass', 'pass', 'the same'],
    ['pass', 'fail', 'worse'],
  ])('from %s to %s is %s', ([was, is, verdict]) => {
    expect(verdictOf({ one: was }, { one: is })).toBe(verdict)
  })
})

test('checks that one run lacks are no regression', () => {
  const compared = compareRuns(runOf({ gone: 'pass' }, {}), runOf({ new: 'fail' }, {}))
  expect(compared.changes.added).toMatchObject([{ id: 'new', was: null, is: 'fail' }])
  expect(compared.changes.removed).toMatchObject([{ id: 'gone', was: 'pass', is: null }])
  expect(compared.worse).toBe(false)
})

test('a verdict that fell from conformant is worse, whatever the checks', () => {
  const now = runOf({ one: 'pass' }, { verdict: 'undecided' })
  expect(compareRuns(runOf({ one: 'pass' }, {}), now).worse).toBe(true)
})

test('an interrupted run is not the same as one that ended', () => {
  const now = runOf({ one: 'pass' }, { interrupted: true })
  const compared = compareRuns(runOf({ one: 'pass' }, {}), now)
  expect(compared.worse).toBe(true)
  const text = compareText(compared)
  expect(text).toMatch(/^Verdict +no violations found → interrupted, so far no violations found$/m)
  expect(compareRuns(now, runOf({ one: 'pass' }, {})).worse).toBe(false)
})

const seen = { old: { 'list-limit-101': '200 with 100' }, new: { 'list-limit-101': '400' } }
const hostile = '</td><script>alert(1)</script> | @team ![x](http://x) `rm`\u001b[2J'
const old = runOf({ one: 'pass' }, { observations: seen.old, petvet: '0.0.1' })
const now = {
  ...runOf({}, { verdict: 'not-conformant', observations: seen.new }),
  checks: [result('one', 'fail', hostile)],
}
const compared = {
  ...compareRuns(old, now),
  latency: [{ percentile: 'all', oldMs: 1, newMs: 200 }],
}

describe('each format', () => {
  test.for([
    ['text', compareText],
    ['markdown', compareMarkdown],
  ] as const)('%s has the change, what was observed and the versions', ([, write]) => {
    const text = write(compared)
    for (const part of ['one', 'list-limit-101', '200 with 100', '400', '0.0.1', 'worse']) {
      expect(text).toContain(part)
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
    expect(write(compared)).toBe(text)
  })
})

test('latency is compared of each scenario that both runs have', () => {
  const text = compareRuns(full, full).latency.map(({ percentile }) => percentile)
  expect(text).toEqual(full.load?.flatMap(({ id }) => [`${id}, p50`, `${id}, p99`]))
  expect(compareRuns(old, full).latency).toEqual([])
})
