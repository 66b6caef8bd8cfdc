// Each format of one run that holds all seven outcomes and hostile text; schemas where published.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../cli/flags.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import { compileSchema } from '../spec/schemas.ts'
import { asText, sample, samples, wholeSample } from '../tests/print.ts'
import { formats, printRun } from './formats.ts'
import { judgeKnown, nothingKnown, readKnown } from './known-failures.ts'
import { readRun } from './read-run.ts'
import schema from './run.schema.json' with { type: 'json' }
import type { Source } from './summary.ts'

const run = wholeSample
const listed = 'auth-key-changed-401 The gateway is old.\nlist-success-200 It was broken.'
const known = judgeKnown(run, readKnown(listed))
const plain: Source = { run, known: nothingKnown }
const impossible: RunFile = { ...sample, checks: [], verdict: 'error', impossible: 'refused' }

const sources: readonly (readonly [string, Source])[] = [
  ['a run with every outcome', plain],
  ['known failures and a stale line', { ...plain, known }],
  ['a run that could not be held', { ...plain, run: impossible }],
]

const write = (name: string, source: Source): string => formats[name]?.write(source) ?? ''

test('the sample is JSON in ASCII and holds every outcome', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
  expect(readFileSync(join(samples, 'run.json'), 'utf8')).toMatch(/^[\x00-\x7f]+$/)
  expect(new Set(run.checks.map(({ outcome }) => outcome)).size).toBe(7)
})

describe('the run file', () => {
  test('comes back as it was written', () => {
    expect(JSON.parse(printRun(run))).toEqual(run)
    expect(printRun(run)).toContain('9223372036854775807')
  })

  test.each([
    ['another schema', { schema: 2 }],
    ['an unknown verdict', { verdict: 'fine' }],
    ['an invalid seed', { seed: -1 }],
    ['no checks', { checks: undefined }],
    ['an invalid column', { columns: { prism: {} } }],
  ] as const)('is refused with %s', (_name, change) => {
    expect(compileSchema(schema)({ ...run, ...change })).toBeTypeOf('string')
  })
})

