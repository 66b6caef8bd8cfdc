// What is not legal about a response that has just come, by all that was sent and received before.
import { type AnsweredExchange, statusCode } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { type How, requestedId } from '../history/known-pets.ts'
import { Inapplicable, Untested, Violation } from '../history/outcome.ts'
import { type Clause, describeResponse } from './clause.ts'
import { createdClauses } from './created.ts'
import { type DuePart, dueFor } from './due.ts'
import { makerOf, shownClauses } from './shown.ts'

/** What a response is judged about: its status, the pets that it shows, those of refusals. */
export type Judged = DuePart | 'store' | 'trace'

export interface Breach {
  readonly part: Judged
  readonly violation: Violation
}

const contents: readonly Clause[] = [...createdClauses, ...shownClauses]

/** The first that a response does not fit, with the id of the clause. */
const findMisfit = (exchange: AnsweredExchange, history: History, how: How) => {
  for (const { id, applies, judge } of contents) {
    try {
      if (applies(exchange)) judge(exchange, history, how)
    } catch (error) {
      if (error instanceof Violation) return { id, violation: error }
      if (!(error instanceof Inapplicable || error instanceof Untested)) throw error
    }
  }
  return undefined
}

/** A key is valid from its first success on; until then its 401 and 403 say nothing (ruling 27). */
export const saysNothing = (
  { key, seq, response: { status } }: AnsweredExchange,
  { knownPets }: Pick<History, 'knownPets'>,
): boolean =>
  key !== null &&
  (status === 401 || status === 403) &&
  (knownPets.firstSuccess.get(key) ?? Number.POSITIVE_INFINITY) > seq

/** Of its status first, else of its content. */
export const findBreach = (
  exchange: AnsweredExchange,
  history: History,
  how: How = {},
): Breach | undefined => {
  if (saysNothing(exchange, history)) return undefined
  const due = dueFor(exchange, history)
  if (!due.allows(statusCode(exchange))) {
    // The creation of a pet that is not there shows that it has to be.
    const evidence = [...makerOf(requestedId(exchange), history), exchange]
    const actual = describeResponse(exchange)
    const violation = new Violation(due.expected, actual, evidence, { aspect: 'status' })
    return { part: due.part, violation }
  }
  const { id, violation } = findMisfit(exchange, history, how) ?? {}
  return violation && { part: id === 'create-refused-no-trace' ? 'trace' : 'store', violation }
}
