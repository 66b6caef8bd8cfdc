// Clauses: each requirement about every response, judged over all that the checks caused.

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
import { type Found, judge } from '../../model/judge.ts'
import { statusDue } from '../../model/status.ts'
import { type RequirementId, requirement } from '../../spec/requirements.ts'
import { isValidList } from '../check/control-request.ts'
import type { AnyCheck } from '../check/declare.ts'
import { joined } from '../check/findings.ts'
import { makeResult, recordResult } from './results.ts'
import type { Session } from './session.ts'

interface Judged {
  readonly clause: Clause
  /** Of each response that it applies to. */
  readonly found: Found[]
  /** An error of the clause itself, which ends its judging. */
  fault?: unknown
}

const judgeInto = (each: Judged, exchange: AnsweredExchange, trace: History): void => {
  if (each.fault !== undefined) return
  try {
    const found = judge(each.clause, exchange, trace)
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

const endingOf = (
  { clause, found, fault }: Judged,
  isControlled: boolean,
  reported: ReadonlySet<RequirementId>,
): Ending => {
  const threw = (error: unknown): Ending => ({ kind: 'threw', error })
  if (fault !== undefined) return threw(fault)
  const unclear = found.findLast(isUnclear)
  const judged = found.filter((one) => !isUnclear(one)).length
  const all = found.filter((one) => one instanceof Violation)
  const violations = leftOver(all, reported)
  const error =
    joined(violations, judged, 'responses') ?? found.find((one) => one instanceof Suspicion)
  if (error) return threw(error)
  if (all.length > 0) return threw(new Inapplicable('other checks report all that it found'))
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
  for (const exchange of responses) for (const each of all) judgeInto(each, exchange, trace)
  return all
}

/**
 * Judges clauses; one passes only if a valid request got a valid response.
 * @param reported what is reported as violated when the ending of a clause is asked for
 * @returns each with its ending, in their order
 */
function* endingsOf(
  clauses: readonly Clause[],
  trace: History,
  reported: () => ReadonlySet<RequirementId>,
): Generator<readonly [Clause, Ending]> {
  const isControlled = trace.exchanges.some((one) => one.key !== null && isValidList(one))
  for (const each of judgeAll(clauses, trace.exchanges, trace))
    yield [each.clause, endingOf(each, isControlled, reported())]
}

const none: ReadonlySet<RequirementId> = new Set()

/** @returns how each clause ends by itself, in their order */
export const judgeClauses = (clauses: readonly Clause[], trace: History): Ending[] =>
  [...endingsOf(clauses, trace, () => none)].map(([, ending]) => ending)

/** As it is now: what is derived of it is remembered. */
const historyOf = ({ history }: Session): History => ({
  ...history,
  exchanges: [...history.exchanges],
})

const clausesOf = (checks: readonly AnyCheck[]): Clause[] =>
  checks.filter((check) => check.kind === 'clause')

/** The requirements that checks have reported as violated. */
const reportedBy = ({ results }: Session): ReadonlySet<RequirementId> =>
  new Set(results.flatMap((one) => (isBad(one.outcome) ? [one.requirement] : [])))

const endingsIn = (session: Session, checks: readonly AnyCheck[]) =>
  endingsOf(clausesOf(checks), historyOf(session), () => reportedBy(session))

/** Whether any would be recorded as violated. */
export const violatesClauses = (session: Session, checks: readonly AnyCheck[]): boolean =>
  endingsIn(session, checks).some(([, ending]) => isViolation(ending))

/** Each knows what those before it reported. */
export const recordClauses = (session: Session, checks: readonly AnyCheck[]): void => {
  for (const [clause, ending] of endingsIn(session, checks)) recordResult(session, clause, ending)
}

const isViolation = (ending: Ending): boolean =>
  ending.kind === 'threw' && ending.error instanceof Violation

/**
 * Reports a violated clause when the first response violates it, not at the end of the run. Each
 * response is judged by itself, so a call judges only the responses since the call before. Whether
 * another check reports a status that is not due is known at the end.
 * @returns called after each check, with the ids of the clauses that failed since
 */
export const createClauseWatch = (session: Session, checks: readonly AnyCheck[]) => {
  let left = clausesOf(checks).filter(({ id }) => id !== statusDue.id)
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
      const ending = endingOf(each, true, reportedBy(session))
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