test('help names all formats', () => {
  expect([...formatNames]).toEqual(Object.keys(formats))
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const controlCharacters = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/

describe.each(Object.keys(formats))('%s', (name) => {
  test('writes the same bytes twice', () => {
    expect(write(name, plain)).toBe(write(name, { ...plain, run: readRun(samples) }))
    expect(write(name, plain).length).toBeGreaterThan(50)
  })

  test.each(sources)('of %s has no control character', (_name, source) => {
    expect(write(name, source)).not.toMatch(controlCharacters)
  })

  test.skipIf(['badge', 'known'].includes(name))('has the notes of the run', () => {
    const note = "the target's certificate is not verified (--insecure)"
    const text = write(name, { ...plain, run: { ...run, notes: [note, 'a \u202e\u001b[2J'] } })
    expect(text.replaceAll(/&apos;|&#39;/g, "'")).toContain(note)
    expect(text).not.toMatch(controlCharacters)
  })
})

describe('the terminal', () => {
  const options = { columns: 80, folder: 'petvet-runs/sample' }

  test.each([
    ['in short', 'run.txt', options],
    ['in full, with known failures', 'run-known.txt', { ...options, verbose: true, known }],
  ])('prints it %s, and no control character', async (_name, file, given) => {
    const text = asText(run, given)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    await expect(text).toMatchFileSnapshot(join(samples, file))
  })
})

test('Markdown of very many failures is below the limit of GitHub, the worst first', () => {
  const failed = run.checks.find(({ outcome }) => outcome === 'fail')
  const detail = '`|<script>'.repeat(1_000)
  const checks = Array.from({ length: 20_000 }, (_, at) => ({ ...failed, id: `a-${at}`, detail }))
  const text = write('markdown', { ...plain, run: { ...run, checks } as never })
  expect(Buffer.byteLength(text)).toBeLessThan(900 * 1024)
  expect(text).toContain('FAIL  a-0')
  expect(text).toContain('and 19450 more failures')
})

describe('JUnit', () => {
  const parse = (text: string) =>
    new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(text).testsuites

  test('has every check', async () => {
    await expect(write('junit', { ...plain, known })).toMatchFileSnapshot(
      join(samples, 'junit.xml'),
    )
  })

  test('is valid XML without a character that XML lacks, and no two names are equal', () => {
    const text = write('junit', plain)
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text).not.toMatch(/[\p{Cs}\ufffe\uffff]/u)
    const suites = parse(text)
    expect(suites).toMatchObject({ tests: '8', failures: '1', errors: '1' })
    const names = [suites.testsuite]
      .flat()
      .flatMap(({ testcase }) => [testcase].flat().map(({ name }) => name))
    expect(new Set(names).size).toBe(run.checks.length)
  })

  test.each(sources)(
    'of %s has only what the schema of the xUnit plugin of Jenkins has',
    (_, source) => {
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
      const parser = new XMLParser({ ignoreAttributes: false, preserveOrder: true })
      const used = (nodes: readonly Node[]): string[] =>
        nodes.flatMap((node) => {
          const [[name, children]] = Object.entries(node) as [[string, readonly Node[]]]
          if (name === '#text' || name === '?xml') return []
          const attributes = Object.keys((node[':@'] ?? {}) as Node)
          const inside = children
            .flatMap((child) => Object.keys(child))
            .filter((key) => key !== ':@')
          return [
            ...attributes.map((each) => `${name} ${each.slice(2)}`),
            ...inside.map((each) => `${name} < ${each}`),
            ...used(children),
          ]
        })
      const all = Object.entries(allowed).flatMap(([name, text]) => {
        const [attributes = '', children = ''] = text.split('<').map((part) => part.trim())
        const listed = (words: string, before: string) =>
          words
            .split(' ')
            .filter(Boolean)
            .map((each) => `${name} ${before}${each}`)
        return [...listed(attributes, ''), ...listed(children, '< ')]
      })
      const found = used(parser.parse(write('junit', source)))
      expect(found.length).toBeGreaterThan(5)
      expect(found.filter((each) => !all.includes(each))).toEqual([])
      for (const [, time] of write('junit', source).matchAll(/ time="([^"]*)"/g)) {
        expect(time).toMatch(/^\d+\.\d{3}$/)
      }
    },
  )

  test('has a case for a run that could not be held', () => {
    const text = write('junit', { ...plain, run: impossible })
    expect(parse(text)).toMatchObject({ tests: '1', errors: '1' })
  })
})

describe('the badge', () => {
  const failing = { ...run, checks: run.checks.filter(({ outcome }) => outcome === 'fail') }

  test.each([
    ['not conformant · 1 of 6 musts violated', 'red', { run: failing }],
    ['known failures only · 2 of 6 musts tested', 'orange', { run: failing, known }],
    [
      'no violations found · 2 of 6 musts tested',
      'brightgreen',
      { run: { ...run, verdict: 'conformant' } },
    ],
    ['undecided · 2 of 6 musts tested', 'yellow', { run: { ...run, verdict: 'undecided' } }],
    ['could not run · 2 of 6 musts tested', 'lightgrey', { run: impossible }],
    ['interrupted', 'lightgrey', { run: { ...run, interrupted: true } }],
  ] as const)('says %s', (message, color, change) => {
    expect(JSON.parse(write('badge', { ...plain, ...change }))).toEqual({
      schemaVersion: 1,
      label: 'animal store 1.0.0',
      message,
      color,
      ...(['yellow', 'lightgrey'].includes(color) && { isError: true }),
    })
  })
})

test('failures that are not known yet become lines of a list, without reasons', () => {
  const [, ...lines] = write('known', plain).trim().split('\n')
  expect(lines).toEqual(['', expect.stringMatching(/^# /), 'auth-key-changed-401  REASON'])
  expect(write('known', { ...plain, known })).not.toContain('REASON\n')
})
