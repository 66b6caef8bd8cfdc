// The history of a run: what was sent and received, in order, and what follows from it. Nothing of
// it is ever changed or removed.
import type { AnsweredExchange } from './exchange.ts'
import type { KnownPets } from './known-pets.ts'

export interface History {
  /** All whole responses that count, in the order in which they came. */
  readonly exchanges: readonly AnsweredExchange[]
  readonly knownPets: KnownPets
  /** Whether other clients use the keys too. */
  readonly shared: boolean
  readonly names: {
    /** What begins the names of this run. */
    readonly mark: string
    /** How often this run sent a name; infinite for one that is not known to be its own. */
    readonly timesSent: (name: unknown) => number
  }
  readonly categories: {
    /** Known to exist before the run. */
    readonly configured: readonly bigint[]
    /** Whether any positive int64 may be used, so far as this run has found out. */
    readonly free: boolean
    /** Those that may be used when not free. */
    readonly known: readonly bigint[]
    /** The one that plain creations have. */
    readonly any: bigint
  }
}
