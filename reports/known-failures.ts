// Known failures and pinned observations: a file of check ids, compared with a run.

import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { isViolation, type Outcome } from '../history/outcome.ts'

interface KnownFailure {
  readonly reason: string
  /** The last day (UTC, `2026-12-31`) on which it excuses. */
  readonly until: string | null
  readonly ticket: string | null
}

export interface KnownFile {
  readonly text: string
  /** Failures that are known, by the id of the check. */
  readonly failures: ReadonlyMap<string, KnownFailure>
  /** The value that an observation must have, by the id of the check. */
  readonly pins: ReadonlyMap<string, string>
}

/**
 * Reads a line each: `check-id [until=DATE] [ticket=TEXT] reason`, or `check-id = value` of an
 * observation; `#` begins a comment line.
 * @throws Error of one line that names the line
 */
export const readKnown = (text: string): KnownFile => {
  const failures = new Map<string, KnownFailure>()
  const pins = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    // None for an empty line or a comment.
    const id = /^\s*(?!#)(\S+)/.exec(line)?.[1]
    if (id === undefined) continue
    const rest = line.trim().slice(id.length).trim()
    const at = `line ${index + 1}:`
    if (!/^[a-z]/.test(id)) throw new Error(`${at} "${id}" is not the id of a check`)
    if (failures.has(id) || pins.has(id)) throw new Error(`${at} ${id} is listed twice`)
    const pin = /^=\s*(.*)$/.exec(rest)?.[1]
    if (pin === '') throw new Error(`${at} ${id} is pinned to nothing`)
    if (pin !== undefined) pins.set(id, pin)
    else failures.set(id, failureOf(id, rest, at))
  }
  return { text, failures, pins }
}

/** Where a reason has to be put. */
export const noReason = 'REASON'

const failureOf = (id: string, rest: string, at: string): KnownFailure => {
  const [, options = '', reason = ''] = /^((?:(?:until|ticket)=\S*\s*)*)(.*)$/s.exec(rest) ?? []
  const pairs = options.matchAll(/(until|ticket)=(\S*)/g).map((pair) => pair.slice(1))
  const { until = null, ticket = null } = Object.fromEntries(pairs)
  if (until !== null && !isDay(until)) {
    throw new Error(`${at} until= expects a day such as 2026-12-31, got "${until}"`)
  }
  if (reason === '' || reason === noReason) throw new Error(`${at} ${id} has no reason`)
  return { until, ticket, reason }
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

export interface KnownVerdict {
  /** Listed failures, with their reasons. */
  readonly excused: ReadonlyMap<string, string>
  /** Why each stale line has to be removed, by its id. */
  readonly stale: ReadonlyMap<string, string>
  /** Observations that differ from their pin: a warning each. */
  readonly moved: ReadonlyMap<string, string>
}

export const judgeKnown = (run: RunFile, { failures, pins }: KnownFile): KnownVerdict => {
  const results = new Map(run.checks.map((result) => [result.id, result]))
  const excused = new Map<string, string>()
  const stale = new Map<string, string>()
  const moved = new Map<string, string>()
  for (const [id, known] of failures) {
    const why = staleBecause(known, results.get(id)?.outcome, run.startedAt)
    if (why !== null) stale.set(id, why)
    else if (isViolation(results.get(id)?.outcome)) excused.set(id, reasonOf(known))
  }
  for (const [id, value] of pins) {
    const { outcome, detail = '' } = results.get(id) ?? {}
    if (outcome === 'observed' && detail.trim() !== value) {
      moved.set(id, `pinned to ${value}, is ${detail}`)
    }
  }
  return { excused, stale, moved }
}

/** Whether the last day of an excuse has passed at an instant (ISO 8601). */
export const isOver = ({ until }: Pick<KnownFailure, 'until'>, instant: string): boolean =>
  until !== null && instant.slice(0, 10) > until

/** Why a line is stale. The day of the run counts, so that a later report says the same. */
const staleBecause = (
  known: KnownFailure,
  outcome: Outcome | undefined,
  startedAt: string,
): string | null => {
  if (outcome === 'pass' || outcome === 'observed') return 'it passes now'
  return isOver(known, startedAt) && isViolation(outcome)
    ? `excused until ${known.until}, and still fails`
    : null
}

const reasonOf = ({ reason, until, ticket }: KnownFailure): string => {
  const more = [ticket, until && `until ${until}`].filter((part) => part !== null).join(', ')
  return more === '' ? reason : `${reason} (${more})`
}

export const nothingKnown: KnownVerdict = { excused: new Map(), stale: new Map(), moved: new Map() }

/** Excused failures, and the checks that these prevent, by their ids. */
export const excusedIds = ({ checks }: RunFile, { excused }: KnownVerdict): ReadonlySet<string> => {
  const ids = new Set(excused.keys())
  let size = -1
  // What is prevented may prevent another one.
  while (excused.size > 0 && size < ids.size) {
    size = ids.size
    for (const { id, blockedBy } of checks) if (ids.has(blockedBy ?? '')) ids.add(id)
  }
  return ids
}

/** The checks as they are judged when an excused failure is only a warning. */
export const withoutExcused = (run: RunFile, known: KnownVerdict): readonly CheckResult[] => {
  const ids = excusedIds(run, known)
  return run.checks.map((result) => (ids.has(result.id) ? { ...result, outcome: 'warn' } : result))
}

/** Whether a must is violated by a failure that is not listed. */
export const hasNewFailure = (run: RunFile, known: KnownVerdict): boolean =>
  withoutExcused(run, known).some(({ level, outcome }) => level === 'must' && outcome === 'fail')
