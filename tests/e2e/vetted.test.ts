// The adapter in a project of its own: which tests it declares, how they are named, how they end.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from '../../reference/mutants.ts'
import { root } from '../layout/sources.ts'
import { serveWith } from '../raw-server.ts'
import { isProof } from '../sample.ts'
import { serveReference } from '../serve-reference.ts'
import { emptyFolder, runProgram } from './petvet.ts'

const key = 'petvet-test-key-vetted'

interface TestResult {
  readonly title: string
  readonly status: string
  readonly ancestorTitles: readonly string[]
  readonly failureMessages: readonly string[]
}

/** The options of a target with this fault, or with none. */
const target = async (fault: string | null): Promise<string> => {
  const variant = mutants.find(({ id }) => id === fault)
  if (fault !== null && !variant) throw new Error('there is no such mutant')
  const keys = [{ plan: 'free' as const, key }]
  const { url, clockUrl } = await serveReference({ keys, variant: variant ?? {}, clockPort: 0 })
  return `target: '${url}', clock: '${clockUrl}', keys: [{ plan: 'free', key: '$KEY' }]`
}

interface Ended {
  readonly code: number
  readonly tests: readonly TestResult[]
  /** Why whole runs failed, by seed: vitest prints it, and has no test for it. */
  readonly wholes: Readonly<Record<string, string>>
}

const wholesIn = (printed: string): Record<string, string> =>
  Object.fromEntries(
    [...printed.matchAll(/FAIL {2}own\.test\.ts > petvet [^>]+, seed (\d+)\n(.+?)\n⎯/gs)].map(
      ([, seed = '', why = '']) => [seed, why],
    ),
  )

/** What vitest makes of a file of these lines. */
const endOf = async (lines: readonly string[], more: readonly string[]): Promise<Ended> => {
  const folder = emptyFolder()
  const imports = `import { vetted } from ${JSON.stringify(join(root, 'vitest.ts'))}`
  writeFileSync(join(folder, 'own.test.ts'), [imports, ...lines].join('\n'))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile', 'results.json']
  const flags = ['run', '--root', folder, ...reporters, ...more]
  const ended = await runProgram(process.execPath, [vitest, ...flags], folder, { KEY: key })
  const printed = ended.stdout + ended.stderr
  const text = readFileSync(join(folder, 'results.json'), 'utf8')
  expect(text + printed).not.toContain(key)
  const tests = JSON.parse(text).testResults[0].assertionResults
  return { code: ended.code, tests, wholes: wholesIn(printed) }
}

test('a test for each check, as only, skip, bail and the signal have it', async () => {
  const limits = `${await target('list-limit-ignored')}, only: ['list-limit-*']`
  const { tests: results, wholes } = await endOf(
    [
      `vetted({ ${limits}, skip: ['list-limit-most'], seed: 7 })`,
      `vetted({ ${limits}, bail: true, seed: 8 })`,
      `vetted({ ${limits}, signal: AbortSignal.abort(), seed: 9 })`,
    ],
    [],
  )
  const title = /^petvet http:\/\/127\.0\.0\.1:\d+\/v1, seed (\d)$/
  const of = (seed: string) =>
    results.filter(({ ancestorTitles }) => title.exec(ancestorTitles.join())?.[1] === seed)
  const statusesOf = (seed: string) => new Set(of(seed).map(({ status }) => status))

  const whole = of('7').map((each) => `${each.title} ${each.status}`)
  expect(whole).toContain('list-limit-no-fewer failed')
  expect(whole.join()).not.toContain('list-limit-most ')
  expect(whole.filter((line) => line.endsWith(' failed')).length).toBeGreaterThan(0)

  const failed = of('8').filter(({ status }) => status === 'failed')
  // What ends the run, and what its responses violate too.
  expect(failed.length).toBeGreaterThan(0)
  const message = failed[0]?.failureMessages.join() ?? ''
  expect(message).toMatch(/^Error: [\w.]+: .+\. \(.+, must\)\n(?:Observed: .*\n)?Expected: /)
  expect(message).toMatch(/\nExpected: .+\nActual: .+\n(?:Response: .+\n)+curl .+"\$KEY"/)
  expect(message).toMatch(/petvet explain list-limit-\S+$/)
  // Expected and actual have a line of their own once.
  expect(message.split('\nExpected: ')).toHaveLength(2)
  expect(statusesOf('8')).toContain('skipped')
  // Checks that an aborted run did not run are no failures, and not green.
  expect([...statusesOf('9')]).toEqual(['skipped'])
  expect(Object.keys(wholes)).toEqual(['9'])
  expect(wholes[9]).toMatch(/^Error: petvet: interrupted, so far .+ \(0 of \d+ musts/)
}, 60_000)

test('a run that tests too little is red, though each of its tests is skipped', async () => {
  const valid = await target(null)
  const astray = await serveWith((_request, response) => response.writeHead(404).end())
  const elsewhere = (url: string) => `target: '${url}', keys: [{ plan: 'free', key: '$KEY' }]`
  const { code, tests, wholes } = await endOf(
    [
      `vetted({ ${valid}, only: ['list'], allow: [], maxRequests: 1, seed: 1 })`,
      `vetted({ ${valid}, only: ['list'], allow: [], strict: true, seed: 2 })`,
      `vetted({ ${elsewhere(`${astray}/v1`)}, only: ['list'], seed: 3 })`,
      `vetted({ ${elsewhere('http://127.0.0.1:9/v1')}, only: ['list'], seed: 4 })`,
      `vetted({ ${valid}, only: ['list'], runTimeoutMs: 1, seed: 5 })`,
      `vetted({ ${valid}, only: ['list'], allow: [], seed: 6 })`,
    ],
    [],
  )
  expect(code).toBe(1)
  expect(tests.filter(({ status }) => status === 'failed')).toEqual([])
  expect(Object.keys(wholes)).toEqual(['1', '2', '3', '4', '5'])
  expect(wholes[1]).toMatch(/^Error: petvet: undecided \(0 of \d+ musts .+\n\d+ checks? untested, /)
  expect(wholes[1]).toMatch(/\n\d+ checks untested, budget: .+\(--max-requests\)\n/)
  expect(wholes[2]).toMatch(
    /^Error: petvet: undecided \(\d+ of \d+ musts .+\n(?:.+\n)*\d+ checks? untested, permission/,
  )
  expect(wholes[3]?.replace(/^Observed: .*\n/gm, '')).toMatch(
    /^Error: list\.success: .+\nExpected: 200 .+\nActual: 404, /,
  )
  expect(wholes[4]).toMatch(/^Error: petvet: could not run, http:.+ \(0 of \d+ musts .+\)$/)
  expect(wholes[5]).toMatch(/^Error: petvet: interrupted, .+give it a longer runTimeoutMs\.$/s)
}, 60_000)

test.runIf(isProof)(
  'a filter of vitest fails only for tests that it names',
  async () => {
    const strict = `vetted({ ${await target(null)}, allow: [], strict: true, seed: 1 })`
    const only = (id: string) =>
      endOf([strict.replace('allow', "only: ['list'], allow")], ['-t', id])
    const decided = await only('auth-missing-list-401$')
    expect([decided.code, decided.wholes]).toEqual([0, {}])
    const open = await only('list-limit-most$')
    expect([open.code, Object.keys(open.wholes)]).toEqual([1, ['1']])
    expect(open.wholes[1]).toContain('undecided (1 of 2 musts')
  },
  60_000,
)
