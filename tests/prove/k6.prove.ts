// The scripts for k6, run for real where it is on the PATH: their counts are those of petvet, and
// their thresholds hold and break as petvet's do.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import type { LoadFigures } from '../../engine/run-file.ts'
import { type Reference, startReference } from '../../reference/start.ts'
import { root } from '../layout/sources.ts'

const keys = [
  { plan: 'free', key: 'petvet-k6-free' },
  { plan: 'pro', key: 'petvet-k6-pro' },
  { plan: 'enterprise', key: 'petvet-k6-big', perMinute: 10_000_000, perDay: 50_000_000 },
] as const

const environment = {
  ...process.env,
  FREE: keys[0].key,
  PRO: keys[1].key,
  BIG: keys[2].key,
  PETVET_KEY_FREE_1: keys[0].key,
  PETVET_KEY_PRO_1: keys[1].key,
  PETVET_KEY_ENTERPRISE_1: keys[2].key,
}

const config = `
keys:
  - { plan: free, key: $FREE }
  - { plan: pro, key: $PRO }
  - { plan: enterprise, key: $BIG, perMinute: 10000000, perDay: 50000000 }
`

const kept = 'steady: { p50: "< 1 s", errors: "<= 0 %" }\ncapacity: { errors: "<= 0 %" }\n'
const broken = 'steady: { perSecond: "> 100000 /s" }\n'

let folder = ''
let server: Reference
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'petvet-k6-'))
  server = await startReference({
    keys,
    store: 'memory',
    port: 0,
    onFault: (fault) => {
      throw fault
    },
  })
  writeFileSync(join(folder, 'petvet.yaml'), config)
  writeFileSync(join(folder, 'kept.yaml'), kept)
  writeFileSync(join(folder, 'broken.yaml'), broken)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** @returns the exit code, and all that was printed */
const run = (
  file: string,
  args: readonly string[],
): Promise<readonly [code: number, text: string]> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env: environment, timeout: 240_000, maxBuffer: 2 ** 26 }
    execFile(file, [...args], options, (error, out, err) => {
      resolve([error ? Number(error.code ?? 1) : 0, `${out}${err}`])
    })
  })

const petvet = (...args: readonly string[]) =>
  run(process.execPath, [join(root, 'bin/petvet.js'), 'load', server.url, ...args])

const at = (name: string): string => join(folder, name)
const given = ['--config', 'petvet.yaml', '--duration', '10', '--connections', '8']

/** Where k6 is, or a skip that says that it is nowhere. */
const placeOfK6 = (context: TestContext): string => {
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'k6'))
  return places.find((place) => existsSync(place)) ?? context.skip('k6 is not on the PATH')
}

/** What petvet measures with its own scenario. */
const ownFigures = async (scenario: string, out: string): Promise<LoadFigures> => {
  const flags = ['--scenario', scenario, '--no-mock', '--no-reference', '--out', at(out)]
  const [code, text] = await petvet(...given, ...flags)
  expect(code, text).toBe(0)
  const { load } = JSON.parse(readFileSync(at(`${out}/run.json`), 'utf8'))
  return load[0].columns.target
}

const write = async (thresholds: string, out: string): Promise<void> => {
  const flags = ['--thresholds', thresholds, '--to', 'k6', '--out', at(out)]
  const [code, text] = await petvet(...given, ...flags)
  expect(code, text).toBe(0)
}

const k6 = async (place: string, script: string) => {
  const summary = at('summary.json')
  const flags = ['run', '--quiet', '--no-usage-report', '--summary-export', summary, script]
  const [code, text] = await run(place, flags)
  const { metrics } = JSON.parse(readFileSync(summary, 'utf8'))
  return {
    code,
    text,
    requests: Number(metrics.http_reqs.count),
    served: Number(metrics.petvet_served.count),
    p50Ms: Number(metrics.http_req_duration['p(50)']),
  }
}

test('keeps the pace of steady, and its thresholds hold and break', async (context) => {
  const place = placeOfK6(context)
  const own = await ownFigures('steady', 'own')
  await write('kept.yaml', 'kept')
  const seen = await k6(place, at('kept/steady.k6.js'))
  expect(seen.code, seen.text).toBe(0)
  expect(Math.abs(seen.requests / own.sent - 1)).toBeLessThan(0.02)
  expect(seen.served).toBe(seen.requests)
  const ownMs = own.latency?.p50Ms ?? Number.NaN
  await context.annotate(`steady, p50: k6 ${seen.p50Ms} ms, petvet ${ownMs} ms`)
  // petvet measures from when a request was due, k6 from when it was sent.
  expect(Math.abs(seen.p50Ms - ownMs)).toBeLessThan(5)
  await write('broken.yaml', 'broken')
  const late = await k6(place, at('broken/steady.k6.js'))
  expect(late.code, late.text).toBe(99)
})

test('raises the connections of capacity, without an error', async (context) => {
  const { code, text, requests, served } = await k6(placeOfK6(context), at('kept/capacity.k6.js'))
  expect(code, text).toBe(0)
  expect(requests).toBeGreaterThan(1_000)
  expect(served).toBe(requests)
  const own = await ownFigures('capacity', 'capacity')
  await context.annotate(`capacity, requests: k6 ${requests}, petvet ${own.sent}`)
})

test('finds each key of a fleet served exactly its quota', async (context) => {
  const { code, text, served } = await k6(placeOfK6(context), at('kept/fleet.k6.js'))
  expect(code, text).toBe(0)
  expect(served).toBe(360)
})
