// The scripts for k6: as they were when a person last looked at them, and sound.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExportRequest, exported, k6Scripts } from './export-k6.ts'
import { readThresholds } from './thresholds.ts'

const request: ExportRequest = {
  baseUrl: 'https://staging.example.com/v1',
  keys: [
    { label: 'free-1', plan: 'free', quota: { perMinute: 60, perDay: 1_000 } },
    { label: 'pro-2', plan: 'pro', quota: { perMinute: 300, perDay: 10_000 } },
    {
      label: 'enterprise-1',
      plan: 'enterprise',
      quota: { perMinute: 6_000, perDay: 1_000_000 },
    },
  ],
  settings: { connections: [1, 8], durationMs: 20_000 },
  thresholds: readThresholds(`
    steady: {
      p99: "< 3x baseline", p50: "< 20 ms", p90: "< 900 us", p999: "< 1 s", errors: "< 0.1 %" }
    capacity: { mean: "<= 2500 us", perSecond: "> 500 /s", errors: "<= 0 %" }
    fleet: { max: "< 1.5x prism", refused: "< 50 %" }
    burst: { p50: "< 1 s" }
  `),
  headers: [
    { name: 'X-Team', value: 'a "quoted" one', variable: null },
    { name: 'X-Token', value: '', variable: 'STAGING_TOKEN' },
  ],
}

const scripts = k6Scripts(request, exported)

const textOf = (file: string): string => scripts.find((each) => each.file === file)?.text ?? ''

test.for(scripts.map(({ file }) => file))('%s', async (file) => {
  // The version is another one with each release.
  const text = textOf(file).replace(/petvet \d\S*?\.(?=\s)/, 'petvet 0.0.0.')
  await expect(text).toMatchFileSnapshot(`samples/${file.replace('.k6.js', '.k6.txt')}`)
})

test('what k6 cannot hold is told', () => {
  const leftOut = scripts.flatMap(({ file, leftOut: some }) =>
    some.map(({ metric }) => `${file} ${metric}`),
  )
  expect(leftOut).toEqual(['capacity.k6.js perSecond'])
})

test('a scenario that no key can bear is not written', () => {
  const free = { ...request, keys: request.keys.slice(0, 1) }
  expect(k6Scripts(free, exported).map(({ file }) => file)).toEqual(['fleet.k6.js', 'steady.k6.js'])
  expect(k6Scripts({ ...request, keys: [] }, exported)).toEqual([])
})

describe('a script for k6', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petvet-k6-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test.for(exported)('of %s is a module', (name) => {
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, textOf(`${name}.k6.js`))
    execFileSync(process.execPath, ['--check', file])
  })
})
