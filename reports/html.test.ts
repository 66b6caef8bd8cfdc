// The HTML report as text: all that a reader needs is there, escaped, bounded, and always the same.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { fakeLoad } from '../tests/fake-load.ts'
import { fakeExchanges } from '../tests/fake-recorded.ts'
import { html } from './html.ts'
import { nothingKnown } from './known.ts'
import { readRun } from './read-run.ts'
import type { Source } from './source.ts'

const sample = readRun(join(import.meta.dirname, 'samples'))
const exchanges = () => fakeExchanges(620, '[]')
/** The sample holds a load too, which is repeated in another way. */
const { load: _, ...conformance } = sample

const source: Source = { run: sample, known: nothingKnown, exchanges }

const write = (change: Partial<Source>): string => html({ ...source, ...change })
const withRun = (change: Partial<RunFile>): string => write({ run: { ...sample, ...change } })

const failing = sample.checks.find(({ outcome }) => outcome === 'fail') as CheckResult

const failingWith = (body: string): string => {
  const [evidence] = failing.evidence
  if (!evidence?.response) throw new Error('the sample has lost its evidence')
  const hostile = { ...evidence, response: { ...evidence.response, body } }
  return withRun({ checks: [{ ...failing, evidence: [hostile] }] })
}

test('the same run gives the same bytes', () => {
  expect(write({})).toBe(write({}))
})

test('every check and every requirement of the run is told', () => {
  const page = html({ ...source, run: conformance })
  for (const { id } of [...sample.checks, ...sample.requirements]) expect(page).toContain(id)
  for (const text of ['Expected', 'Actual', 'Copy', `--only ${failing.id} --seed ${sample.seed}`]) {
    expect(page).toContain(text)
  }
})

test('the smallest case of a property stands apart', () => {
  const actual = '2 animals (smallest value found: {"limit":1})'
  const page = withRun({ checks: [{ ...failing, actual }] })
  expect(page).toContain('<dt>Smallest case</dt><dd><code>{&quot;limit&quot;:1}</code></dd>')
  expect(page).toContain('<dt>Actual</dt><dd>2 animals</dd>')
})

test('its policy lets in the one style and the one script, by their hashes', () => {
  const page = write({})
  const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? []
  const told = policy.replaceAll('&#39;', "'").replaceAll(/sha256-[^']+/g, 'hash')
  expect(told.split('; ').slice(0, 3)).toEqual([
    "default-src 'none'",
    "style-src 'hash'",
    "script-src 'hash'",
  ])
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).not.toMatch(/ (?:on\w+|style|src)=/)
})

describe('what a target sends', () => {
  test('is text, whatever it is', () => {
    const page = failingWith('<img src=x onerror=alert(1)></code></pre><script>alert(1)</script>')
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&lt;/code&gt;&lt;/pre&gt;')
    expect(page).not.toMatch(/<img|<script>alert/)
  })

  test('cannot steer a reader', () => {
    const page = failingWith('\u202ekcab\u001b[2J\u0000\u2066\ud800')
    expect(page).toContain('\\u{202e}</span>kcab<span class="spelt">\\u{1b}</span>[2J')
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  })

  test('is cut, saying how much is left out', () => {
    const page = failingWith('<'.repeat(1_048_576))
    expect(page).toContain('1,044,576 of 1,048,576 characters are left out')
    expect(page.length).toBeLessThan(300_000)
  })

  test('stays within bounds if every check fails with long bodies', () => {
    const [evidence] = failing.evidence
    if (!evidence?.response) throw new Error('the sample has lost its evidence')
    const long = { ...evidence, response: { ...evidence.response, body: 'x'.repeat(100_000) } }
    const checks = Array.from({ length: 350 }, (_, index) => ({
      ...failing,
      id: `check-${index}`,
      evidence: [long, long, long, long],
    }))
    expect(withRun({ checks }).length).toBeLessThan(3_000_000)
  })
})

test('known failures are excused and folded, stale lines are told', () => {
  const known = {
    excused: new Map([[failing.id, 'The gateway is <old>.']]),
    stale: new Map([['gone-check', 'there is no such check']]),
  }
  const page = write({ known })
  expect(page).toContain('<b>Known</b> The gateway is &lt;old&gt;.')
  expect(page).toContain('gone-check')
  expect(page).toContain('1 failure is known beforehand.')
})

test('a sentence of another version of petvet is told by its id', () => {
  const requirement = 'animals.purr' as CheckResult['requirement']
  const page = withRun({
    checks: [{ ...failing, requirement }],
    requirements: [{ id: requirement, level: 'must', outcome: 'fail', checks: [failing.id] }],
  })
  expect(page).toContain('<h3>Other sentences</h3>')
  expect(page).toContain('animals.purr')
})

test.for([
  ['interrupted', { interrupted: true, verdict: 'conformant' }, 'So far conformant'],
  ['impossible', { impossible: 'the <key> was refused', verdict: 'error' }, 'Could not run'],
  ['conformant', { verdict: 'conformant', requirements: [], checks: [] }, 'Conformant'],
] as const)('a run that was %s says so first', ([, change, title]) => {
  const page = withRun(change)
  expect(page).toContain(`<h1>${title}</h1>`)
  expect(page).not.toContain('<key>')
})

describe('the limiter', () => {
  test('is drawn with its numbers', () => {
    const page = withRun({ load: [] })
    expect(page).toContain('Remaining of 60: key free-1')
    expect(page).toContain('20 calls were refused. 1 put the stated time off')
    expect(page.match(/<figure>/g)).toHaveLength(3)
    expect(page.match(/<summary>The numbers/g)).toHaveLength(3)
    expect(page).not.toMatch(/NaN|Infinity|undefined/)
  })

  test('is left out where nothing was recorded', () => {
    expect(write({ exchanges: () => [] })).not.toContain('id="limiter"')
  })

  test('of 5,000 exchanges makes a page below 3 MB, of 50,000 one not much larger', () => {
    const body = '['.repeat(2_000)
    const [small, large] = [5_000, 50_000].map((count) =>
      Buffer.byteLength(write({ exchanges: () => fakeExchanges(count, body) })),
    )
    expect(small).toBeLessThan(3_000_000)
    expect(large).toBeLessThan(3_000_000)
  })
})

test('load is told with the baselines beside it', () => {
  const page = withRun({ load: [fakeLoad] })
  for (const text of ['This server', 'Prism mock', 'Latency by percentile', 'by connections']) {
    expect(page).toContain(text)
  }
  expect(page).not.toMatch(/NaN|Infinity|undefined/)
})
