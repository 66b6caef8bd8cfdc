// What is not legal about a response that has just come, by all that was sent and received before.
import { type AnsweredExchange, statusCode } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { requestedId } from '../history/known-pets.ts'
import { Violation } from '../history/outcome.ts'
import { describeResponse } from './clause.ts'
import { findMisfit } from './content.ts'
import { type DuePart, dueFor } from './due.ts'
import type { How } from './misfits.ts'

/** What a response is judged about: its status, the pets that it shows, those of refusals. */
export type Judged = DuePart | 'store' | 'trace'

export interface Breach {
  readonly part: Judged
  readonly violation: Violation
}

/** Of its status first, else of its content. */
export const findBreach = (
  exchange: AnsweredExchange,
  history: History,
  how: How = {},
): Breach | undefined => {
  const due = dueFor(exchange, history)
  const wrong = { aspect: 'status' } as const
  const actual = describeResponse(exchange)
  if (!due.allows(statusCode(exchange))) {
    // The creation of a pet that is not there shows that it has to be.
    const creation = history.knownPets.creationOf(requestedId(exchange) ?? 0n)
    const evidence = creation ? [creation.exchange, exchange] : [exchange]
    return { part: due.part, violation: new Violation(due.expected, actual, evidence, wrong) }
  }
  const misfit = findMisfit(exchange, history, how)
  if (!misfit) return undefined
  const evidence = [...(misfit.before ?? []), exchange]
  return {
    part: misfit.clause === 'create-refused-no-trace' ? 'trace' : 'store',
    violation: new Violation(misfit.expected, misfit.actual, evidence, misfit.wrong),
  }
}
