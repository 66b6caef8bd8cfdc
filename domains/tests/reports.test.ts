// A run of domains in each format: its table, its own label and times, and known failures.
import { expect, test } from 'vitest'
import { decideVerdict } from '../../engine/check/verdict.ts'
import { domainLines } from '../../reports/domain-table.ts'
import { formats } from '../../reports/formats.ts'
import {
  judgeKnown,
  nothingKnown,
  readKnown,
  withoutExcused,
} from '../../reports/known-failures.ts'
import {
  goodRecords,
  host,
  makeFacts,
  makeProbe,
  makeTable,
  platformRecord,
} from '../../tests/fake-domain-facts.ts'
import { asText } from '../../tests/print.ts'
import { toRunFile } from '../check/judge/domains-run.ts'
import { record } from '../demo/zones.ts'

type Facts = Parameters<typeof toRunFile>[0]

const runOf = (facts: Facts) =>
  toRunFile(facts, {
    strict: false,
    interrupted: false,
    command: { name: 'domains check', arguments: [] },
  })

const old = record(`${host} A 203.0.113.9`)
const page = makeProbe({ body: 'the-marker' })
const stale = runOf(makeFacts([makeTable([platformRecord, old])], [page]))
const fix = 'remove A 203.0.113.9 of www; add CNAME www sites.publish.example (seen at 192.0.2.53)'

test('a line for each domain has what decides it, and what to change', () => {
  const lines = [
    `  fail      ${host}  domain-cname: no CNAME, but the address 203.0.113.9`,
    `            fix: ${fix}`,
  ]
  expect(domainLines({ run: stale, known: nothingKnown }, null)).toEqual(lines)
  expect(asText(stale, { columns: null, folder: null })).toMatch(lines.join('\n'))
  expect(asText(stale, { columns: null, folder: null })).toContain(
    '  Response  NOERROR\n            www.zoo.example. 3600 IN A 203.0.113.9\n',
  )
})

test('where a name leaves no room, the rest is below it', () => {
  expect(domainLines({ run: stale, known: nothingKnown }, 60).slice(0, 2)).toEqual([
    `  fail      ${host}`,
    '            domain-cname: no CNAME, but the address',
  ])
})

test.for(['html', 'markdown', 'junit'])('the change is in %s', (name) => {
  expect(formats[name]?.write({ run: stale, known: nothingKnown })).toContain(fix)
})

test('an IDN is printed as it is read, and as checks name it', () => {
  const idn = 'xn--bcher-kva.example'
  const config = { primary: idn, redirects: [] }
  const run = runOf(makeFacts([makeTable(goodRecords)], [], {}, config))
  expect(domainLines({ run, known: nothingKnown }, null)[0]).toContain(`bücher.example (${idn})`)
})

test('the badge has its own label, and JUnit the time of the requests', () => {
  const source = { run: stale, known: nothingKnown }
  expect(JSON.parse(formats.badge?.write(source) ?? '')).toMatchObject({ label: 'custom domains' })
  const cases = formats.junit?.write(source).match(/<testcase[^>]*domain-certificate@[^>]*/)
  expect(cases?.[0]).toContain('time="0.001"')
})

test('a known certificate leaves nothing undecided', () => {
  const parts = { tls: null, failed: { stage: 'tls', code: 'unrecognized name' } } as const
  const run = runOf(makeFacts([makeTable(goodRecords)], [makeProbe(parts)]))
  expect(run.verdict).toBe('not-conformant')
  const known = judgeKnown(run, readKnown(`domain-certificate@${host} It comes on Monday.`))
  expect(decideVerdict(withoutExcused(run, known), false, false)).toBe('conformant')
  expect(domainLines({ run, known }, null)).toEqual([
    expect.stringContaining('  known     www.zoo.example  domain-certificate: expected a trusted'),
  ])
})
