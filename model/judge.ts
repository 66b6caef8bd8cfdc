// The only caller of a clause: what it finds of a response, by all that was sent and received.
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { type How, requestedId } from '../history/known-pets.ts'
import { Inapplicable, Untested, Untried, Violation } from '../history/outcome.ts'
import { type Clause, wrongStatus } from './clause.ts'
import { createdClauses } from './created.ts'
import type { DuePart } from './due.ts'
import { makerOf, shownClauses } from './shown.ts'
import { otherwiseDue, saysNothing } from './status.ts'

/**
 * What a clause finds of a response: that it is violated, in doubt, or could not be seen; whether
 * the response is what it is about, and meets it.
 */
export type Found = Violation | Untested | boolean

/** What says nothing of the target is not judged. */
export const judge = (
  clause: Clause,
  exchange: AnsweredExchange,
  history: History,
  how?: How,
): Found => {
  if (history.isVoid(exchange) || saysNothing(exchange, history)) return false
  try {
    if (!clause.applies(exchange)) return false
    clause.judge(exchange, history, how)
    return true
  } catch (error) {
    if (error instanceof Violation || error instanceof Untested) return error
    if (error instanceof Inapplicable) return false
    throw error
  }
}

/** Whether it leaves open what could have been seen. */
export const isDoubt = (found: Found): found is Untested =>
  found instanceof Untested && !(found instanceof Untried)

/** What a response is judged about: its status, the pets that it shows, those of refusals. */
export type Judged = DuePart | 'store' | 'trace'

export interface Breach {
  readonly part: Judged
  readonly violation: Violation
}

const contents: readonly Clause[] = [...createdClauses, ...shownClauses]

/** The first that a response does not fit: its status, else its content. */
export const findBreach = (
  exchange: AnsweredExchange,
  history: History,
  how: How = {},
): Breach | undefined => {
  if (saysNothing(exchange, history)) return undefined
  const due = otherwiseDue(exchange, history)
  if (due) {
    // The creation of a pet that is not there shows that it has to be.
    const evidence = [...makerOf(requestedId(exchange), history), exchange]
    return { part: due.part, violation: wrongStatus(due, evidence) }
  }
  for (const clause of contents) {
    const violation = judge(clause, exchange, history, how)
    if (!(violation instanceof Violation)) continue
    return { part: clause.id === 'create-refused-no-trace' ? 'trace' : 'store', violation }
  }
  return undefined
}
