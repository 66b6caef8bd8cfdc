// The history of a run: what was sent and received, in order, and what follows from it. Nothing of
// it is ever changed or removed.
import type { AnsweredExchange } from './exchange.ts'
import type { KnownPets } from './known-pets.ts'
import type { Categories, Names } from './naming.ts'

export interface History {
  /** All whole responses that count, in the order in which they came. */
  readonly exchanges: readonly AnsweredExchange[]
  readonly knownPets: KnownPets
  /** Whether other clients use the keys too. */
  readonly shared: boolean
  readonly names: Pick<Names, 'mark' | 'timesSent'>
  readonly categories: Pick<Categories, 'configured' | 'free' | 'known' | 'any'>
}
