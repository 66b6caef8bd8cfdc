// A run is killed at any moment and resumed: it ends as an uninterrupted one, and sends nothing
// twice but in-flight requests. In processes of their own, by SIGKILL.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { chances } from '../../proof/virtual.ts'
import { catalogue } from '../../suites/index.ts'
import { emptyFolder, readRunFile } from '../e2e/petvet.ts'
import { expectOnce } from '../interrupted-run.ts'
import {
  killed,
  linesIn,
  type Moment,
  type RunArguments,
  resumed,
  resumedAndKilled,
  serveCounted,
  tear,
  whole,
} from '../kill/killed.ts'
import type { Counts } from '../kill/orders.ts'
import { endingsOf, idsOf } from '../vet-reference.ts'

const points = Number(process.env.PETVET_KILLS ?? 50)
const seed = Number(process.env.PETVET_SEED ?? 20_261_121)
const minuteMs = 60_000
const all: RunArguments = { seed: 7, more: [] }

interface Uninterrupted {
  readonly run: RunFile
  readonly counts: Counts
}

/**
 * What no two runs find the same: how long a ban lasts, in whole seconds, and on a busy machine
 * whether a window ended within a row of calls.
 */
const isOfTime = (id: string): boolean => ['ban-duration', 'count-kept-after-errors'].includes(id)

const withoutTime = (outcomes: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(outcomes).filter(([id]) => !isOfTime(id)))

/** The check that was running at each kill. */
const brokenIn = (folder: string): readonly string[] => {
  const broken: string[] = []
  let check = 'smoke'
  for (const line of linesIn(folder, 'journal.ndjson')) {
    const entry = JSON.parse(line)
    if (entry.kind === 'sending') check = entry.check
    if (entry.kind === 'resumed') broken.push(check)
  }
  return broken
}

/** The requests of a check, as it declares them; smoke and control requests are no checks. */
const costOf = (id: string): number => {
  const check = catalogue.find((each) => each.id === id)
  return check && check.kind !== 'invariant' ? check.needs.keyed : 2
}

/**
 * By how many calls interruptions may make a key spend more than an uninterrupted run does: those
 * of the check that runs again, and two experiments that checks look at which are left.
 */
const boundOf = (perMinute: number, perDay: number, broken: readonly string[]): number =>
  broken.reduce((sum, check) => {
    const day = check.startsWith('day-') ? perDay + perMinute : 0
    return sum + costOf(check) + 2 * (perMinute + experimentMore) + day
  }, 0)

/** Probes, the call that is refused, requests after 429, and the smoke call. */
const experimentMore = 40

const quotas = [
  [60, 1_000],
  [60, 1_000],
  [300, 10_000],
] as const

/** All outcomes are the same; with a faulty server, all failures. */
const expectOutcomes = (run: RunFile, was: RunFile): void => {
  expect(run.verdict).toBe(was.verdict)
  expect(idsOf(run, 'fail').sort()).toEqual(idsOf(was, 'fail').sort())
  // Whether anything else has a legal explanation depends on the second in which it is sent.
  if (was.verdict !== 'conformant') return
  expect(withoutTime(endingsOf(run))).toEqual(withoutTime(endingsOf(was)))
}

/** @returns how many more calls each key had */
const expectSame = (
  { run: was, counts: wasCounted }: Uninterrupted,
  folder: string,
  counts: Counts,
): readonly number[] => {
  const run = readRunFile(folder)
  expectOutcomes(run, was)
  const exchanges = linesIn(folder, 'exchanges.ndjson')
  expectOnce(run, { exchanges })
  // Some of the requests in flight at a kill had not been sent yet.
  expect(counts.all).toBeGreaterThanOrEqual(exchanges.length)
  expect(counts.all).toBeLessThanOrEqual(run.requests)
  const broken = brokenIn(folder)
  const more = counts.byKey.map((count, at) => count - (wasCounted.byKey[at] ?? 0))
  for (const [at, [perMinute, perDay]] of quotas.entries()) {
    expect(more[at]).toBeLessThanOrEqual(boundOf(perMinute, perDay, broken))
  }
  return more
}

const uninterrupted = async (
  mutant: string | null,
  runArguments: RunArguments,
  hasClock: boolean,
): Promise<Uninterrupted> => {
  const server = await serveCounted(mutant, hasClock)
  const folder = join(emptyFolder(), 'run')
  const { code, stderr } = await whole(server, folder, runArguments)
  expect(code, stderr).toBe(mutant === null ? 0 : 1)
  const counts = await server.counts()
  server.close()
  return { run: readRunFile(folder), counts }
}

