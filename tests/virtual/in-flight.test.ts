// In virtual time: at a target that takes 200 ms for each response a run has requests in flight
// together. It finds what a run finds that sends one after another, and nothing else; it keeps
// within its quotas and its budget, and is resumed as any other.
import { describe, expect, test } from 'vitest'
import { runSuites } from '../../engine/run/run.ts'
import { runAt } from '../../proof/conditions.ts'
import { readKillTable } from '../../proof/kill-table.ts'
import {
  isServer,
  listAlarms,
  listIds,
  makeTarget,
  type Server,
  subjects,
} from '../../proof/subjects.ts'
import { chances } from '../../proof/virtual.ts'
import { runVirtually } from '../../proof/virtual-run.ts'
import { catalogue } from '../../suites/index.ts'
import { interruptAt, nothingKept, pastOf } from '../interrupted-run.ts'
import { sample } from '../sample.ts'
import { keyOf, outcomesOf, silent, twoFree } from '../vet-reference.ts'
import type { Mishap } from './interruptions.ts'
import { impatient } from './not-permitted.ts'
import { openVirtually, type Passed, type Surrounding, withoutClock } from './vet.ts'

const seed = 7
/** One way. */
const latency = { minMs: 100, maxMs: 100, seed }
const timeout = 300_000

const slow: Surrounding = { ...withoutClock, latency, maxRequests: 10_000 }

const servers = subjects.filter(isServer).filter(({ variant }) => !variant.description)
const ofKind = (kind: Server['kind']) => servers.filter((server) => server.kind === kind)
const named = (some: readonly Server[]) => some.map((server) => [server.id, server] as const)

/** The conditions of the net. */
const conditions = ['full', 'oneKey'] as const

test.for(named(sample(ofKind('legal'), 60)))('no alarm at %s', { timeout }, async ([, server]) => {
  for (const condition of conditions) {
    const run = await runAt(makeTarget(server), condition, seed, { latency })
    expect(listAlarms(server, run)).toEqual([])
    expect(run.impossible).toBeNull()
  }
})

const kills = new Map(readKillTable().map((line) => [line.id, line]))

/**
 * What they do depends on how many requests came before, or on which connection each comes: with
 * several from the start, two counts that differ by a few may be the refill of a bucket.
 */
const byChance: readonly string[] = ['refused-by-chance', 'count-per-replica']

/** More than a hundred in a proof. */
const chosen = {
  full: ofKind('mutant').filter((_, at) => at % 11 === 3),
  oneKey: ofKind('mutant').filter(({ id }, at) => at % 7 === 3 && !byChance.includes(id)),
} as const

const mutants = conditions.flatMap((condition) =>
  sample(chosen[condition], 30).map((server) => [server.id, condition, server] as const),
)

test.for(mutants)('%s is found, %s', { timeout }, async ([id, condition, server]) => {
  const line = kills.get(id)
  const before = line?.[condition] ?? []
  const run = await runAt(makeTarget(server), condition, seed, { latency })
  const found = listIds(run, 'fail', 'warn')
  const lost = before.filter((check) => !found.includes(check))
  // In more time another client may do more, so a check of several may be in doubt; most are not.
  expect(lost.length).toBeLessThanOrEqual(before.length / 2)
})

/** How many requests were in flight at once, at most. */
const mostInFlight = (passed: readonly Passed[]): number =>
  Math.max(
    ...passed.map(
      ({ sentMs }) =>
        passed.filter((one) => one.sentMs <= sentMs && sentMs < one.receivedMs).length,
    ),
  )

/** Nothing that sends many at once on purpose. */
const rows = catalogue.filter(
  (check) => check.kind === 'clause' || ['unauthenticated', 'refusals'].includes(check.needs.stage),
)
const keys = [keyOf('pro', 'first')]

describe('rows', () => {
  const vet = async (own: Partial<Surrounding> = {}) => {
    const world = openVirtually({}, keys, { ...slow, ...own })
    const run = await runVirtually(world, rows)
    return { run, passed: world.passed, tookMs: world.time.now() }
  }

  test('are in flight together, eight at most, and take a part of the time', async () => {
    const { run, passed, tookMs } = await vet()
    expect(run.verdict).toBe('conformant')
    expect(mostInFlight(passed)).toBe(8)
    expect(tookMs).toBeLessThan((200 * passed.length) / 3)
  })

  test('are sent one after another where a response takes 20 ms', async () => {
    const fast = await vet({ latency: { minMs: 10, maxMs: 10, seed } })
    expect(mostInFlight(fast.passed)).toBe(1)
  })

  test('keep within --max-requests', async () => {
    const { run, passed } = await vet({ maxRequests: 60 })
    expect([passed.length, run.requests]).toEqual([60, 60])
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.checks.some(({ because }) => because === 'budget')).toBe(true)
  })
})

test('no key is sent more than remains, whatever the quota', { timeout }, async () => {
  for (const perMinute of [10, 20, 60]) {
    const own = [keyOf('enterprise', 'small', { quota: { perMinute, perDay: 100_000 } })]
    const world = openVirtually({}, own, slow)
    const run = await runVirtually(world, rows)
    const refused = world.passed.filter(({ result }) => result.response?.status === 429)
    expect([outcomesOf(run, 'fail', 'warn', 'error'), refused.length]).toEqual([[], 0])
    expect(impatient(world.passed, undefined)).toEqual([])
  }
})

test('what another client leads to a 429 is blocked, not failed', { timeout }, async () => {
  let refused = 0
  for (const pauseMs of [100, 500, 1_000]) {
    const foreign = { pauseMs, even: false, crowd: 40, obeys: true, seed }
    const world = openVirtually({}, twoFree.slice(0, 1), { ...slow, foreign, shared: true })
    const run = await runVirtually(world, rows)
    refused += world.passed.filter(({ result }) => result.response?.status === 429).length
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  }
  expect(refused).toBeGreaterThan(0)
})

const mishaps: readonly Mishap[] = [
  { kind: 'lost', ms: 8_000, as: 'refused', arrives: false },
  { kind: 'lost', ms: 3_000, as: 'reset', arrives: true },
  { kind: 'lost', ms: 12_000, as: 'timeout', arrives: true },
]

test.each(mishaps)('nothing is failed where responses are lost: $as', { timeout }, async (what) => {
  const chance = chances(seed)
  for (let round = 0; round < 3; round += 1) {
    const mishap = { what, atRequest: 10 + Math.floor(chance() * 150) }
    const world = openVirtually({}, keys, { ...slow, mishap })
    const run = await runVirtually(world, rows)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.impossible).toBeNull()
  }
})

test('it is killed with requests in flight, and resumed', { timeout }, async () => {
  const chance = chances(seed)
  const whole = await runVirtually(openVirtually({}, twoFree, slow), rows)
  for (let round = 0; round < 5; round += 1) {
    const { wires, options, time } = openVirtually({}, twoFree, slow)
    const kept = nothingKept()
    const stop = 30 + Math.floor(chance() * 250)
    const isTheEnd = (_line: string, journal: readonly string[]) => journal.length >= stop
    await interruptAt(rows, options, kept, isTheEnd, wires())
    const run = await runSuites(rows, { ...options, past: pastOf(kept) }, silent, wires())
    time.stop()
    expect([run.impossible, run.verdict, outcomesOf(run, 'fail', 'warn', 'error')]).toEqual([
      ...[null, whole.verdict, []],
    ])
  }
})
