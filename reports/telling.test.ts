// How a run is told where one outcome says too little, and what a reader looks for first.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { html } from './html.ts'
import { junit } from './junit.ts'
import { type KnownVerdict, nothingKnown } from './known.ts'
import { markdown } from './markdown.ts'
import { readRun } from './read-run.ts'
import { terminal } from './terminal.ts'

const { load: _, ...sample } = readRun(join(import.meta.dirname, 'samples'))

const asHtml = (run: RunFile, known: KnownVerdict = nothingKnown) =>
  html({ run, known, exchanges: () => [] })
const asMarkdown = (run: RunFile) => markdown({ run, known: nothingKnown, exchanges: () => [] })
const asText = (run: RunFile, columns: number | null) =>
  terminal(run, {
    paint: (_style, text) => text,
    verbose: false,
    columns,
    known: nothingKnown,
    knownOf: {},
    folder: 'petvet-runs/one',
  })

const [failing] = sample.checks.filter(({ outcome }) => outcome === 'fail') as [CheckResult]
const ended = (id: string, change: Partial<CheckResult>): CheckResult => ({
  ...failing,
  evidence: [],
  because: null,
  id,
  ...change,
})

describe('a sentence that was kept where it was asked', () => {
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
        outcome: 'inapplicable',
        checks: ['one', 'two', 'three', 'four'],
      },
    ],
  }

  test.each(['pass', 'inapplicable'] as const)('says so in each format: %s', (outcome) => {
    const requirements = run.requirements.map((each) => ({ ...each, outcome }))
    const page = asHtml({ ...run, requirements })
    expect(page).toContain('Kept in part</span>')
    expect(page).toContain(`Kept where it was asked: 3 checks passed. Not asked: ${why}.`)
    expect(page).toContain(`data-outcome="${outcome}"`)
    for (const text of [asText({ ...run, requirements }, null), asMarkdown(run)]) {
      expect(text).toContain(`Kept where asked, but not asked in full: 1 must (${why})`)
    }
  })

  test('is none where nothing was asked', () => {
    const checks = run.checks.slice(-1)
    const requirements = run.requirements.map((each) => ({ ...each, checks: ['four'] }))
    expect(asHtml({ ...run, checks, requirements })).not.toContain('Kept')
    expect(asText({ ...run, checks, requirements }, null)).not.toContain('Kept')
  })
})

describe('observations of one sentence', () => {
  const seen = (id: string, detail: string) =>
    ended(id, {
      outcome: 'observed',
      level: 'open',
      requirement: 'list.limit.out-of-range',
      detail,
    })
  const pageOf = (...checks: CheckResult[]) => {
    const page = asHtml({ ...sample, checks, columns: {} })
    return page.slice(page.indexOf('id="observations"'))
  }
  const sentence = /The response to a limit outside/g

  test('tell it once, and each value once with those that saw it', () => {
    const page = pageOf(seen('zero', '400'), seen('hundred', '200, clamped'), seen('minus', '400'))
    expect(page.match(sentence)).toHaveLength(1)
    expect(page.match(/class="seen">400</g)).toHaveLength(1)
    expect(page).toMatch(/zero<\/code>\s*<code class="id">minus</)
  })

  test('stand in one row where all saw the same', () => {
    const page = pageOf(seen('zero', '400'), seen('minus', '400'))
    expect(page.match(sentence)).toHaveLength(1)
    expect(page).not.toContain('class="sentence"')
  })
})

test('a run of domains has no clock, no seed and no key', () => {
  const again = { command: 'domains check', words: [['--domains', 'domains.yaml']] }
  const run: RunFile = { ...sample, again, seed: 0 }
  expect(asHtml(run)).not.toMatch(/Test clock|<dt>Seed|<dt>Plans/)
  expect(asText(run, null)).toMatch(/shoulds decided\)\n$/)
  expect(asMarkdown(run)).not.toContain('Seed')
  expect(junit(run, nothingKnown)).not.toContain('name="seed"')
})

