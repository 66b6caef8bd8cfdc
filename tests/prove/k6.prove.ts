// Loads from several instances of k6 at once, judged by petvet: quotas that hold over processes and
// connections are conformant, and those that do not are found by name.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, type TestContext, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { k6Export } from '../../load/k6/k6-plan.ts'
import { scenarios } from '../../load/scenarios.ts'
import { loadMutants } from '../../reference/mutants/under-load.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import { startReference } from '../../reference/start.ts'
import type { Variant } from '../../reference/variant.ts'
import { keysOf } from '../load-reference.ts'
import type { MountName } from '../real-limiters/mounts.ts'
import { atLibrary, freeKeys } from '../real-limiters/vet.ts'
import { type K6Trial, placeOfK6, runK6 } from '../run-k6.ts'
import { outcomesOf } from '../vet-reference.ts'

/** How often each is tried; fewer by hand, as each takes ten seconds and more. */
const runs = Number(process.env.PETVET_K6_RUNS ?? 20)
const legalRuns = Math.min(runs, 10)
const atOnce = 2
const instances = 4
const timeout = 3_600_000

type Given = Pick<K6Trial, 'k6' | 'scenario'> & Partial<K6Trial>

/** One key of a plan, whose whole quota all instances spend. */
const [key] = keysOf(['free'])
if (!key) throw new Error('no key')

const atReference = async (variant: Variant, trial: Given): Promise<RunFile> => {
  const keys = trial.keys ?? [key]
  const server = await startReference({
    keys,
    variant,
  })
  try {
    const urls = Array.from({ length: instances }, () => server.url)
    return (await runK6({ urls, keys, ...trial })).run
  } finally {
    await server.close()
  }
}

/** Two processes of a server, half of the instances at each. */
const atTwo = (name: MountName, shared: boolean, trial: Given): Promise<RunFile> =>
  atLibrary(name, false, freeKeys, (first) => {
    const half = async (url: string) => {
      const urls = Array.from({ length: instances }, (_, at) => (at % 2 === 0 ? first.url : url))
      return (await runK6({ urls, keys: freeKeys.slice(0, 1), ...trial })).run
    }
    return atLibrary(name, false, freeKeys, ({ url }) => half(url), shared ? first.redisSocket : '')
  })

const failuresOf = (run: RunFile) =>
  outcomesOf(run, 'fail', 'error').map((line) => line.split(' ')[1])

/** How many of so many runs end as expected. */
const countRuns = async (
  context: TestContext,
  times: number,
  once: () => Promise<string | null>,
): Promise<number> => {
  const wrong: string[] = []
  const tryOne = async () => {
    const why = await once()
    if (why !== null) wrong.push(why)
  }
  // A trial mostly waits for its start.
  for (let left = times; left > 0; left -= atOnce) {
    await Promise.all(Array.from({ length: Math.min(left, atOnce) }, tryOne))
  }
  await context.annotate(`${times - wrong.length} of ${times} as expected ${wrong.join('; ')}`)
  return times - wrong.length
}

test.concurrent('counters shared by two processes grant four instances exactly the quota', {
  timeout,
}, async (context) => {
  const k6 = placeOfK6(context)
  const right = await countRuns(context, runs, async () => {
    const run = await atTwo('rate-limiter-flexible over Redis, conformant', true, {
      k6,
      scenario: 'burst',
    })
    const served = run.load?.[0]?.columns.target?.counts.served
    const failures = outcomesOf(run, 'fail', 'warn', 'error', 'untested').join('; ')
    return run.verdict === 'conformant' && served === 60 ? null : `${served} served, ${failures}`
  })
  expect(right).toBe(runs)
})

const found = (ids: readonly string[], wanted: string): string | null =>
  ids.includes(`${wanted}:`) ? null : `failed: ${ids.join(', ') || 'nothing'}`

const minFound = Math.floor(0.95 * runs)

test.concurrent('counters of each process are found', { timeout }, async (context) => {
  const k6 = placeOfK6(context)
  const right = await countRuns(context, runs, async () => {
    const trial = { k6, scenario: 'burst' }
    const run = await atTwo('rate-limiter-flexible, conformant', false, trial)
    return found(failuresOf(run) as string[], 'load-burst-not-more')
  })
  expect(right).toBeGreaterThanOrEqual(minFound)
})

