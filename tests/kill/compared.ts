// Compares a killed and resumed run with an uninterrupted one.
import { expect } from 'vitest'
import type { RunFile } from '../../engine/run-file.ts'
import { catalogue } from '../../suites/index.ts'
import { readRunFile } from '../e2e/petvet.ts'
import { expectOnce } from '../interrupted-run.ts'
import { endingsOf, idsOf } from '../vet-reference.ts'
import { linesIn } from './killed.ts'
import type { Counts } from './orders.ts'

export interface Uninterrupted {
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
export const expectSame = (
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
