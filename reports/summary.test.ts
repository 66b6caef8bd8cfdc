// The summary in every format: the verdict, partial results, long lists.

import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { text } from '../history/text.ts'
import { failing, asText as inText, sample, write } from '../tests/print.ts'
import { nothingKnown } from './known-failures.ts'
import { verdictLine } from './summary.ts'

const asHtml = (run: RunFile) => write('html', run)
const asMarkdown = (run: RunFile) => write('markdown', run)
const asText = (run: RunFile, columns: number | null = null) =>
  inText(run, { columns, folder: 'petvet-runs/one' })

const ended = (id: string, change: Partial<CheckResult>): CheckResult => ({
  ...failing,
  ...{ evidence: [], because: null, id },
  ...change,
})

test.each([
  ['petvet: interrupted, so far no violations found', { verdict: 'conformant', interrupted: true }],
  ['petvet: could not run 1 check', { verdict: 'error', impossible: null }],
  ['petvet: could not run, no response', { verdict: 'error', impossible: 'no response' }],
] as const)('%s', (words, change) => {
  const run = { ...sample, requirements: [], ...change }
  expect(verdictLine(run, nothingKnown)).toContain(`${words} (`)
})

describe('a requirement of which some checks do not apply', () => {
  const why = 'no key of the plan pro is configured'
  const run: RunFile = {
    ...sample,
    checks: [
      ...['one', 'two', 'three'].map((id) => ended(id, { outcome: 'pass' })),
      ended('four', { outcome: 'inapplicable', detail: why }),
    ],
    requirements: [
      {
        id: 'auth.key-invalid',
        level: 'must',
        outcome: 'pass',
        checks: ['one', 'two', 'three', 'four'],
      },
    ],
  }

  test('is partly tested in each format', () => {
    const page = asHtml(run)
    expect(page).toContain('Partly tested</span>')
    expect(page).toContain(`Partly tested: 3 checks passed.\nDoes not apply: ${why}.`)
    for (const text of [asText(run), asMarkdown(run)]) {
      expect(text).toContain('Tested only in part, and counted as tested: 1 must;')
    }
  })

  test('is not partly tested if none applies', () => {
    const requirements = run.requirements.map((each) => ({ ...each, checks: ['four'] }))
    const none = { ...run, checks: run.checks.slice(-1), requirements }
    for (const text of [asHtml(none), asText(none)]) expect(text).not.toMatch(/Partly|in part/)
  })
})

test('a run of domains has no clock, no seed and no key', () => {
  const command = { name: 'domains check', arguments: [['--domains', 'domains.yaml']] }
  const run: RunFile = { ...sample, command, seed: 0 }
  expect(asHtml(run)).not.toMatch(/Test clock|<dt>Seed|<dt>Plans/)
  expect(asText(run)).not.toMatch(/seed \d+\)\n$/)
  expect(asMarkdown(run)).not.toContain('Seed')
  expect(write('junit', run)).not.toContain('name="seed"')
})

test('JUnit has pins that changed', () => {
  const id = sample.checks.find(({ outcome }) => outcome === 'observed')?.id ?? ''
  const known = { ...nothingKnown, moved: new Map([[id, 'pinned to <a>, is b']]) }
  expect(write('junit', sample, { known })).toContain('pinned: pinned to &lt;a&gt;, is b')
})

describe('a run that could not be held', () => {
  const cut = { verdict: 'error', impossible: 'no response: [a link](http://x) @somebody' } as const
  const run: RunFile = { ...sample, checks: [], requirements: [], ...cut }

  test('has the whole command where something was tested, and not that nothing failed', () => {
    expect(asHtml(run)).not.toContain('No check failed')
    for (const text of [asHtml(run), asText({ ...sample, ...cut }), asMarkdown(run)]) {
      expect(text).toContain('petvet check http://127.0.0.1:8080/v1 --key')
    }
  })

  test('has the reason alone where nothing was tested', () => {
    const checks = sample.checks.map((each) => ({ ...each, outcome: 'untested' as const }))
    const text = asText({ ...run, checks, columns: {} })
    expect(text).toContain('petvet: could not run, no response')
    expect(text).not.toMatch(/^Reproduce: |untested/m)
  })

  test('has one reason, not all that is untested', () => {
    expect(asText({ ...sample, ...cut })).not.toContain('Untested')
  })

  test('has a fixed title, and its reason as code', () => {
    const [title = '', , fence, reason] = asMarkdown(run).split('\n')
    expect(title).toMatch(/^## petvet: could not run \(.*, seed 7\)$/)
    expect([fence, reason]).toEqual(['```text', 'no response: [a link](http://x) @somebody'])
  })
})

test('where one reason left everything untested, it is all that is printed', () => {
  const detail = 'no call is left in this minute: try again in 15 s'
  const untested = { outcome: 'untested', because: 'budget', detail } as const
  const checks = sample.checks.map((each) => ({ ...each, ...untested }))
  const text = asText({ ...sample, checks, columns: {}, notes: [], observations: {} })
  expect(text).toMatch(new RegExp(`^Nothing was tested: ${detail}\\n\\nhttp.*\\npetvet: `))
})

test('baselines are in Markdown by their outcomes; an interrupted one has no news', () => {
  expect(asMarkdown(sample)).toMatch(/^Baseline: Prism mock, 4 checks: 1 passed, 1 failed/m)
  const columns = { prism: { ...sample, interrupted: true } }
  expect(asText({ ...sample, columns })).toMatch(/^Baseline: Prism mock: interrupted\n\n/m)
})

test('of many failures some are in full, then one line each, then their number', () => {
  const checks = Array.from({ length: 200 }, (_, at) => ({ ...failing, id: `check-${at}` }))
  const text = asText({ ...sample, checks })
  expect(text.match(/^ {2}Request /gm)).toHaveLength(5)
  expect(text.match(/^FAIL {2}/gm)).toHaveLength(35)
  expect(text).toContain('\nand 165 more failures\n')
  expect(text).toMatch(/^FAIL {2}check-0\n/)
  expect(text.trimEnd().split('\n').at(-3)).toMatch(/^petvet: not conformant/)
})

test.each([60, 80])('in %d columns only what is to be pasted is wider', (columns) => {
  const long = 'a text that goes on and on, '.repeat(6)
  const checks = [{ ...failing, expected: text(long), actual: text(long) }]
  const lines = asText({ ...sample, checks, notes: [long], columns: {} }, columns).split('\n')
  const wide = lines.filter((line) => line.length > columns)
  const isPasted = (line: string) => /petvet (?:check|report) | curl |^petvet: /.test(line)
  expect(wide.filter((line) => !isPasted(line) && !line.startsWith('http'))).toEqual([])
})

test('beyond six reasons the others are counted', () => {
  const textOf = (reasons: number): string =>
    asText({
      ...sample,
      checks: Array.from({ length: reasons }, (_, at) =>
        ended(`check-${at}`, { outcome: 'untested', because: 'key', detail: `reason ${at}` }),
      ),
    })
  expect(textOf(7)).toContain('reason 6')
  expect(textOf(8)).toContain('2  for 2 more reasons; all in full')
})
