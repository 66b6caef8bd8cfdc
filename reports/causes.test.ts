// Causes in every format: the most severe first, each with one failure; and from run to run.
import { describe, expect, test } from 'vitest'
import type { Cause, CheckResult, RunFile } from '../engine/run-file.ts'
import { asText, failing, sample, write } from '../tests/print.ts'
import { causeChanges, compareRuns } from './compare/comparison.ts'
import { compareMarkdown, compareText } from './compare/formats.ts'

const cause = (change: Partial<Cause>): Cause => ({
  fault: '`GET /pets` works without a key.',
  mutant: 'auth-skipped',
  confidence: 'high',
  explains: ['check-0', 'check-1', 'check-2'],
  show: 'check-1',
  requirement: failing.requirement,
  orElse: [],
  ...change,
})

const checksOf = (...outcomes: CheckResult['outcome'][]): CheckResult[] =>
  outcomes.map((outcome, at) => ({ ...failing, id: `check-${at}`, outcome }))

const unexplained = cause({
  ...{ fault: 'An invalid key gets 401.', mutant: null, confidence: 'none' },
  ...{ explains: ['check-3', 'check-4'], show: 'check-3' },
})

const run: RunFile = {
  ...sample,
  checks: checksOf('fail', 'fail', 'fail', 'fail', 'fail', 'pass'),
  causes: [cause({ orElse: ['auth-twin'] }), unexplained],
}

test('the terminal has each cause with one failure in full, and the ids of the others', () => {
  const text = asText(run)
  expect(text).toMatch(
    /^5 failed checks, 1 must violated: 1 likely cause explains 3 of the checks\n\nLikely cause/,
  )
  const heading = 'Likely cause of 3 failed checks (confidence: high)'
  expect(text).toContain(`${heading}: \`GET /pets\` works without a key.\nFAIL  check-1\n`)
  expect(text).toContain('  Also      check-0, check-2\n')
  expect(text).toContain(
    '  Mutants   with these faults: auth-skipped, auth-twin (see petvet explain ID)\n',
  )
  // What no known fault explains is grouped by its requirement, which the failure shows.
  expect(text).toMatch(
    /auth-twin .see petvet explain ID.\n\nFAIL {2}check-3\n.+ {2}Also {6}check-4\n/s,
  )
  expect(text.match(/^FAIL/gm)).toHaveLength(2)
})

test('HTML groups failures by cause, without a literal backtick', () => {
  const page = write('html', run)
  expect(page).toMatch(
    /Likely cause of 3 failed checks [^<]*: <code>GET \/pets<\/code> works without a key\./,
  )
  expect(page).toContain('check-1 and 2 more')
  expect(page).toContain('2 more failures')
  expect(page.match(/<article class="card fail"/g)).toHaveLength(5)
  expect(page.match(/<details open>/g)).toHaveLength(2)
  expect(page.replace(/<script>.*<\/script>/s, '')).not.toContain('`')
})

test('HTML folds what is beyond five, with or without causes', () => {
  const checks = checksOf(...Array.from({ length: 80 }, () => 'fail' as const))
  const each = checks.map(({ id }) => cause({ mutant: null, explains: [id], show: id }))
  for (const causes of [undefined, each]) {
    const { causes: _none, ...bare } = run
    const page = write('html', { ...bare, checks, ...(causes && { causes }) })
    expect(page.match(/<article class="card fail"/g)).toHaveLength(80)
    expect(page.match(/<details open>/g)).toHaveLength(5)
  }
})

test('Markdown, JUnit and GitHub name the cause', () => {
  expect(write('markdown', run)).toContain('1 likely cause explains 3 of the checks.')
  const junit = write('junit', run)
  expect(junit.match(/; likely cause: `GET \/pets` works without a key\./g)).toHaveLength(3)
  expect(junit.match(/<property name="cause"/g)).toHaveLength(3)
  const errors = write('github', run).match(/^::error /gm)
  expect(errors).toHaveLength(2)
})

test.each(['html', 'markdown', 'junit', 'github', 'ctrf'])('%s of a run without causes', (name) => {
  const { causes: _none, ...older } = run
  for (const { id } of older.checks.slice(0, 5)) expect(write(name, older)).toContain(id)
  expect(write(name, older)).not.toMatch(/likely cause|no known fault/i)
})

describe('from one run to the next', () => {
  const runWith = (checks: readonly CheckResult[], causes: readonly Cause[]): RunFile => ({
    ...run,
    checks,
    causes,
  })

  test.each([
    ['is fixed once nothing of it fails', ['pass', 'pass', 'untested'], 1],
    ['is not fixed while one still fails', ['pass', 'pass', 'fail'], 0],
    ['is not fixed where nothing was tested', ['untested', 'untested', 'untested'], 0],
  ] as const)('a cause %s', (_name, outcomes, number) => {
    const changes = causeChanges(
      runWith(run.checks, [cause({})]),
      runWith(checksOf(...outcomes), []),
    )
    expect(changes.fixed).toHaveLength(number)
  })

  test('a cause is new where nothing of it failed before', () => {
    const [was, is] = [runWith(checksOf('pass', 'fail'), []), runWith(checksOf('fail', 'fail'), [])]
    const [one, two] = [cause({ explains: ['check-0'] }), cause({ explains: ['check-1'] })]
    expect(causeChanges(was, { ...is, causes: [one, two] }).new).toEqual([one])
  })

  test('compare prints both', () => {
    const fixed = runWith(checksOf('pass', 'pass', 'pass', 'fail', 'fail', 'fail'), [
      unexplained,
      cause({ fault: 'A `name` is cut.', explains: ['check-5'], show: 'check-5' }),
    ])
    const compared = compareRuns(run, fixed)
    const text = compareText(compared)
    expect(text).toContain('Causes fixed (1)\n  `GET /pets` works without a key.  3 failures, conf')
    expect(text).toContain('New causes (1)\n  A `name` is cut.  1 failure')
    const page = compareMarkdown(compared)
    expect(page).toContain('### Causes fixed (1)')
    expect(page).toContain('### New causes (1)')
  })

  test('runs without causes have no changes of them', () => {
    const { causes: _none, ...older } = run
    expect(compareRuns(older, older).causes).toEqual({ fixed: [], new: [] })
  })
})
