// Headlines in every format, and from run to run.
import { describe, expect, test } from 'vitest'
import type { Cause, CheckResult, RunFile } from '../engine/check/run-file.ts'
import { asText, failing, sample, write } from '../tests/print.ts'
import { compareMarkdown, compareRuns, compareText } from './comparison.ts'

const cause = (change: Partial<Cause>): Cause => ({
  observed: 'GET /pets without a key: 200 instead of 401',
  explains: ['check-0', 'check-1', 'check-2'],
  show: 'check-1',
  requirement: failing.requirement,
  ...change,
})

const checksOf = (...outcomes: CheckResult['outcome'][]): CheckResult[] =>
  outcomes.map((outcome, at) => ({ ...failing, id: `check-${at}`, outcome }))

const withoutDate = cause({
  ...{ observed: 'A 401 has no Date', explains: ['check-3', 'check-4'], show: 'check-3' },
})

const run: RunFile = {
  ...sample,
  checks: checksOf('fail', 'fail', 'fail', 'fail', 'fail', 'pass'),
  causes: [cause({}), withoutDate],
}

test('the terminal has each headline with one failure in full, and the ids of the others', () => {
  const text = asText(run)
  expect(text).toMatch(/^5 failed checks, 1 must violated: 2 headlines\n\n/)
  expect(text).toContain(
    'GET /pets without a key: 200 instead of 401 (3 failed checks)\nFAIL  check-1\n',
  )
  expect(text).toMatch(
    / {2}Also {6}check-0, check-2\n\nA 401 has no Date .2 failed checks.\nFAIL {2}check-3\n/,
  )
  expect(text).toContain('  Also      check-4\n')
  expect(text.match(/^FAIL/gm)).toHaveLength(2)
})

test('HTML has failures under their headline, without a literal backtick', () => {
  const observed = '`GET /pets` without a key: 200 instead of 401'
  const page = write('html', { ...run, causes: [cause({ observed }), withoutDate] })
  expect(page).toContain('<code>GET /pets</code> without a key: 200 instead of 401</h3>')
  expect(page).toContain('check-1 and 2 more')
  expect(page).toContain('2 more failures')
  expect(page.match(/<article class="card fail"/g)).toHaveLength(5)
  expect(page.match(/<details open>/g)).toHaveLength(2)
  expect(page.replace(/<script>.*<\/script>/s, '')).not.toContain('`')
})

test('HTML folds what is beyond five, with or without causes', () => {
  const checks = checksOf(...Array.from({ length: 80 }, () => 'fail' as const))
  const each = checks.map(({ id }) => cause({ explains: [id], show: id }))
  for (const causes of [undefined, each]) {
    const { causes: _none, ...bare } = run
    const page = write('html', { ...bare, checks, ...(causes && { causes }) })
    expect(page.match(/<article class="card fail"/g)).toHaveLength(80)
    expect(page.match(/<details open>/g)).toHaveLength(5)
  }
})

test('Markdown, JUnit and GitHub have what was observed', () => {
  expect(write('markdown', run)).toContain('5 failed checks, 1 must violated: 2 headlines.')
  const junit = write('junit', run)
  const headline = 'message="Observed: GET /pets without a key: 200 instead of 401; '
  expect(junit.split(headline)).toHaveLength(1 + 3)
  const annotations = write('github', run)
  expect(annotations.match(/^::error /gm)).toHaveLength(2)
  expect(annotations).toMatch(
    /::GET \/pets without a key: 200 instead of 401%0A.*%0AAlso failed: check-0, check-2\n/,
  )
})

test.each(['html', 'markdown', 'junit', 'github'])('%s of a run without causes', (name) => {
  const { causes: _none, ...older } = run
  for (const { id } of older.checks.slice(0, 5)) expect(write(name, older)).toContain(id)
  expect(write(name, older)).not.toMatch(/observed:|headline/i)
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
    const { causes: changes } = compareRuns(
      runWith(run.checks, [cause({})]),
      runWith(checksOf(...outcomes), []),
    )
    expect(changes.fixed).toHaveLength(number)
  })

  test('a cause is new where nothing of it failed before', () => {
    const [was, is] = [runWith(checksOf('pass', 'fail'), []), runWith(checksOf('fail', 'fail'), [])]
    const [one, two] = [cause({ explains: ['check-0'] }), cause({ explains: ['check-1'] })]
    expect(compareRuns(was, { ...is, causes: [one, two] }).causes.new).toEqual([one])
  })

  test('compare prints both', () => {
    const fixed = runWith(checksOf('pass', 'pass', 'pass', 'fail', 'fail', 'fail'), [
      withoutDate,
      cause({ observed: 'POST /pets: name is cut', explains: ['check-5'], show: 'check-5' }),
    ])
    const compared = compareRuns(run, fixed)
    const text = compareText(compared)
    expect(text).toContain(
      'Headlines that are gone (1)\n  GET /pets without a key: 200 instead of 401  3 fail',
    )
    expect(text).toContain('New headlines (1)\n  POST /pets: name is cut  1 failure')
    const page = compareMarkdown(compared)
    expect(page).toContain('Headlines that are gone (1)')
    expect(page).toContain('New headlines (1)')
  })

  test('runs without causes have no changes of them', () => {
    const { causes: _none, ...older } = run
    expect(compareRuns(older, older).causes).toEqual({ fixed: [], new: [] })
  })
})