test.concurrent.for([
  ['load-race', 'burst', 'load-burst-not-more'],
  ['count-per-connection', 'burst', 'load-burst-not-more'],
  ['load-replicas-apart', 'replicas', 'load-replicas-one-count'],
] as const)('the mutant %s is found by %s', { timeout }, async ([id, scenario, check], context) => {
  const k6 = placeOfK6(context)
  const mutant = [...loadMutants, ...mutants].find((each) => each.id === id)
  if (!mutant) throw new Error(id)
  const right = await countRuns(context, runs, async () =>
    found(failuresOf(await atReference(mutant, { k6, scenario })) as string[], check),
  )
  expect(right).toBeGreaterThanOrEqual(minFound)
})

const legal = legalVariants.filter(({ suite }) => suite === 'both').slice(0, 10)

test.concurrent.for(legal)('nothing fails with $id', { timeout }, async (variant, context) => {
  const k6 = placeOfK6(context)
  const right = await countRuns(context, legalRuns, async () => {
    const failures = failuresOf(await atReference(variant, { k6, scenario: 'burst' }))
    return failures.length === 0 ? null : failures.join(', ')
  })
  expect(right).toBe(legalRuns)
})

test.concurrent.for([
  ['edge', {}],
  ['backoff', {}],
  ['ban', {}],
  ['fleet', {}],
  ['fleet', { divide: 'keys' }],
] as const)(
  'the reference is conformant in %s, with %o',
  { timeout },
  async ([scenario, how], context) => {
    const keys = keysOf(['free', 'free', 'free', 'free'])
    const run = await atReference({}, { k6: placeOfK6(context), scenario, keys, ...how })
    expect(outcomesOf(run, 'fail', 'error')).toEqual([])
    expect(outcomesOf(run, 'pass').length).toBeGreaterThan(0)
  },
)

describe('thresholds', () => {
  const big = {
    plan: 'enterprise' as const,
    key: 'petvet-k6-big',
    quota: { perMinute: 60_000, perDay: 1e7 },
  }
  const server = async (k6: string, scenario: string, thresholds: string, count: number) => {
    const reference = await startReference({
      keys: [big],
      onFault: () => {},
    })
    const trial = {
      k6,
      scenario,
      keys: [big as K6Trial['keys'][number]],
      connections: 8,
      thresholds,
    }
    try {
      const urls = Array.from({ length: count }, () => reference.url)
      return await runK6({ ...trial, urls, durationMs: 10_000 })
    } finally {
      await reference.close()
    }
  }

  test('hold and break in k6 as in petvet, and the pace is kept', { timeout }, async (context) => {
    const k6 = placeOfK6(context)
    const kept = 'steady: { p50: "< 1 s", errors: "<= 0 %" }'
    const { run, codes } = await server(k6, 'steady', kept, 2)
    expect(codes).toEqual([0, 0])
    expect(Math.abs((run.load?.[0]?.columns.target?.sent ?? 0) / 2_000 - 1)).toBeLessThan(0.02)
    expect(outcomesOf(run, 'warn')).toEqual([])
    const broken = await server(k6, 'steady', 'steady: { p50: "< 1 us" }', 1)
    expect(broken.codes).toEqual([99])
    expect(outcomesOf(broken.run, 'warn').join()).toContain('load-threshold-steady-p50')
  })

  test('capacity raises the connections', { timeout }, async (context) => {
    const { run } = await server(
      placeOfK6(context),
      'capacity',
      'capacity: { errors: "<= 0 %" }',
      2,
    )
    expect(outcomesOf(run, 'warn').join()).not.toContain('load-threshold')
    expect(run.load?.[0]?.columns.target?.sent).toBeGreaterThan(1_000)
  })
})

test('k6 inspect accepts a script of all scenarios', async (context) => {
  const k6 = placeOfK6(context)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-k6-'))
  const keys = keysOf(['free', 'free', 'pro', 'enterprise'])
  const target = { baseUrl: 'https://staging.example.com/v1', keys, shared: false }
  const { files, missing } = k6Export({
    target: { ...target, allow: ['exhaust', 'ban'] },
    ...{ headers: [], thresholds: [], settings: { connections: [50], durationMs: null } },
    scenarios: scenarios.filter(({ k6: own }) => own !== undefined),
  })
  expect(missing).toEqual([])
  writeFileSync(join(folder, 'load.k6.js'), files[0]?.text ?? '')
  try {
    const { stdout } = await promisify(execFile)(k6, ['inspect', join(folder, 'load.k6.js')])
    expect(Object.keys(JSON.parse(stdout).scenarios)).toContain('fleet_1')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
