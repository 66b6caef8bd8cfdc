// The terminal and the summary: the verdict in words, long lists cut, and the width kept.
import { expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { text } from '../history/text.ts'
import { failing, asText as inText, sample, write } from '../tests/print.ts'
import { nothingKnown } from './known-failures.ts'
import { verdictLine } from './summary.ts'

const asText = (run: RunFile, columns: number | null = null) =>
  inText(run, { columns, folder: 'petvet-runs/one' })

test.each([
  ['petvet: interrupted, so far no violations found', { verdict: 'conformant', interrupted: true }],
  ['petvet: could not run 1 check', { verdict: 'error', impossible: null }],
  ['petvet: could not run, no response', { verdict: 'error', impossible: 'no response' }],
] as const)('%s', (words, change) => {
  const run = { ...sample, requirements: [], ...change }
  expect(verdictLine(run, nothingKnown)).toContain(`${words} (`)
})

test('a run of domains has no clock, no seed and no key', () => {
  const command = { name: 'domains check', arguments: [['--domains', 'domains.yaml']] }
  const run: RunFile = { ...sample, command, seed: 0 }
  expect(write('html', run)).not.toMatch(/Test clock|<dt>Seed|<dt>Plans/)
  expect(asText(run)).not.toMatch(/seed \d+\)\n$/)
  expect(write('markdown', run)).not.toContain('Seed')
  expect(write('junit', run)).not.toContain('name="seed"')
})

test('a requirement is not tested in part if none of its checks applies', () => {
  const checks: CheckResult[] = [{ ...failing, id: 'four', outcome: 'inapplicable', evidence: [] }]
  const requirements = [{ id: 'auth.first', level: 'must', outcome: 'pass', checks: ['four'] }]
  const none = { ...sample, checks, requirements } as RunFile
  for (const page of [write('html', none), asText(none)]) expect(page).not.toMatch(/Partly|in part/)
})

test('an interrupted baseline has no news', () => {
  const columns = { prism: { ...sample, interrupted: true } }
  expect(asText({ ...sample, columns })).toMatch(/^Baseline: Prism mock: interrupted\n\n/m)
})

test('of many failures some are in full, then one line each, then their number', () => {
  const checks = Array.from({ length: 200 }, (_, at) => ({ ...failing, id: `check-${at}` }))
  const printed = asText({ ...sample, checks })
  expect(printed.match(/^ {2}Request /gm)).toHaveLength(5)
  expect(printed.match(/^FAIL {2}/gm)).toHaveLength(35)
  expect(printed).toContain('\nand 165 more failures\n')
  expect(printed).toMatch(/^FAIL {2}check-0\n/)
  expect(printed.trimEnd().split('\n').at(-3)).toMatch(/^petvet: not conformant/)
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
  const untested = { ...failing, evidence: [], outcome: 'untested', because: 'key' } as const
  const textOf = (reasons: number): string =>
    asText({
      ...sample,
      checks: Array.from({ length: reasons }, (_, at) => {
        return { ...untested, id: `check-${at}`, detail: `reason ${at}` }
      }),
    })
  expect(textOf(7)).toContain('reason 6')
  expect(textOf(8)).toContain('2  for 2 more reasons; all in full')
})

test('the verdict names a reason of several checks, and none where each has its own', () => {
  const untested = { ...failing, evidence: [], outcome: 'untested', because: 'key' } as const
  const lineOf = (...details: string[]) => {
    const checks = details.map((detail, at) => ({ ...untested, id: `check-${at}`, detail }))
    return verdictLine({ ...sample, verdict: 'undecided', checks }, nothingKnown)
  }
  expect(lineOf('one', 'two', 'one')).toContain('2 checks untested, key: one')
  expect(lineOf('one', 'two', 'six')).toContain('3 checks untested, each for a reason of its own')
  expect(lineOf('one')).toContain('1 check untested, key: one')
})
