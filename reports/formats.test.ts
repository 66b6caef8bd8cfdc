// Each format told of one run that holds all seven outcomes and hostile text.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../engine/outcome.ts'
import type { RunFile } from '../engine/run-file.ts'
import { compileSchema } from '../spec/schemas.ts'
import { printRun } from './formats.ts'
import { junit } from './junit.ts'
import { judgeKnown, nothingKnown, readKnown } from './known.ts'
import { readRun } from './read-run.ts'
import schema from './run.schema.json' with { type: 'json' }
import { terminal } from './terminal.ts'

const outcomes: readonly Outcome[] = [
  'pass',
  'observed',
  'inapplicable',
  'untested',
  'warn',
  'fail',
  'error',
]

const samples = join(import.meta.dirname, 'samples')
const run = readRun(samples)

const known = judgeKnown(
  run,
  readKnown(
    'auth-key-changed-401 The gateway is old.\n' +
      'list-success-200 It was broken.\ngone-check Nobody knows.',
  ),
  (id) => run.checks.some((each) => each.id === id),
)

const terminalOptions = {
  paint: (_style: string, text: string) => text,
  verbose: false,
  known: nothingKnown,
  knownOf: {},
  columns: 80,
  folder: 'petvet-runs/sample',
}

test('the sample holds every outcome', () => {
  expect(new Set(run.checks.map(({ outcome }) => outcome))).toEqual(new Set(outcomes))
})

describe('the run file', () => {
  test('comes back as it was written', () => {
    expect(JSON.parse(printRun(run))).toEqual(run)
    expect(printRun(run)).toContain('9223372036854775807')
  })

  test.for([
    ['another schema', { schema: 2 }],
    ['an unknown verdict', { verdict: 'fine' }],
    ['a seed that is none', { seed: -1 }],
    ['no checks', { checks: undefined }],
    ['an unsound column', { columns: { prism: {} } }],
  ] as const)('is refused with %s', ([, change]) => {
    expect(compileSchema(schema)({ ...run, ...change })).toBeTypeOf('string')
  })
})

describe('the terminal', () => {
  test('tells it all', async () => {
    await expect(terminal(run, terminalOptions)).toMatchFileSnapshot(join(samples, 'run.txt'))
  })

  test('tells known failures apart, and what is untested in full', async () => {
    const told = terminal(run, { ...terminalOptions, verbose: true, known })
    await expect(told).toMatchFileSnapshot(join(samples, 'run-known.txt'))
  })

  test('lets nothing of the target steer it', () => {
    const told = terminal(run, { ...terminalOptions, verbose: true })
    expect(told.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  })

  test('says why a run could not be held', () => {
    const impossible: RunFile = { ...run, checks: [], verdict: 'error', impossible: 'refused' }
    expect(terminal(impossible, terminalOptions)).toContain('petvet: could not run, refused')
  })
})

describe('JUnit', () => {
  const parse = (text: string) =>
    new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(text)

  test('tells it all', async () => {
    await expect(junit(run, known)).toMatchFileSnapshot(join(samples, 'junit.xml'))
  })

  test('is sound XML without a character that XML lacks', () => {
    const text = junit(run, nothingKnown)
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u)
    expect(parse(text).testsuites).toMatchObject({ tests: '9', failures: '1', errors: '2' })
  })

  test('gives each case a name of its own', () => {
    const suites = [parse(junit(run, nothingKnown)).testsuites.testsuite].flat()
    const names = suites.flatMap(({ testcase }) => [testcase].flat().map(({ name }) => name))
    expect(new Set(names).size).toBe(run.checks.length + 1)
  })

  test('has a case for a run that could not be held', () => {
    const text = junit({ ...run, checks: [], load: [], impossible: 'refused' }, nothingKnown)
    expect(parse(text).testsuites).toMatchObject({ tests: '1', errors: '1' })
  })
})

test('the sample is JSON in ASCII, so that an editor shows what it holds', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
  expect(readFileSync(join(samples, 'run.json'), 'utf8')).toMatch(/^[\x00-\x7f]+$/)
})
