// Runs that hold all that a report may show, in every format, as files of `golden/`; and what
// holds of any run: no control character, valid XML and schema, bounds.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../cli/flags.ts'
import type { Cause, CheckResult, Evidence, RunFile } from '../engine/check/run-file.ts'
import { text } from '../history/text.ts'
import { compileSchema } from '../spec/schemas.ts'
import { fakeLoad } from '../tests/fakes/fake-load.ts'
import { asText, failing, sample, samples, wholeSample } from '../tests/print.ts'
import { formats, printRun } from './formats.ts'
import { judgeKnown, nothingKnown, readKnown } from './known-failures.ts'
import { readRun } from './read-run.ts'
import schema from './run.schema.json' with { type: 'json' }
import type { Source } from './summary.ts'

const hostile =
  '</code><script>alert(1)</script> `x` [a](http://x) @team ##[error]b \u202e\u001b[2J'
const [first] = failing.evidence as [Evidence]

const fails = (at: number, change: Partial<CheckResult>, evidence: Partial<Evidence>) =>
  ({ ...failing, id: `check-${at}`, ...change, evidence: [{ ...first, ...evidence }] }) as const

/** Long, and with headers that matter and that do not. */
const response = {
  status: 200,
  headers: [
    ['X-RateLimit-Remaining', '3'],
    ['Server', 'x'],
    ['Allow', 'a'.repeat(500)],
  ],
  body: `{"id":1}${'b'.repeat(1_000)}`,
} as const

const ofThreshold = (outcome: CheckResult['outcome'], detail: string): CheckResult => ({
  ...{ ...failing, evidence: [], findings: [], level: 'should', outcome, detail },
  id: `load-threshold-${fakeLoad.id}-${outcome}`,
})

const cause = (change: Partial<Cause>): Cause => ({
  observed: '`GET /pets` without a key: 200 instead of 401',
  ...{ explains: ['check-0', 'check-1', 'check-2'], show: 'check-0' },
  ...{ requirement: failing.requirement, ...change },
})

const late = { observed: `A 401 has no ${hostile}`, explains: ['check-3', 'check-4'] }
const together = { others: 7, script: "curl 'a' &\ncurl 'b' &\nwait" }

/** Two headlines, a known failure, requests sent at once, what is tested in part, and a load. */
const rich: RunFile = {
  ...sample,
  notes: [...sample.notes, hostile],
  checks: [
    fails(0, {}, { together }),
    fails(1, { requirement: 'headers.remaining' }, {}),
    fails(2, { actual: text('200 {"id":1}') }, { response: null, noResponse: 'timeout' }),
    fails(3, { detail: `${hostile} X-RateLimit-Remaining`, actual: text(hostile) }, { response }),
    fails(4, { requirement: 'animals.purr' as CheckResult['requirement'] }, {}),
    fails(5, {}, {}),
    ...sample.checks,
    ...['one', 'two'].map((id) => ({ ...failing, evidence: [], id, outcome: 'pass' as const })),
    { ...failing, evidence: [], id: 'four', outcome: 'inapplicable', detail: 'no key of Pro' },
    ofThreshold('warn', 'p99: 9 ms (< 1 ms)'),
    ofThreshold('observed', 'p50: 1 ms (< 5 ms)'),
  ],
  requirements: [
    ...sample.requirements,
    { id: 'auth.first', level: 'must', outcome: 'pass', checks: ['one', 'two', 'four'] },
    { id: 'animals.purr' as never, level: 'must', outcome: 'fail', checks: ['check-4'] },
  ],
  causes: [cause({}), cause({ ...late, show: 'check-3' })],
  load: [fakeLoad],
}

const known = {
  ...judgeKnown(rich, readKnown('check-5 The gateway is <old>.\nlist-success-200 It was broken.')),
  moved: new Map([['pinned-check', 'pinned to <a>, is b']]),
}

const { causes: _, ...older } = rich
const untested = { outcome: 'untested', because: 'budget', detail: 'no call is left' } as const
const unheld = { verdict: 'error', impossible: `no response: ${hostile}` } as const

const listed = 'auth-key-changed-401 The gateway is old.\nlist-success-200 It was broken.'

/** By the name of their files in `golden/`. */
const sources: Readonly<Record<string, Source>> = {
  run: { run: wholeSample, known: judgeKnown(wholeSample, readKnown(listed)) },
  rich: { run: rich, known },
  older: { run: { ...older, interrupted: true }, known: nothingKnown },
  unheld: { run: { ...sample, ...unheld, checks: [], requirements: [] }, known: nothingKnown },
  nothing: {
    run: { ...sample, notes: [], checks: sample.checks.map((each) => ({ ...each, ...untested })) },
    known: nothingKnown,
  },
}

const write = (name: string, source: Source): string => formats[name]?.write(source) ?? ''

