// The results of clauses: each requirement about every response, by all that the judge found.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import {
  type Ending,
  Inapplicable,
  isViolation as isBad,
  Suspicion,
  Untested,
  Violation,
} from '../../history/outcome.ts'
import type { Clause } from '../../model/clause.ts'
import { ofParts } from '../../model/demanded.ts'
import { type Findings, Judge } from '../../model/judge.ts'
import { statusDue } from '../../model/status.ts'
import { type RequirementId, requirement } from '../../spec/requirements.ts'
import { isValidList } from '../check/control-request.ts'
import type { AnyCheck } from '../check/declare.ts'
import { joined } from '../check/findings.ts'
import { expectNoRestart } from './restart.ts'
import { makeResult, recordResult } from './results.ts'
import type { Session } from './session.ts'

/** What it judges, in short, and that nothing of it was there. */
const noneOf = ({ judges }: Clause): string => {
  const [what = judges] = judges.replace(/\.$/, '').split(/; |\. /)
  return `there was none of what it judges: ${what.charAt(0).toLowerCase()}${what.slice(1)}`
}

/**
 * What no other check has reported, of any part of the request; of a must and a should the must.
 */
const leftOver = (all: readonly Violation[], reported: ReadonlySet<RequirementId>) => {
  const own = all.filter(({ wrong: { requirement: id }, evidence }) => {
    if (id === undefined) return true
    const parts = evidence.slice(-1).flatMap(ofParts)
    return ![id, ...parts].some((each) => reported.has(each))
  })
  const isMust = ({ wrong: { requirement: id } }: Violation) =>
    id !== undefined && requirement(id).level === 'must'
  return own.some(isMust) ? own.filter(isMust) : own
}

const threw = (error: unknown): Ending => ({ kind: 'threw', error })

/** Why it passes, or is untested, where nothing violates it. */
const endingUnviolated = ({ clause, met, doubts, untried }: Findings): Ending => {
  const suspicion = [...doubts.values()].find((one) => one instanceof Suspicion)
  if (suspicion) return threw(suspicion)
  if (met > 0) return { kind: 'pass' }
  const unclear = [...doubts.values()].at(-1) ?? untried
  if (unclear) return threw(unclear)
  if (clause.optional !== undefined) return threw(new Inapplicable(clause.optional))
  return threw(new Untested('ambiguous', noneOf(clause)))
}

/** @param reported the requirements that checks have reported as violated */
const endingOf = (
  found: Findings,
  exchanges: readonly AnsweredExchange[],
  reported: ReadonlySet<RequirementId>,
): Ending => {
  const { doubts, fault, met, violations } = found
  if (fault !== undefined) return threw(fault)
  const own = leftOver([...violations.values()], reported)
  const suspicions = [...doubts.values()].filter((one) => one instanceof Suspicion)
  const judged = met + violations.size + suspicions.length
  const error = joined(own, judged, 'responses')
  if (error) return threw(error)
  if (violations.size > 0) return threw(new Inapplicable('other checks report all that it found'))
  const ending = endingUnviolated(found)
  const isControlled = exchanges.some((one) => one.key !== null && isValidList(one))
  if (ending.kind !== 'pass' || isControlled) return ending
  return threw(new Untested('blocked', 'no valid request got a valid response'))
}

const together = (clause: Clause, all: readonly Findings[]): Findings => ({
  clause,
  violations: new Map(all.flatMap(({ violations }) => [...violations])),
  doubts: new Map(all.flatMap(({ doubts }) => [...doubts])),
  met: all.reduce((sum, { met }) => sum + met, 0),
  untried: all.findLast(({ untried }) => untried)?.untried,
  fault: all.find(({ fault }) => fault !== undefined)?.fault,
})

/** @returns how each clause ends over histories that are whole, in their order */
export const judgeClauses = (
  clauses: readonly Clause[],
  ...histories: readonly History[]
): Ending[] => {
  const judges = histories.map((history) => new Judge(history, clauses))
  for (const judge of judges) judge.settle()
  const exchanges = histories.flatMap((history) => history.exchanges)
  return clauses.map((clause) => {
    const found = judges.map((judge) => judge.of(clause))
    return endingOf(together(clause, found), exchanges, new Set())
  })
}

const clausesOf = (checks: readonly AnyCheck[]): Clause[] =>
  checks.filter((check) => check.kind === 'clause')

const endingIn = ({ judge, trace, results }: Session, clause: Clause): Ending => {
  const reported = results.filter(({ outcome }) => isBad(outcome))
  return endingOf(judge.of(clause), trace, new Set(reported.map((one) => one.requirement)))
}

const isViolation = (ending: Ending): boolean =>
  ending.kind === 'threw' && ending.error instanceof Violation

/** Asks what is in doubt once more, as if nothing more came. */
const settle = ({ history, judge }: Session): void => {
  history.isWhole = true
  judge.settle()
  history.isWhole = false
}

/** Whether any would be recorded as violated. */
export const violatesClauses = (session: Session, checks: readonly AnyCheck[]) => {
  settle(session)
  return clausesOf(checks).some((clause) => isViolation(endingIn(session, clause)))
}

/** Each knows what those before it reported. */
export const recordClauses = (session: Session, checks: readonly AnyCheck[]): void => {
  settle(session)
  for (const clause of clausesOf(checks)) recordResult(session, clause, endingIn(session, clause))
}

/**
 * Reports a violated clause when the first response violates it, not at the end of the run: a
 * restart of the target is looked for first. Whether another check reports a status that is not due
 * is known at the end.
 * @returns called after each check, with the ids of the clauses that failed since
 */
export const createClauseWatch = (session: Session, checks: readonly AnyCheck[]) => {
  const { judge } = session
  let left = clausesOf(checks).filter(({ id }) => id !== statusDue.id)
  return async (): Promise<string[]> => {
    const failed: string[] = []
    if (left.some((clause) => judge.of(clause).violations.size > 0)) await expectNoRestart(session)
    left = left.filter((clause) => {
      if (judge.of(clause).violations.size === 0) return true
      const ending = endingIn(session, clause)
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
