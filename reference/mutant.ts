// A mutant is the reference with one fault, which one check finds. A legal variant differs without
// a fault.
import type { Plan } from '../spec/plans.ts'
import type { Variant } from './compose.ts'

export interface Mutant extends Variant {
  readonly id: string
  /** The check that has to fail, and so the requirement that is violated; others may fail too. */
  readonly caughtBy: string
  /** The fault, in the words of an implementer. */
  readonly fault: string
  /** Where that check alone does not show it: a whole run does, or only `petvet mutants`. */
  readonly shownBy?: 'whole run' | 'proof'
  /** Verdicts of load scenarios that fail at it as well. */
  readonly loadVerdicts?: readonly string[]
  /** The categories that exist, where not all do. */
  readonly categories?: readonly bigint[]
  /** The suites that have to find it: rate limits without or with their days; else the others. */
  readonly suite?: 'limits' | 'days'
  /** Plans of the keys that it needs, in addition to the two Free ones of the rate-limit suites. */
  readonly keys?: readonly Plan[]
}

/** Another server that meets every requirement: no check may fail at it. */
export interface LegalVariant extends Variant {
  readonly id: string
  /** How it differs from the reference. */
  readonly does: string
  /** The checks that a too strict or hasty reading would let fail at it; they have to run there. */
  readonly exercises: readonly [string, ...string[]]
  /** The categories that exist, where not all do. */
  readonly categories?: readonly bigint[]
  /** The checks of a `should` that it violates; all others have to pass. */
  readonly warns?: readonly string[]
  /** Where the rate-limit suites run against it, too. */
  readonly suite?: 'both'
}

type Row = readonly [
  id: string,
  fault: string,
  difference: Variant & Omit<Mutant, 'id' | 'caughtBy' | 'fault'>,
]

/** The mutants that one check catches, one row each. */
export const caughtBy = (check: string, rows: readonly Row[]): readonly Mutant[] =>
  rows.map(([id, fault, difference]) => ({ id, caughtBy: check, fault, ...difference }))
