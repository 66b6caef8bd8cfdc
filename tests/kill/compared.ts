// A run that was killed and went on, against one that was not: what has to be the same.
import { expect } from 'vitest'
import type { RunFile } from '../../engine/run-file.ts'
import { linesIn, runIn } from './killed.ts'
import type { Counts } from './orders.ts'
import { outcomesOf } from './outcomes.ts'

export interface Unbroken {
  readonly run: RunFile
  readonly counts: Counts
}

/** What no run tells twice the same: how long a ban is told to last, in whole seconds. */
const isOfTime = (id: string): boolean => id === 'ban-duration'

const withoutTime = (outcomes: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(outcomes).filter(([id]) => !isOfTime(id)))

/** The check that was under way at each kill. */
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

/**
 * The interrupted experiment and another one that a check left looks at: each a minute and one call
 * more, its probes, knocks, and the smoke call.
 */
const experimentsOf = (perMinute: number) => 2 * (perMinute + 40)

/** By how many calls each kill may make a key spend more than an unbroken run does. */
const boundOf = (perMinute: number, perDay: number, broken: readonly string[]): number =>
  broken.reduce(
    (sum, check) =>
      sum + experimentsOf(perMinute) + (check.startsWith('day-') ? perDay + perMinute : 0),
    0,
  )

const quotas = [
  [60, 1_000],
  [60, 1_000],
  [300, 10_000],
] as const

/** All outcomes are the same; at a server with a fault, what of it is failed. */
const expectOutcomes = (run: RunFile, was: RunFile): void => {
  expect(run.verdict).toBe(was.verdict)
  expect(failsOf(run)).toEqual(failsOf(was))
  // Whether a legal explanation is left for anything else goes by the second in which it is asked.
  if (was.verdict !== 'conformant') return
  expect(withoutTime(outcomesOf(run))).toEqual(withoutTime(outcomesOf(was)))
  expect(run.decided).toEqual(was.decided)
}

const failsOf = ({ checks }: RunFile): readonly string[] =>
  checks
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ id }) => id)
    .sort()

/** @returns by how many calls each key was asked more */
export const expectSame = (
  { run: was, counts: wasCounted }: Unbroken,
  folder: string,
  counts: Counts,
): readonly number[] => {
  const run = runIn(folder)
  expectOutcomes(run, was)
  const seqs = linesIn(folder, 'exchanges.ndjson').map((line) => JSON.parse(line).seq)
  expect(new Set(seqs).size).toBe(seqs.length)
  const lost = (run.interruptions ?? []).reduce((sum, each) => sum + each.lost, 0)
  expect(run.requests).toBe(seqs.length + lost)
  // Of what was under way at a kill some had not left yet.
  expect(counts.all).toBeGreaterThanOrEqual(seqs.length)
  expect(counts.all).toBeLessThanOrEqual(run.requests)
  const broken = brokenIn(folder)
  const more = counts.byKey.map((count, at) => count - (wasCounted.byKey[at] ?? 0))
  for (const [at, [perMinute, perDay]] of quotas.entries()) {
    expect(more[at]).toBeLessThanOrEqual(boundOf(perMinute, perDay, broken))
  }
  return more
}
