// A run of domains in each format: its table, its own label and times, and known failures.
import { join } from 'node:path'
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
} from '../../tests/fakes/fake-domain-facts.ts'
import { root } from '../../tests/layout/sources.ts'
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
const facts = makeFacts([makeTable([platformRecord, old])], [page])
const stale = runOf({ ...facts, at: '2026-11-20T12:00:00.000Z' })

test.for(Object.keys(formats))('%s of a domain to change is as it was', async (name) => {
  const written = formats[name]?.write({ run: stale, known: nothingKnown }) ?? ''
  const shown = written.replace(
    /<(style|script)>.*?<\/\1>|sha256-[^=]+=|\d{4}-\d\d-\d\dT[^<"\s]+/gs,
    '',
  )
  const file = join(root, `reports/golden/domains.${formats[name]?.file}`)
  await expect(shown).toMatchFileSnapshot(file)
})

test('an IDN is printed as it is read, and as checks name it', () => {
  const idn = 'xn--bcher-kva.example'
  const config = { primary: idn, redirects: [] }
  const run = runOf(makeFacts([makeTable(goodRecords)], [], {}, config))
  expect(domainLines({ run, known: nothingKnown }, null)[0]).toContain(`bücher.example (${idn})`)
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