/** Some moments of a run of so many requests: before a response, or some time after it. */
const momentsOf = (requests: number, count: number, from: number): readonly Moment[] => {
  const chance = chances(from)
  return Array.from({ length: count }, () => ({
    at: 1 + Math.floor(chance() * (requests - 1)),
    afterMs: chance() < 0.3 ? null : Math.floor(chance() * 8),
  }))
}

/** Two at a time: a run and its server are two processes. */
const byTwos = async <T>(all: readonly T[], each: (one: T, place: number) => Promise<void>) => {
  for (let place = 0; place < all.length; place += 2) {
    await Promise.all(all.slice(place, place + 2).map((one, at) => each(one, place + at)))
  }
}

const torn = [null, 'journal', 'exchanges'] as const

/** Kills a run at one of these moments in each attempt, and resumes it to its end. */
const interruptedAt = async (mutant: string | null, moments: readonly Moment[], place: number) => {
  const server = await serveCounted(mutant, true)
  const folder = join(emptyFolder(), 'run')
  for (const [attempt, moment] of moments.entries()) {
    const end = attempt === 0 ? killed(server, folder, all, moment) : null
    const { code, stderr } = await (end ?? resumedAndKilled(server, folder, moment))
    expect(code, stderr).toBe(null)
    const file = torn[place % torn.length]
    if (file) tear(folder, file)
  }
  const { code, stderr } = await resumed(folder)
  const counts = await server.counts()
  server.close()
  return { folder, code, stderr, counts }
}

describe('a killed run ends as an uninterrupted one', {
  timeout: 40 * minuteMs,
}, () => {
  test(`at ${points} moments`, async () => {
    const was = await uninterrupted(null, all, true)
    const most = [0, 0, 0]
    await byTwos(momentsOf(was.run.requests, points, seed), async (moment, place) => {
      const { folder, code, stderr, counts } = await interruptedAt(null, [moment], place)
      expect([code, moment], stderr).toEqual([0, moment])
      const more = expectSame(was, folder, counts)
      for (const [at, each] of more.entries()) most[at] = Math.max(most[at] ?? 0, each)
    })
    console.log(`${points} kills, seed ${seed}: at most ${most.join(', ')} calls more on a key`)
  })

  test('twice, and while it resumes', async () => {
    const was = await uninterrupted(null, all, true)
    const chance = chances(seed + 1)
    for (let place = 0; place < 5; place += 1) {
      const moments = [1 + Math.floor(chance() * 1_500), 1 + Math.floor(chance() * 300), 2]
      const { folder, code, stderr, counts } = await interruptedAt(
        null,
        moments.map((at) => ({ at, afterMs: 1 })),
        place,
      )
      expect([code, moments], stderr).toEqual([0, moments])
      expectSame(was, folder, counts)
    }
  })

  test.for([
    'list-limit-one-more',
    'window-ends-before-it-is-over',
    'ban-longer-than-told',
    'day-refused-as-minute',
  ])('with what fails at %s', async (mutant) => {
    const was = await uninterrupted(mutant, all, true)
    await byTwos(momentsOf(was.run.requests, 4, seed + 2), async (moment, place) => {
      const { folder, code, stderr, counts } = await interruptedAt(mutant, [moment], place)
      expect([code, moment], stderr).toEqual([1, moment])
      expectSame(was, folder, counts)
    })
  })
})

test('in real time, in a burst and in the wait before it', { timeout: 20 * minuteMs }, async () => {
  const only = ['create-name*', 'window-rested-served', 'quota-free-not-more', 'retry-after-served']
  const runArguments: RunArguments = { seed: 7, more: only.flatMap((glob) => ['--only', glob]) }
  const broken = async () => {
    const server = await serveCounted(null, false)
    const folder = join(emptyFolder(), 'run')
    expect((await killed(server, folder, runArguments, { at: 60, afterMs: 500 })).code).toBe(null)
    const again = await resumedAndKilled(server, folder, { at: 50, afterMs: null })
    expect(again.code, again.stderr).toBe(null)
    const { code, stderr } = await resumed(folder)
    expect(code, stderr).toBe(0)
    return { folder, counts: await server.counts() }
  }
  const [was, { folder, counts }] = await Promise.all([
    uninterrupted(null, runArguments, false),
    broken(),
  ])
  expectSame(was, folder, counts)
})
