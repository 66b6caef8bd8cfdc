// The HTML report: complete, escaped and bounded.
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { fakeLoad } from '../../tests/fake-load.ts'
import { failing, write as inFormat, sample } from '../../tests/print.ts'
import type { Source } from '../summary.ts'

const write = ({ run = sample, ...more }: Partial<Source>): string => inFormat('html', run, more)
const withRun = (change: Partial<RunFile>): string => write({ run: { ...sample, ...change } })

const failingWith = (body: string, count: number): string => {
  const [evidence] = failing.evidence
  if (!evidence?.response) throw new Error('the sample has lost its evidence')
  const hostile = { ...evidence, response: { ...evidence.response, body } }
  const checks = Array.from({ length: count }, (_, at) => ({
    ...failing,
    id: `check-${at}`,
    evidence: count === 1 ? [hostile] : [hostile, hostile, hostile, hostile],
  }))
  return withRun({ checks })
}

test('every check and every requirement of the run is there', () => {
  const page = write({})
  for (const { id } of [...sample.checks, ...sample.requirements]) expect(page).toContain(id)
  for (const text of ['Expected', 'Actual', 'Copy', `--only ${failing.id} --seed ${sample.seed}`]) {
    expect(page).toContain(text)
  }
})

test('the first screen shows the first failure with its request', () => {
  const page = write({})
  const first = page.slice(0, page.indexOf('id="failures"'))
  expect(first).toContain('<dt>Expected</dt><dd>status 401</dd>')
  expect(first).toContain('curl -i -H')
})

test('what failed is above the bars', () => {
  const page = write({})
  expect(page.indexOf('id="failed-title"')).toBeGreaterThan(0)
  expect(page.indexOf('id="failed-title"')).toBeLessThan(page.indexOf('class="bars"'))
})

test('a check of two headlines has two cards, each with an address of its own', () => {
  const { evidence, requirement, id } = failing
  const finding = { ...{ expected: 'e', actual: 'a', evidence: evidence[0] } }
  const two = { ...failing, findings: [finding, finding] } as unknown as CheckResult
  const cause = { observed: 'One.', requirement, explains: [id], show: id }
  const page = withRun({ checks: [two], causes: [cause, { ...cause, finding: 1 }] })
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, one]) => one)
  expect(ids).toEqual([...new Set(ids)])
  for (const to of [`check-${id}`, `check-${id}-1`]) expect(page).toContain(`href="#${to}"`)
  expect(ids).toEqual(expect.arrayContaining([`check-${id}`, `check-${id}-1`]))
})

test('its title fits a tab, and its one form is that of the filters', () => {
  const baseUrl = `https://${'long.'.repeat(30)}example.com/v1`
  const page = withRun({ target: { ...sample.target, baseUrl } })
  const [, title = ''] = /<title>([^<]+)<\/title>/.exec(page) ?? []
  expect(title).toMatch(/^petvet: not conformant · long\./)
  expect(title.length).toBeLessThanOrEqual(70)
  expect(page).toMatch(/^<!DOCTYPE html>\n/)
  const form = '<form class="filters" role="search" hidden data-filters>'
  expect(page.match(/<form[^>]*>/g)).toEqual([form])
})

test('its policy permits the one style and the one script, by their hashes', () => {
  const page = write({})
  const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? []
  const directives = policy.replaceAll('&#39;', "'").replaceAll(/sha256-[^']+/g, 'hash')
  expect(directives).toMatch(
    /^default-src 'none'; style-src 'hash'; script-src 'hash'; base-uri 'none'/,
  )
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).not.toMatch(/ (?:on\w+|style|src)=/)
})

describe('what a target sends', () => {
  test('is text, whatever it is', () => {
    const page = failingWith('<img src=x onerror=alert(1)></code></pre><script>alert(1)', 1)
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&lt;/code&gt;&lt;/pre&gt;')
    expect(page).not.toMatch(/<img|<script>alert/)
  })

  test('contains no control characters', () => {
    const page = failingWith('\u202ekcab\u001b[2J\u0000\u2066\ud800', 1)
    expect(page).toContain('\\u{202e}</span>kcab<span class="spelt">\\u{1b}</span>[2J')
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  })

  test('is cut, saying how much is left out', () => {
    const page = failingWith('<'.repeat(1_048_576), 1)
    expect(page).toContain('1,046,576 of 1,048,576 characters are left out')
    expect(page.length).toBeLessThan(300_000)
  })

  test('stays within bounds if every check fails with long bodies', () => {
    expect(failingWith('x'.repeat(100_000), 350).length).toBeLessThan(5_000_000)
  })
})

test('known failures are marked and folded, stale lines and changed pins listed', () => {
  const page = write({
    known: {
      excused: new Map([[failing.id, 'The gateway is <old>.']]),
      stale: new Map([['gone-check', 'no such check']]),
      moved: new Map([['pinned-check', 'pinned to <a>, is b']]),
    },
  })
  for (const text of [
    ...['<b>Known</b> The gateway is &lt;old&gt;.', '1 failure known', 'gone-check'],
    ...['Pinned observations that changed', 'pinned to &lt;a&gt;, is b', '1 pinned value changed'],
  ]) {
    expect(page).toContain(text)
  }
})

test('a requirement of another version is named by its id', () => {
  const requirement = 'animals.purr' as CheckResult['requirement']
  const page = withRun({
    checks: [{ ...failing, requirement }],
    requirements: [{ id: requirement, level: 'must', outcome: 'fail', checks: [failing.id] }],
  })
  expect(page).toContain('<h3>Other requirements</h3>')
  expect(page).toContain('animals.purr')
})

test.each([
  ['So far no violations found', { interrupted: true, verdict: 'conformant' }],
  ['Could not run', { impossible: 'the <key> was refused', verdict: 'error' }],
  ['Conformant', { verdict: 'conformant', decided: { must: [1, 1], should: [0, 0] } }],
] as const)('a run says first: %s', (title, change) => {
  const page = withRun(change)
  expect(page).toContain(`<h1>${title}</h1>`)
  expect(page).not.toContain('<key>')
})

test('the page of a load begins with its latency and thresholds', () => {
  const threshold = (outcome: CheckResult['outcome'], detail: string): CheckResult => ({
    ...{ ...failing, evidence: [], findings: [] },
    ...{ id: `load-threshold-${fakeLoad.id}-${outcome}`, level: 'should', outcome, detail },
  })
  const checks = [
    threshold('warn', 'p99: 9 ms (< 1 ms)'),
    threshold('observed', 'p50: 1 ms (< 5 ms)'),
  ]
  const page = withRun({ load: [fakeLoad], checks, verdict: 'conformant' })
  const first = page.slice(page.indexOf('class="summary"'), page.indexOf('id="failed-title"'))
  expect(first).toMatch(/>p99<.*<th scope="row">[\w-]+<\/th><td class="number">[\d.]+ ms</s)
  expect(first).toMatch(/<li class="fail">.*p99: 9 ms \(&lt; 1 ms\).*<li class="pass">.*p50: 1 ms/s)
})

test('a load is shown first, next to the baselines, from its second 0 on', () => {
  const page = withRun({ load: [fakeLoad] })
  for (const text of ['This server', 'Prism mock', 'p99.9', 'Step by step', '<td>0 s</td>']) {
    expect(page).toContain(text)
  }
  expect(page.indexOf('id="load"')).toBeLessThan(page.indexOf('id="failures"'))
  expect(page).not.toMatch(/NaN|Infinity|undefined/)
})