/** The page without its style and script, which its policy permits by their hashes. */
const withoutCode = (page: string): string =>
  page.replace(/sha256-[^']+?=/g, 'hash').replace(/(<(style|script)>).*?(<\/\2>)/gs, '$1$3')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const controlCharacters = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/

/** What a runner of jobs would obey, anywhere in a line. */
const runnerCommand = /##\w*\[/

const all = Object.keys(formats).flatMap((name) =>
  Object.entries(sources).map(([of, source]) => [name, of, source] as const),
)

test.for(all)('%s of the run %s', async ([name, of, source]) => {
  const written = write(name, source)
  expect(written).not.toMatch(controlCharacters)
  expect(written).not.toMatch(runnerCommand)
  if (name === 'html' || name === 'junit') expect(written).not.toContain('<script>alert')
  const shown = name === 'html' ? withoutCode(written) : written
  await expect(shown).toMatchFileSnapshot(`golden/${of}.${formats[name]?.file}`)
  expect(write(name, { ...source, run: JSON.parse(JSON.stringify(source.run)) })).toBe(written)
})

const places = { columns: 80, folder: 'petvet-runs/sample' }

test.for([
  ['run.txt', wholeSample, places],
  ['run-known.txt', wholeSample, { ...places, verbose: true, known: sources.run?.known ?? known }],
  ['rich.txt', rich, { ...places, known }],
  ['rich-verbose.txt', rich, { ...places, columns: null, verbose: true }],
  ['older.txt', older, { ...places, columns: 60 }],
  ['unheld.txt', { ...rich, ...unheld }, places],
  ['nothing.txt', sources.nothing?.run ?? rich, places],
] as const)('the terminal prints %s', async ([file, run, given]) => {
  const printed = asText(run, given)
  expect(printed).not.toMatch(runnerCommand)
  expect(printed).not.toMatch(/^\s*::/m)
  expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  await expect(printed).toMatchFileSnapshot(`golden/${file}`)
})

test('the sample is JSON in ASCII and holds every outcome', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
  expect(readFileSync(join(samples, 'run.json'), 'utf8')).toMatch(/^[\x00-\x7f]+$/)
  expect(new Set(wholeSample.checks.map(({ outcome }) => outcome)).size).toBe(7)
  expect(readRun(samples)).toEqual(wholeSample)
  expect([...formatNames]).toEqual(Object.keys(formats))
})

describe('the run file', () => {
  test('comes back as it was written', () => {
    expect(JSON.parse(printRun(wholeSample))).toEqual(wholeSample)
    expect(printRun(wholeSample)).toContain('9223372036854775807')
    expect(printRun(rich)).not.toMatch(runnerCommand)
  })

  test.each([
    { schema: 2 },
    { verdict: 'fine' },
    { seed: -1 },
    { checks: undefined },
    { columns: { prism: {} } },
  ])('is refused with %j', (change) => {
    expect(compileSchema(schema)({ ...wholeSample, ...change })).toBeTypeOf('string')
  })
})

describe('JUnit', () => {
  test('is valid XML without a character that XML lacks, and no two names are equal', () => {
    const written = write('junit', sources.rich as Source)
    expect(XMLValidator.validate(written)).toBe(true)
    expect(written).not.toMatch(/[\p{Cs}\ufffe\uffff]/u)
    const names = [...written.matchAll(/<testcase [^>]*?\bname="([^"]*)"/g)].map(([, name]) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThanOrEqual(rich.checks.length)
  })

  /** Of the schema of the xUnit plugin of Jenkins: attributes, and after < what is inside. */
  const allowed: Readonly<Record<string, string>> = {
    testsuites: 'name tests failures errors time < testsuite',
    testsuite: 'name timestamp tests failures errors skipped time < properties testcase',
    properties: '< property',
    property: 'name value <',
    testcase: 'classname name time < skipped failure error system-out',
    failure: 'type message < #text',
    error: 'type message < #text',
    skipped: 'message <',
    'system-out': '< #text',
  }
  type Node = Readonly<Record<string, unknown>>

  /** What the schema lacks, of an element and of those inside. */
  const strangeIn = (nodes: readonly Node[]): string[] =>
    nodes.flatMap((node) => {
      const [[name, children]] = Object.entries(node) as [[string, readonly Node[]]]
      if (name === '#text' || name === '?xml') return []
      const [attributes, inside] = (allowed[name] ?? '').split('<').map((part) => part.split(' '))
      const own = Object.keys((node[':@'] ?? {}) as Node).map((each) => each.slice(2))
      const inner = children.map((child) => Object.keys(child).find((key) => key !== ':@') ?? '')
      return [
        ...own.filter((each) => !attributes?.includes(each)),
        ...inner.filter((each) => !inside?.includes(each)),
        ...strangeIn(children),
      ].map((each) => (each.startsWith(name) ? each : `${name} ${each}`))
    })

  test.each(Object.entries(sources))('of %s has only what that schema has', (_, source) => {
    const written = write('junit', source)
    const parser = new XMLParser({ ignoreAttributes: false, preserveOrder: true })
    expect(strangeIn(parser.parse(written))).toEqual([])
    for (const [, time] of written.matchAll(/ time="([^"]*)"/g))
      expect(time).toMatch(/^\d+\.\d{3}$/)
  })
})

test('Markdown of very many failures is below the limit of GitHub, the worst first', () => {
  const detail = '`|<script>'.repeat(1_000)
  const checks = Array.from({ length: 20_000 }, (_, at) => ({ ...failing, id: `a-${at}`, detail }))
  const written = write('markdown', { run: { ...sample, checks }, known: nothingKnown })
  expect(Buffer.byteLength(written)).toBeLessThan(900 * 1024)
  expect(written).toContain('FAIL  a-0')
  expect(written).toContain('and 19450 more failures')
})

const failedOnly = {
  ...wholeSample,
  checks: wholeSample.checks.filter((one) => one.outcome === 'fail'),
}

test.each([
  ['not conformant · 1 of 6 musts violated', 'red', { run: failedOnly }],
  ['known failures only · 2 of 6 musts tested', 'orange', { ...sources.run, run: failedOnly }],
  ['no violations found · 2 of 6 musts tested', 'brightgreen', { verdict: 'conformant' }],
  ['undecided · 2 of 6 musts tested', 'yellow', { verdict: 'undecided' }],
] as const)('the badge says %s', (message, color, change) => {
  const source = 'run' in change ? change : { run: { ...wholeSample, ...change } }
  expect(JSON.parse(write('badge', { known: nothingKnown, ...source }))).toMatchObject({
    ...{ schemaVersion: 1, label: 'animal store 1.0.0', message, color },
  })
})
