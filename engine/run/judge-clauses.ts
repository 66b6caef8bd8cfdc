// Clauses: each requirement about every response, judged over all that the checks caused.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { type Ending, Inapplicable, Suspicion, Untested, Violation } from '../../history/outcome.ts'
import type { Clause } from '../../model/clause.ts'
import { isValidList } from '../check/control-request.ts'
import type { AnyCheck } from '../check/declare.ts'
import { joined, lookAt } from '../check/findings.ts'
import { makeResult, recordResult } from './results.ts'
import type { Session } from './session.ts'

interface Judged {
  readonly clause: Clause
  /** Of each response that it applies to. */
  readonly found: ReturnType<typeof lookAt>[]
  /** An error of the clause itself, which ends its judging. */
  fault?: unknown
}

const judge = (each: Judged, exchange: AnsweredExchange, trace: History): void => {
  if (each.fault !== undefined) return
  try {
    const found = lookAt(each.clause, exchange, trace)
    if (found !== false) each.found.push(found)
  } catch (error) {
    each.fault = error
  }
}

/** This response cannot be judged; others may be. */
const isUnclear = (found: unknown): boolean =>
  found instanceof Untested && !(found instanceof Suspicion)

/** What it judges, in short, and that nothing of it was there. */
const noneOf = ({ judges }: Clause): string => {
  const [what = judges] = judges.replace(/\.$/, '').split(/; |\. /)
  return `there was none of what it judges: ${what.charAt(0).toLowerCase()}${what.slice(1)}`
}

const endingOf = (
  { clause, found, fault }: Judged,
  { exchanges }: History,
  isControlled: boolean,
): Ending => {
  const threw = (error: unknown): Ending => ({ kind: 'threw', error })
  if (fault !== undefined) return threw(fault)
  const unclear = found.findLast(isUnclear)
  const judged = found.filter((one) => !isUnclear(one)).length
  const violations = found.filter((one) => one instanceof Violation)
  const error =
    joined(violations, judged, 'responses', exchanges) ??
    found.find((one) => one instanceof Suspicion)
  if (error) return threw(error)
  if (judged === 0 && unclear) return threw(unclear)
  if (judged === 0 && clause.optional !== undefined) return threw(new Inapplicable(clause.optional))
  if (judged === 0) return threw(new Untested('ambiguous', noneOf(clause)))
  if (isControlled) return { kind: 'pass' }
  return threw(new Untested('blocked', 'no valid request got a valid response'))
}

/** All of them judge one response before the next one, so that each body is read once. */
const judgeAll = (
  clauses: readonly Clause[],
  responses: readonly AnsweredExchange[],
  trace: History,
): Judged[] => {
  const all = clauses.map((clause): Judged => ({ clause, found: [] }))
  for (const exchange of responses) for (const each of all) judge(each, exchange, trace)
  return all
}

/**
 * Judges clauses; one passes only if a valid request got a valid response.
 * @returns how each ends, in their order
 */
export const judgeClauses = (clauses: readonly Clause[], trace: History): Ending[] => {
  const { exchanges } = trace
  const isControlled = exchanges.some((one) => one.key !== null && isValidList(one))
  return judgeAll(clauses, exchanges, trace).map((each) => endingOf(each, trace, isControlled))
}

/** As it is now: what is derived of it is remembered. */
const historyOf = ({ history, trace, judgedToSeq }: Session): History => ({
  ...history,
  exchanges: judgedToSeq === undefined ? trace : trace.filter(({ seq }) => seq < judgedToSeq),
})

const clausesOf = (checks: readonly AnyCheck[]): Clause[] =>
  checks.filter((check) => check.kind === 'clause')

/** Whether any would be recorded as violated. */
export const violatesClauses = (session: Session, checks: readonly AnyCheck[]): boolean =>
  judgeClauses(clausesOf(checks), historyOf(session)).some(isViolation)

export const recordClauses = (session: Session, checks: readonly AnyCheck[]): void => {
  const clauses = clausesOf(checks)
  const endings = judgeClauses(clauses, historyOf(session))
  for (const [at, clause] of clauses.entries()) recordResult(session, clause, endings[at] as Ending)
}

const isViolation = (ending: Ending): boolean =>
  ending.kind === 'threw' && ending.error instanceof Violation

/**
 * Reports a violated clause when the first response violates it, not at the end of the run. Each
 * response is judged by itself, so a call judges only the responses since the call before.
 * @returns called after each check, with the ids of the clauses that failed since
 */
export const createClauseWatch = (session: Session, checks: readonly AnyCheck[]) => {
  let left = clausesOf(checks)
  let seen = 0
  return (): string[] => {
    const trace = historyOf(session)
    const since = { ...trace, exchanges: trace.exchanges.slice(seen) }
    seen = trace.exchanges.length
    const failed: string[] = []
    const judged = judgeAll(left, since.exchanges, since)
    left = left.filter((clause, at) => {
      const each = judged[at] as Judged
      if (!each.found.some((one) => one instanceof Violation)) return true
      const result = makeResult(clause, endingOf(each, since, true), 0, session)
      if (result.outcome !== 'fail') return false
      session.sink.event({ kind: 'violation', result })
      failed.push(result.id)
      return false
    })
    return failed
  }
}
