// What may legally explain what looks like a violation, as data: `engine/run/confirm.ts` sends what
// rules it out, or shows that it holds.
import type { AnsweredExchange } from '../history/exchange.ts'
import { Untested } from '../history/outcome.ts'

export type Explanation =
  | 'usual'
  | 'plain request not served'
  | 'never valid'
  | 'banned'
  | 'kept by the connection'
  | 'no key demanded'
  | 'shown late'
  | 'late in lists'
  | 'unknown category'

/** It is no violation where this holds. */
export class Unexplained extends Untested {
  readonly explanation: Explanation

  constructor(explanation: Explanation, words: string, exchange: AnsweredExchange) {
    super('ambiguous', words, [exchange])
    this.explanation = explanation
  }
}
