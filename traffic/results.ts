// The results of recorded traffic: those of all clauses, and of the statuses that were due.
import { type AnyCheck, sendsRequests } from '../engine/check/declare.ts'
import { maxKinds } from '../engine/check/findings.ts'
import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { judgeClauses } from '../engine/run/judge-clauses.ts'
import { type Judged, makeResult } from '../engine/run/results.ts'
import type { Session } from '../engine/run/session.ts'
import type { RunHistory } from '../history/history.ts'
import { type Ending, type Outcome, Suspicion, Untested } from '../history/outcome.ts'
import type { Clause } from '../model/clause.ts'
import { dueOf, isDue } from '../model/due.ts'
import { statusDue } from '../model/status.ts'
import { type RequirementId, requirement } from '../spec/requirements.ts'

/** The requirements that rows of a run are about, and no clause: a status shows them. */
const statusChecks = (checks: readonly AnyCheck[]) => {
  const clauses = new Set(checks.filter((one) => !sendsRequests(one)).map((one) => one.requirement))
  const sent = Map.groupBy(
    checks.filter(sendsRequests).filter(({ needs }) => !needs.description),
    (check) => check.requirement,
  )
  return [...sent].flatMap(([id, [check]]) => {
    const isOwn = check && !clauses.has(id) && requirement(id).level !== 'open'
    return isOwn ? [{ id: `${statusDue.id}@${id}`, requirement: id, sends: check.sends }] : []
  })
}

const clausesIn = (checks: readonly AnyCheck[]): readonly Clause[] => {
  const clauses = checks.filter((check) => check.kind === 'clause')
  return clauses.includes(statusDue) || !checks.some(sendsRequests)
    ? clauses
    : [statusDue, ...clauses]
}

/** The ids of the results of recorded traffic. @param checks the catalogue, or a part of it */
export const judgedIds = (checks: readonly AnyCheck[]): readonly string[] =>
  [...clausesIn(checks), ...statusChecks(checks)].map(({ id }) => id)

/** A result of one piece of traffic. `isDoubt`: it is untested, as a violation may be explained. */
export interface PieceResult {
  readonly result: CheckResult
  readonly isDoubt: boolean
}

/**
 * The results of all clauses; and whether the status of a request of each kind was due, or what a
 * run would send where there was none.
 */
export const resultsOf = (
  session: Session,
  checks: readonly AnyCheck[],
  histories: readonly RunHistory[],
): readonly PieceResult[] => {
  const trace = histories.flatMap((history) => history.exchanges)
  const { redactor, evidenceOf, shows, options } = session
  const resultOf = (judged: Judged, ending: Ending) => ({
    result: makeResult(judged, ending, 0, { redactor, evidenceOf, shows, options, trace }),
    isDoubt: ending.kind === 'threw' && ending.error instanceof Suspicion,
  })
  const clauses = clausesIn(checks)
  const endings = judgeClauses(clauses, ...histories)
  const dues = histories.flatMap((history) =>
    history.exchanges.map((one) => [dueOf(one, history), one.response.status] as const),
  )
  const met = new Set<RequirementId>(
    dues.flatMap(([due, status]) => (isDue(due, status) ? due.requirement : [])),
  )
  return [
    ...clauses.map((clause, at) => resultOf(clause, endings[at] as Ending)),
    ...statusChecks(checks).map(({ sends, ...judged }) => {
      const why = `no request shows it by itself; petvet check sends: ${sends}`
      const untested = { kind: 'threw', error: new Untested('ambiguous', why) } as const
      return resultOf(judged, met.has(judged.requirement) ? { kind: 'pass' } : untested)
    }),
  ]
}

/** The worst comes first; a doubt before a pass, and a pass before what was not tested. */
const outcomes: readonly Outcome[] = ['error', 'fail', 'warn', 'pass', 'untested', 'inapplicable']

const rankOf = ({ result, isDoubt }: PieceResult): number =>
  outcomes.indexOf(result.outcome) - (isDoubt ? 1.5 : 0)

const nameOf = ({ aspect, name, kind, status, where, operations, conditions }: Finding): string => {
  const words = conditions.map((one) => one.words)
  return JSON.stringify([aspect, name, kind, status, where, operations, words])
}

/** What is true of all responses of one piece need not be so in the next. */
const ofBoth = ([found, again]: readonly Finding[]): Finding[] => {
  const { alike: _, isOfAll, ...finding } = found as Finding
  return [{ ...finding, ...(isOfAll && again?.isOfAll && { isOfAll }) }]
}

/** The result of a check in two pieces: numbers are of the piece that showed it first. */
export const together = (before: PieceResult | undefined, next: PieceResult): PieceResult => {
  if (!before) return next
  const [shown, other] = rankOf(next) < rankOf(before) ? [next, before] : [before, next]
  if (!shown.result.findings) return shown
  const all = [...shown.result.findings, ...(other.result.findings ?? [])]
  const findings = [...Map.groupBy(all, nameOf).values()].flatMap(ofBoth).slice(0, maxKinds)
  return { ...shown, result: { ...shown.result, findings } }
}
