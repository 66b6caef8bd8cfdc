// What machines read, held to the published schemas, told of one run that holds all outcomes.
import { join } from 'node:path'
import { Ajv } from 'ajv'
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import { validateStrict } from 'ctrf'
// @ts-expect-error It comes without declarations.
import harSchemas from 'har-schema'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../cli/flags.ts'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { exchangesIn } from './exchanges.ts'
import { formats } from './formats.ts'
import { judgeKnown, nothingKnown } from './known.ts'
import { readRun } from './read-run.ts'
import type { Source } from './source.ts'

const samples = join(import.meta.dirname, 'samples')
const run = readRun(samples)
const exchanges = exchangesIn(join(samples, 'exchanges.ndjson'))
const listed = new Map([
  ['auth-key-changed-401', { reason: 'The gateway is old.', until: null, ticket: null }],
  ['list-success-200', { reason: 'It was broken.', until: null, ticket: null }],
])
const known = judgeKnown(run, { failures: listed, pins: new Map() }, () => true)
const plain: Source = { run, known: nothingKnown, exchanges }
const impossible: RunFile = { ...run, checks: [], verdict: 'error', impossible: 'refused' }

const sources: readonly (readonly [string, Source])[] = [
  ['a run with every outcome', plain],
  ['known failures and a stale line', { ...plain, known }],
  ['a run that could not be held', { run: impossible, known: nothingKnown, exchanges: () => [] }],
]

const told = (name: string, source: Source): string => {
  const text = formats[name]?.write(source) ?? ''
  return typeof text === 'string' ? text : [...text].join('')
}

describe.each(Object.keys(formats))('%s', (name) => {
  test('is told twice with the same bytes', () => {
    const fresh = { ...plain, run: readRun(samples) }
    expect(told(name, plain)).toBe(told(name, fresh))
    expect(told(name, plain).length).toBeGreaterThan(50)
  })

  test.each(sources)('tells %s without a character that steers', (_, source) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    expect(told(name, source)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
  })
})

test.each(Object.keys(formats).filter((name) => name !== 'badge'))(
  '%s tells what a reader must know of the run as a whole',
  (name) => {
    const notes = ["the target's certificate was not verified (--insecure)", 'a \u202e\u001b[2J']
    const text = told(name, { ...plain, run: { ...run, notes } })
    const plainly = text.replaceAll(/&apos;|&#39;/g, "'")
    expect(plainly).toContain("the target's certificate was not verified (--insecure)")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\u202e]/)
  },
)

test('help names all formats', () => {
  expect([...formatNames]).toEqual(Object.keys(formats))
})

describe('CTRF', () => {
  test.each(sources)('of %s is valid', (_, source) => {
    expect(() => validateStrict(JSON.parse(told('ctrf', source)))).not.toThrow()
  })

  test('counts each outcome once, and a known failure as none', () => {
    const { summary } = JSON.parse(told('ctrf', plain)).results
    expect(summary).toMatchObject({ tests: 9, passed: 2, failed: 2, skipped: 1, other: 4 })
    const { tests } = JSON.parse(told('ctrf', { ...plain, known })).results
    const statusOf = (id: string) =>
      tests.find((each: { labels?: { check: string } }) => each.labels?.check === id)?.status
    expect(statusOf('auth-key-changed-401')).toBe('skipped')
    expect(statusOf('json-always')).toBe('failed')
    expect(tests.at(-1)).toMatchObject({ status: 'failed', rawStatus: 'stale-known' })
  })
})

describe('HAR', () => {
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    unicodeRegExp: false,
  }).addMetaSchema(draft6)
  for (const schema of Object.values(harSchemas)) ajv.addSchema(schema as object)

  test.each(sources)('of %s is valid', (_, source) => {
    const valid = ajv.validate('har.json#', JSON.parse(told('har', source)))
    expect(valid ? [] : ajv.errors).toEqual([])
  })

  test('holds each exchange with its query, body and time, and no half line', () => {
    const { entries } = JSON.parse(told('har', plain)).log
    expect(entries).toHaveLength(6)
    expect(entries[0]).toMatchObject({ startedDateTime: '2026-11-20T12:00:01.000Z', time: 3.125 })
    expect(entries[0].request.queryString).toEqual([
      { name: 'limit', value: '1' },
      { name: 'status', value: 'sold' },
      { name: 'x', value: '%ff' },
      { name: 'flag', value: '' },
    ])
    expect(entries[0].response.content.text).toContain('9223372036854775807')
    expect(entries[1].request.postData.mimeType).toBe('application/json')
    expect(entries[3].response.content).toMatchObject({ encoding: 'base64', text: '/w==', size: 1 })
    expect(entries[4].response.redirectURL).toBe('http://127.0.0.1:8080/login')
    expect(entries[5].response).toMatchObject({ status: 0, comment: 'no answer: timeout' })
  })
})

describe('the badge', () => {
  const badgeOf = (source: Source) => JSON.parse(told('badge', source))
  const failing: CheckResult['outcome'][] = ['fail']
  const held = { ...run, checks: run.checks.filter(({ outcome }) => failing.includes(outcome)) }

  test.each([
    ['not conformant · 2/6 musts', 'red', undefined, { ...plain, run: held }],
    ['known failures only · 2/6 musts', 'orange', undefined, { ...plain, run: held, known }],
    [
      'conformant · 2/6 musts',
      'brightgreen',
      undefined,
      { ...plain, run: { ...run, verdict: 'conformant' } },
    ],
    ['undecided · 2/6 musts', 'yellow', true, { ...plain, run: { ...run, verdict: 'undecided' } }],
    ['could not run', 'lightgrey', true, { ...plain, run: impossible }],
    ['interrupted', 'lightgrey', true, { ...plain, run: { ...run, interrupted: true } }],
  ] as const)('says %s', (message, color, isError, source) => {
    const shown = badgeOf(source)
    expect(shown).toEqual({
      schemaVersion: 1,
      label: 'animal store 1.0.0',
      message,
      color,
      ...(isError && { isError }),
    })
  })
})
