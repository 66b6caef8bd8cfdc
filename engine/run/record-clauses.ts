// The results of clauses in a run: as soon as one is violated, and of all of them at its end.
import type { History } from '../../history/history.ts'
import { type Ending, Violation } from '../../history/outcome.ts'
import type { Clause } from '../../model/clause.ts'
import type { AnyCheck } from '../check/declare.ts'
import { judgeClauses } from './judge-clauses.ts'
import { makeResult, recordResult } from './results.ts'
import type { Session } from './session.ts'

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
    const endings = judgeClauses(left, { ...trace, exchanges: trace.exchanges.slice(seen) })
    seen = trace.exchanges.length
    const failed: string[] = []
    left = left.filter((clause, at) => {
      const ending = endings[at] as Ending
      if (!isViolation(ending)) return true
      const result = makeResult(clause, ending, 0, session)
      if (result.outcome !== 'fail') return false
      session.sink.event({ kind: 'violation', result })
      failed.push(result.id)
      return false
    })
    return failed
  }
}
