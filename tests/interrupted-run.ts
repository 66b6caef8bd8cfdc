// A run in this process that is interrupted after so many lines, as a kill leaves it.
import { expect } from 'vitest'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { Wires } from '../engine/http/target-clock.ts'
import type { Entry, Past } from '../engine/run/journal.ts'
import { runSuites } from '../engine/run/run.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { throwIfInterrupted } from '../engine/run/send.ts'
import { isUnsent } from '../history/exchange.ts'
import { readJournal } from '../reports/read-run.ts'
import { exchangesName, journalName } from '../reports/run-folder.ts'
import { catalogue } from '../suites/index.ts'
import { folderWith as folderOf } from './e2e/petvet.ts'

export interface Kept {
  readonly journal: string[]
  readonly exchanges: string[]
}

export const nothingKept = (): Kept => ({ journal: [], exchanges: [] })

/** A folder with what was kept of a run. */
export const folderWith = ({ journal, exchanges }: Kept): string => {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
  return folderOf({ [journalName]: text(journal), [exchangesName]: text(exchanges) })
}

export const pastOf = (kept: Kept): Past => {
  const past = readJournal(folderWith(kept))
  if (!past) throw new Error('the run was interrupted before it started')
  return past
}

/** What is killed moves no clock: over sockets its requests are ended. */
const mortal = ({ clock, pace, ...wires }: Wires, signal: AbortSignal): Wires => {
  const whileAlive =
    <Result>(act: (ms: number) => Promise<Result>) =>
    async (ms: number) => {
      throwIfInterrupted({ signal })
      return act(ms)
    }
  return {
    ...{ ...wires, pace: { ...pace, pass: whileAlive(pace.pass) } },
    clock: clock && { ...clock, advance: whileAlive(clock.advance) },
  }
}

/**
 * Lets a run go until a line of its journal is kept at which it is to end; nothing after is kept.
 * @param kept what is kept; where something is already, the run is resumed
 */
export const interruptAt = async (
  checks: readonly AnyCheck[],
  options: RunOptions,
  kept: Kept,
  isTheEnd: (line: string, journal: readonly string[]) => boolean,
  wires?: Wires,
): Promise<RunFile> => {
  const killed = new AbortController()
  const exchange = (line: string) => {
    if (!killed.signal.aborted) kept.exchanges.push(line)
  }
  const journal = (line: string) => {
    if (killed.signal.aborted) return
    kept.journal.push(line)
    if (isTheEnd(line, kept.journal)) killed.abort()
  }
  const sink = { exchange, journal, event: () => {} }
  const past = kept.journal.length > 0 && { past: pastOf(kept) }
  const { signal } = killed
  return runSuites(checks, { ...options, ...past, signal }, sink, wires && mortal(wires, signal))
}

/** A run that is interrupted at so many lines of the journal. */
export const interruptAfter = (
  checks: readonly AnyCheck[],
  options: RunOptions,
  kept: Kept,
  lines: number,
  wires?: Wires,
): Promise<RunFile> =>
  interruptAt(checks, options, kept, (_line, journal) => journal.length >= lines, wires)

/** Resumes the run to its end; its lines are kept with those that were there. */
export const resumeToEnd = (
  checks: readonly AnyCheck[],
  options: RunOptions,
  kept: Kept,
  wires?: Wires,
): Promise<RunFile> => interruptAt(checks, options, kept, () => false, wires)

/** Requests that no run sends twice: each line of the exchanges has a number of its own. */
export const expectOnce = (
  run: RunFile,
  { exchanges }: { readonly exchanges: readonly string[] },
): void => {
  const lines = exchanges.map((line) => JSON.parse(line))
  const seqs = lines.filter((line) => !isUnsent(line)).map(({ seq }) => seq)
  expect(new Set(seqs).size).toBe(seqs.length)
  const lost = (run.interruptions ?? []).reduce((sum, each) => sum + each.lost, 0)
  expect(run.requests).toBe(seqs.length + lost)
}

/** The checks that have a result in a journal: nothing of them is to be sent again. */
export const doneIn = (journal: readonly string[]): ReadonlySet<string> => {
  const entries = journal.flatMap((line): Entry[] => {
    try {
      return [JSON.parse(line)]
    } catch {
      // A line that a kill has torn.
      return []
    }
  })
  const results = entries.flatMap((entry) => (entry.kind === 'result' ? [entry.result] : []))
  const unfinished = ['budget', 'interrupted']
  const done = results.filter(
    ({ outcome, because }) => outcome !== 'error' && !unfinished.includes(`${because}`),
  )
  return new Set(done.map(({ id }) => id))
}

/** The checks whose ids begin so. */
export const named = (...ids: string[]): readonly AnyCheck[] =>
  catalogue.filter(({ id }) => ids.some((each) => id.startsWith(each)))
