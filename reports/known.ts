// Known failures and pinned observations: a file of check ids, held against a run.
import type { CheckResult, RunFile } from '../engine/run-file.ts'

interface KnownFailure {
  readonly reason: string
  /** The last day (UTC, `2026-12-31`) on which it excuses. */
  readonly until: string | null
  readonly ticket: string | null
}

export interface KnownFile {
  /** Failures that are known, by the id of the check. */
  readonly failures: ReadonlyMap<string, KnownFailure>
  /** What an observation must say, by the id of the check. */
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
    const id = idOf(line)
    if (id === undefined) continue
    const rest = line.trim().slice(id.length).trim()
    const at = `line ${index + 1}:`
    if (!/^[a-z]/.test(id)) throw new Error(`${at} "${id}" is no id of a check`)
    if (failures.has(id) || pins.has(id)) throw new Error(`${at} ${id} is there twice`)
    const pin = /^=\s*(.*)$/.exec(rest)?.[1]
    if (pin === '') throw new Error(`${at} ${id} is pinned to nothing`)
    if (pin !== undefined) pins.set(id, pin)
    else failures.set(id, failureOf(id, rest, at))
  }
  return { failures, pins }
}

/** The check that a line is about; none of an empty line or a comment. */
export const idOf = (line: string): string | undefined => /^\s*(?!#)(\S+)/.exec(line)?.[1]

const failureOf = (id: string, rest: string, at: string): KnownFailure => {
  const found: { until: string | null; ticket: string | null } = { until: null, ticket: null }
  let reason = rest
  for (;;) {
    const [whole, name, value = ''] = /^(until|ticket)=(\S*)\s*/.exec(reason) ?? []
    if (whole === undefined) break
    if (name === 'until' && !isDay(value)) {
      throw new Error(`${at} until= takes a day such as 2026-12-31, not "${value}"`)
    }
    found[name as 'until' | 'ticket'] = value
    reason = reason.slice(whole.length)
  }
  if (reason === '') throw new Error(`${at} ${id} is given no reason`)
  return { ...found, reason }
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

export const emptyKnown: KnownFile = { failures: new Map(), pins: new Map() }

export interface KnownVerdict {
  /** Failures that are listed, with their reasons. */
  readonly excused: ReadonlyMap<string, string>
  /** Why each line that excuses nothing has to go, by its id. */
  readonly stale: ReadonlyMap<string, string>
  /** Observations that are no longer what they are pinned to: a warning each. */
  readonly moved?: ReadonlyMap<string, string>
}

/** @param exists tells whether there is such a check at all, in this run or not */
export const judgeKnown = (
  run: RunFile,
  { failures, pins }: KnownFile,
  exists: (id: string) => boolean,
): KnownVerdict => {
  const results = new Map(run.checks.map((result) => [result.id, result]))
  const excused = new Map<string, string>()
  const stale = new Map<string, string>()
  const moved = new Map<string, string>()
  for (const id of [...failures.keys(), ...pins.keys()]) {
    if (!exists(id)) stale.set(id, 'there is no such check')
  }
  for (const [id, known] of failures) {
    const why = fault(known, results.get(id)?.outcome, run.startedAt)
    if (stale.has(id)) continue
    if (why !== null) stale.set(id, why)
    else if (isBroken(results.get(id)?.outcome)) excused.set(id, wordsOf(known))
  }
  for (const [id, value] of pins) {
    const { outcome, detail = '' } = results.get(id) ?? {}
    if (outcome === 'observed' && detail.trim() !== value) {
      moved.set(id, `pinned to ${value}, is ${detail}`)
    }
  }
  return { excused, stale, moved }
}

type Outcome = CheckResult['outcome'] | undefined

const isBroken = (outcome: Outcome): boolean => outcome === 'fail' || outcome === 'warn'

/** Whether the last day on which it excuses is over at an instant (ISO 8601). */
export const isOver = ({ until }: Pick<KnownFailure, 'until'>, instant: string): boolean =>
  until !== null && instant.slice(0, 10) > until

/** Why a line has to go. The day of the run counts, so that one told again is told alike. */
const fault = (known: KnownFailure, outcome: Outcome, startedAt: string): string | null => {
  if (outcome === 'pass' || outcome === 'observed') return 'it passes now'
  return isOver(known, startedAt) && isBroken(outcome)
    ? `it was excused until ${known.until}, and fails still`
    : null
}

const wordsOf = ({ reason, until, ticket }: KnownFailure): string => {
  const more = [
    ...(ticket === null ? [] : [ticket]),
    ...(until === null ? [] : [`until ${until}`]),
  ].join(', ')
  return more === '' ? reason : `${reason} (${more})`
}

export const nothingKnown: KnownVerdict = { excused: new Map(), stale: new Map() }

/** The checks as they are judged when an excused failure is no more than a warning. */
export const withoutExcused = (run: RunFile, { excused }: KnownVerdict): readonly CheckResult[] =>
  run.checks.map((result) => (excused.has(result.id) ? { ...result, outcome: 'warn' } : result))

export const isExcused = ({ id }: CheckResult, { excused }: KnownVerdict): boolean =>
  excused.has(id)

/** Whether a must is broken in a way that is not known. */
export const hasNewFailure = (run: RunFile, known: KnownVerdict): boolean =>
  withoutExcused(run, known).some(({ level, outcome }) => level === 'must' && outcome === 'fail')
