// The scripts for k6 and Artillery, run for real where these are on the PATH: their counts are
// those of petvet, and their thresholds hold and break as petvet's do.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { type Reference, startReference } from '../../reference/start.ts'
import type { LoadFigures } from '../../suites/kit/load-figures.ts'
import { root } from '../layout/sources.ts'

const keys = [
  { plan: 'free', key: 'petvet-engine-free' },
  { plan: 'pro', key: 'petvet-engine-pro' },
  { plan: 'enterprise', key: 'petvet-engine-big', perMinute: 10_000_000, perDay: 50_000_000 },
] as const

const environment = {
  ...process.env,
  ARTILLERY_DISABLE_TELEMETRY: 'true',
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
  folder = mkdtempSync(join(tmpdir(), 'petvet-engines-'))
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

/** Where an engine is, or a skip that says that it is nowhere. */
const engine = (name: string, context: TestContext): string => {
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, name))
  return places.find((place) => existsSync(place)) ?? context.skip(`${name} is not on the PATH`)
}

/** What petvet measures with its own scenario. */
const ownFigures = async (scenario: string, out: string): Promise<LoadFigures> => {
  const flags = ['--scenario', scenario, '--no-mock', '--no-reference', '--out', at(out)]
  const [code, text] = await petvet(...given, ...flags)
  expect(code, text).toBe(0)
  const { load } = JSON.parse(readFileSync(at(`${out}/run.json`), 'utf8'))
  return load[0].columns.target
}

const write = async (to: string, thresholds: string, out: string): Promise<void> => {
  const [code, text] = await petvet(
    ...given,
    '--thresholds',
    thresholds,
    '--to',
    to,
    '--out',
    at(out),
  )
  expect(code, text).toBe(0)
}

interface Seen {
  readonly code: number
  readonly text: string
  readonly requests: number
  readonly served: number
  readonly p50Ms: number
}

const k6 = async (place: string, script: string): Promise<Seen> => {
  const summary = at('summary.json')
  const flags = ['run', '--quiet', '--no-usage-report', '--summary-export', summary, script]
  const [code, text] = await run(place, flags)
  const { metrics } = JSON.parse(readFileSync(summary, 'utf8'))
  return {
    code,
    text,
    requests: metrics.http_reqs.count,
    served: metrics.petvet_served.count,
    p50Ms: metrics.http_req_duration['p(50)'],
  }
}

const artillery = async (place: string, script: string): Promise<Seen> => {
  const report = at('report.json')
  const [code, text] = await run(place, ['run', '--output', report, script])
  const { counters, summaries } = JSON.parse(readFileSync(report, 'utf8')).aggregate
  return {
    code,
    text,
    requests: counters['http.requests'],
    served: counters['http.codes.200'],
    p50Ms: summaries['http.response_time'].p50,
  }
}

const engines = { k6: [k6, 'k6.js'], artillery: [artillery, 'artillery.yaml'] } as const

describe.for(Object.entries(engines))('%s', ([name, [start, ending]]) => {
  test('keeps the pace of steady, and its thresholds hold and break', async (context) => {
    const place = engine(name, context)
    const own = await ownFigures('steady', `own-${name}`)
    await write(name, 'kept.yaml', `kept-${name}`)
    const seen = await start(place, at(`kept-${name}/steady.${ending}`))
    expect(seen.code, seen.text).toBe(0)
    expect(Math.abs(seen.requests / own.sent - 1)).toBeLessThan(0.02)
    expect(seen.served).toBe(seen.requests)
    const ownMs = own.latency?.p50Ms ?? Number.NaN
    await context.annotate(`steady, p50: ${name} ${seen.p50Ms} ms, petvet ${ownMs} ms`)
    // Artillery knows whole milliseconds.
    expect(Math.abs(seen.p50Ms - ownMs)).toBeLessThan(5)
    await write(name, 'broken.yaml', `broken-${name}`)
    const late = await start(place, at(`broken-${name}/steady.${ending}`))
    expect(late.code, late.text).toBe(name === 'k6' ? 99 : 1)
  })

  test('raises the connections of capacity, without an error', async (context) => {
    const place = engine(name, context)
    const { code, text, requests, served } = await start(
      place,
      at(`kept-${name}/capacity.${ending}`),
    )
    expect(code, text).toBe(0)
    expect(requests).toBeGreaterThan(1_000)
    expect(served).toBe(requests)
    const own = await ownFigures('capacity', `capacity-${name}`)
    await context.annotate(`capacity, requests: ${name} ${requests}, petvet ${own.sent}`)
  })

  test('finds each key of a fleet served exactly its quota', async (context) => {
    const place = engine(name, context)
    // What the last engine has spent is over in the next minute, and it is to begin early in one.
    const restMs = 65_000 - (Date.now() % 60_000)
    await new Promise((resolve) => setTimeout(resolve, restMs))
    const { code, text, served } = await start(place, at(`kept-${name}/fleet.${ending}`))
    expect(code, text).toBe(0)
    expect(served).toBe(360)
  })
})
