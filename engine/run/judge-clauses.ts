// Clauses: each requirement about every response, judged over all that the checks caused.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { type Ending, Inapplicable, Suspicion, Untested, Violation } from '../../history/outcome.ts'
import type { Clause } from '../../model/clause.ts'
import { isValidList } from '../check/control-request.ts'
import { joined, lookAt } from '../check/findings.ts'

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

/**
 * Judges clauses; one passes only if a valid request got a valid response. All of them judge one
 * response before the next one, so that each body is read once.
 * @returns how each ends, in their order
 */
export const judgeClauses = (clauses: readonly Clause[], trace: History): Ending[] => {
  const all = clauses.map((clause): Judged => ({ clause, found: [] }))
  let isControlled = false
  for (const exchange of trace.exchanges) {
    for (const each of all) judge(each, exchange, trace)
    isControlled ||= exchange.key !== null && isValidList(exchange)
  }
  return all.map((each) => endingOf(each, trace, isControlled))
}
