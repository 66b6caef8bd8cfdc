// A clause: one requirement as a pure function of a response and the history of the run. It sends
// nothing.
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import type { BindingRequirementId, RequirementId } from '../spec/requirements.ts'

export interface Clause {
  readonly kind: 'clause'
  readonly id: string
  readonly requirement: RequirementId
  /** Which responses it is about, in words; `petvet explain` prints this text, and `fails`. */
  readonly judges: string
  readonly fails: string
  /** What leaves it inconclusive besides a run that was given no such response. */
  readonly inconclusive?: string
  readonly applies: (exchange: AnsweredExchange) => boolean
  /**
   * Why a run may legitimately contain no such response: the clause is then inapplicable. Without
   * this text it is then untested.
   */
  readonly optional?: string
  /** Rows that cause what it judges: they are sent where it is selected without them. */
  readonly sentBy?: readonly string[]
  /**
   * Throws a Violation for a response that violates the requirement, Untested for one that cannot
   * be judged, and Inapplicable for one that the requirement is not about after all.
   */
  readonly judge: (exchange: AnsweredExchange, history: History) => void
}

/** A requirement about every response: judged over all that rows and programs caused. */
export const clause = (
  declared: Omit<Clause, 'kind' | 'requirement'> & { readonly requirement: BindingRequirementId },
): Clause => ({ kind: 'clause', ...declared })