test('pins that moved are told by the page and by JUnit', () => {
  const [observed] = sample.checks.filter(({ outcome }) => outcome === 'observed')
  const id = observed?.id ?? ''
  const known = { ...nothingKnown, moved: new Map([[id, 'pinned to <a>, is b']]) }
  const page = asHtml(sample, known)
  expect(page).toContain('Pinned observations that changed')
  expect(page).toContain('pinned to &lt;a&gt;, is b')
  expect(page).toContain('1 pinned answer changed.')
  expect(junit(sample, known)).toContain('name="pinned" value="pinned to &lt;a&gt;, is b"')
})

test('what failed first stands on the first screen, with its request', () => {
  const page = asHtml(sample)
  const first = page.slice(0, page.indexOf('id="failures"'))
  expect(first).toContain('<dt>Expected</dt><dd>status 401</dd>')
  expect(first).toContain('curl -i -H')
})

describe('a run that could not be held', () => {
  const run: RunFile = {
    ...sample,
    checks: [],
    requirements: [],
    verdict: 'error',
    impossible: 'no answer: [a link](http://x) @somebody',
  }

  test('tells the whole command, and not that nothing failed', () => {
    expect(asHtml(run)).not.toContain('No check failed')
    for (const text of [asHtml(run), asText(run, null), asMarkdown(run)]) {
      expect(text).toContain('petvet check http://127.0.0.1:8080/v1 --key')
    }
  })

  test('has a title in words of ours, and its cause as code', () => {
    const [title = '', , cause] = asMarkdown(run).split('\n')
    expect(title).toMatch(/^## petvet: could not run \(.*, seed 7\)$/)
    expect(cause).toBe('`no answer: [a link](http://x) @somebody`')
  })
})

test('columns stand in Markdown by their outcomes', () => {
  const told = asMarkdown(sample)
  expect(told).toContain('### Beside it')
  expect(told).toMatch(/^\| the Prism mock \| 1 \| \d+ \|/m)
})

describe('two hundred failures', () => {
  const checks = Array.from({ length: 200 }, (_, at) => ({ ...failing, id: `check-${at}` }))
  const told = asText({ ...sample, checks }, null)

  test('are told in full at first, then in a line each, then by their number', () => {
    expect(told.match(/^ {2}Again /gm)).toHaveLength(5)
    expect(told.match(/^FAIL {2}/gm)).toHaveLength(35)
    expect(told).toContain('\nand 165 more that failed\n')
    expect(told).toMatch(/^FAIL {2}check-0\n/)
  })

  test('leave the verdict the last line', () => {
    expect(told.trimEnd().split('\n').at(-1)).toMatch(/^petvet: not conformant/)
  })
})

test.for([60, 80])('in %d columns only what is to be pasted is wider', (columns) => {
  const long = 'a sentence that goes on and on, '.repeat(6)
  const checks = [{ ...failing, expected: long, actual: long }]
  const lines = asText({ ...sample, checks, notes: [long] }, columns).split('\n')
  const wide = lines.filter((line) => line.length > columns)
  const pasted =
    /^ {2}(?:Request|Again) |^Observed: |^petvet: |: \d+ requests|^ {2}not known|^Beside/
  expect(wide.filter((line) => !pasted.test(line))).toEqual([])
})

test('a line that only counts one more reason gives way to that reason', () => {
  const run = (reasons: number): RunFile => ({
    ...sample,
    checks: Array.from({ length: reasons }, (_, at) =>
      ended(`check-${at}`, { outcome: 'untested', because: 'key', detail: `reason ${at}` }),
    ),
  })
  expect(asText(run(7), null)).toContain('reason 6')
  expect(asText(run(7), null)).not.toContain('further reasons')
  expect(asText(run(8), null)).not.toContain('reason 6')
  expect(asText(run(8), null)).toContain('2  for 2 further reasons; all in full')
})
