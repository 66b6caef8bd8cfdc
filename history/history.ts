// The history of a run: what was sent and received, in order, and what follows from it. Nothing
// of it is ever changed or removed: what says nothing of the target is marked.
import { type AnsweredExchange, type Exchange, isAnswered, isUnsent } from './exchange.ts'
import type { KnownPets } from './known-pets.ts'
import type { Categories, Names } from './naming.ts'

/** A request that was sent and got no whole response: the target may have counted it. */
export interface Lost {
  readonly seq: number
  /** The key on which it may count, as plan and position. */
  readonly key: string | null
}

/** A request that was sent and has not ended. */
export interface InFlight extends Lost {
  readonly sentMs: number
  readonly movedMs: number
}

export interface History {
  /** All whole responses, in the order in which they came, void ones among them. */
  readonly exchanges: readonly AnsweredExchange[]
  readonly lost: readonly Lost[]
  /**
   * The requests in flight; absent where the history is whole and nothing more comes. While it is
   * there, what may still be explained is in doubt.
   */
  readonly inFlight?: Iterable<InFlight> | undefined
  /** Whether a response says nothing of the target: its key was withdrawn, or it was restarted. */
  readonly isVoid: (exchange: Pick<Exchange, 'seq' | 'key'>) => boolean
  readonly knownPets: KnownPets
  /** Whether other clients use the keys too. */
  readonly shared: boolean
  readonly names: Pick<Names, 'mark' | 'timesSent'>
  readonly categories: Pick<Categories, 'configured' | 'free' | 'known' | 'any'>
}

/** What may have been counted of a request without a whole response. */
export const lostIn = (exchange: Exchange): readonly Lost[] => {
  const { seq, key, apiRequest } = exchange
  if (isAnswered(exchange) || isUnsent(exchange)) return []
  return [{ seq, key: key ?? apiRequest.carries ?? null }]
}
