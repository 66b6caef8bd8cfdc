// Known failures: a file of check ids with reasons, held against a run.
import type { CheckResult, RunFile } from '../suites/kit/run-file.ts'

/** Why a check is known to fail, by its id. */
export type KnownFailures = ReadonlyMap<string, string>

/**
 * Reads one `check-id  reason` a line; `#` begins a comment line.
 * @throws Error of one line that names the line
 */
export const readKnown = (text: string): KnownFailures => {
  const known = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const [, id = '', reason = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? []
    if (reason === '') throw new Error(`line ${index + 1}: ${id} is given no reason`)
    if (known.has(id)) throw new Error(`line ${index + 1}: ${id} is there twice`)
    known.set(id, reason)
  }
  return known
}

export interface KnownVerdict {
  /** Failures that are listed, with their reasons. */
  readonly excused: KnownFailures
  /** Why each line that excuses nothing has to go, by its id. */
  readonly stale: ReadonlyMap<string, string>
}

/** @param exists tells whether there is such a check at all, in this run or not */
export const judgeKnown = (
  run: RunFile,
  known: KnownFailures,
  exists: (id: string) => boolean,
): KnownVerdict => {
  const outcomes = new Map(run.checks.map(({ id, outcome }) => [id, outcome]))
  const lines = [...known]
  const stale = lines.flatMap(([id]): [string, string][] => {
    if (!exists(id)) return [[id, 'there is no such check']]
    const outcome = outcomes.get(id)
    return outcome === 'pass' || outcome === 'observed' ? [[id, 'it passes now']] : []
  })
  const failing = lines.filter(([id]) => ['fail', 'warn'].includes(outcomes.get(id) ?? ''))
  return { excused: new Map(failing), stale: new Map(stale) }
}

export const nothingKnown: KnownVerdict = { excused: new Map(), stale: new Map() }

/** The checks as they are judged when an excused failure is no more than a warning. */
export const withoutExcused = (run: RunFile, { excused }: KnownVerdict): readonly CheckResult[] =>
  run.checks.map((result) => (excused.has(result.id) ? { ...result, outcome: 'warn' } : result))
