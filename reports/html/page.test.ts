// The HTML report: safe, bounded, each card with an address of its own. Its files in `golden/` have
// the rest.
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { fakeLoad } from '../../tests/fakes/fake-load.ts'
import { failing, write as inFormat, sample } from '../../tests/print.ts'

const withRun = (change: Partial<RunFile>): string => inFormat('html', { ...sample, ...change })

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

test('its title fits a tab, its one form has the filters, and what failed comes first', () => {
  const baseUrl = `https://${'long.'.repeat(30)}example.com/v1`
  const page = withRun({ target: { ...sample.target, baseUrl }, load: [fakeLoad] })
  const [, title = ''] = /<title>([^<]+)<\/title>/.exec(page) ?? []
  expect(title).toMatch(/^petvet: not conformant · long\./)
  expect(title.length).toBeLessThanOrEqual(70)
  const form = '<form class="filters" role="search" hidden data-filters>'
  expect(page.match(/<form[^>]*>/g)).toEqual([form])
  const places = ['id="failed-title"', 'class="bars"', 'id="load"', 'id="failures"']
  const found = places.map((place) => page.indexOf(place))
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(page).not.toMatch(/NaN|Infinity|undefined/)
})

describe('what a target sends', () => {
  test('is cut, saying how much is left out', () => {
    const page = failingWith('<'.repeat(1_048_576), 1)
    expect(page).toContain('1,046,576 of 1,048,576 characters are left out')
    expect(page.length).toBeLessThan(300_000)
  })

  test('stays within bounds if every check fails with long bodies', () => {
    expect(failingWith('x'.repeat(100_000), 350).length).toBeLessThan(5_000_000)
  })
})

test.each([
  ['So far no violations found', { interrupted: true, verdict: 'conformant' }],
  ['Conformant', { verdict: 'conformant', decided: { must: [1, 1], should: [0, 0] } }],
] as const)('a run says first: %s', (title, change) => {
  expect(withRun(change)).toContain(`<h1>${title}</h1>`)
})
