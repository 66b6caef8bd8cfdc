// A mutant: the reference with one fault, which one check is there to find.
import type { Plan } from '../spec/plans.ts'
import type { RequirementId } from '../spec/requirements.ts'
import type { Variant } from './compose.ts'

export interface Mutant extends Variant {
  readonly id: string
  /** The sentence that the fault breaks. */
  readonly breaks: RequirementId
  /** The check that claims it; others may fail beside it. */
  readonly caughtBy: string
  /** The fault, as its maker might have put it. */
  readonly fault: string
  /** The categories it knows, where not any will do. */
  readonly categories?: readonly bigint[]
  /** The suites that have to find it: of the rate limit, with its days or without; or the rest. */
  readonly suite?: 'limits' | 'days'
  /** Plans of which it needs a key, beside the two Free ones that the rate-limit suites have. */
  readonly keys?: readonly Plan[]
}

/** Another server that keeps every sentence: no check may fail at it. */
export interface LegalVariant extends Variant {
  readonly id: string
  /** What it does otherwise, and may. */
  readonly does: string
  /** The categories it knows, where not any will do. */
  readonly categories?: readonly bigint[]
  /** The checks of a `should` that it breaks; all others have to be silent. */
  readonly warns?: readonly string[]
  /** Where the rate-limit suites, too, have to be silent about it. */
  readonly suite?: 'both'
}
