// The history of a run: what was sent and received, in order, and what follows from it. Nothing
// of it is ever changed or removed: what says nothing of the target is marked.
import { type AnsweredExchange, type Exchange, isAnswered, isUnsent } from './exchange.ts'
import { type KnownPets, PetIndex } from './known-pets.ts'
import type { Categories, Names } from './naming.ts'

/** A request that was sent and got no whole response: the target may have counted it. */
export interface Lost {
  readonly seq: number
  /** The key on which it may count, as plan and position. */
  readonly key: string | null
}

/** A request that was sent and has not ended. */
export type InFlight = Pick<Exchange, 'seq' | 'key' | 'sentMs' | 'movedMs'>

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
  readonly categories: Pick<Categories, 'configured' | 'free' | 'known' | 'any' | 'isOpen'>
}

/** What may have been counted of a request without a whole response. */
export const lostIn = (exchange: Exchange): readonly Lost[] => {
  const { seq, key, apiRequest } = exchange
  if (isAnswered(exchange) || isUnsent(exchange)) return []
  return [{ seq, key: key ?? apiRequest.carries ?? null }]
}

/** The history of a run while it grows: a request enters when it is sent, and ends once. */
export class RunHistory implements History {
  readonly exchanges: AnsweredExchange[] = []
  readonly lost: Lost[] = []
  readonly knownPets = new PetIndex()
  readonly names: History['names']
  readonly categories: History['categories']
  readonly shared: boolean
  readonly #inFlight = new Map<number, InFlight>()
  /** The last response to each withdrawn key that counts. */
  readonly #withdrawn = new Map<string | null, number>()
  /** From this exchange on the target may be another one. */
  #voidFromSeq = Number.POSITIVE_INFINITY

  constructor({ names, categories, shared }: Pick<History, 'names' | 'categories' | 'shared'>) {
    this.names = names
    this.categories = categories
    this.shared = shared
  }

  /** Whether nothing more comes, as far as is known. */
  isWhole = false

  get inFlight(): Iterable<InFlight> | undefined {
    return this.isWhole ? undefined : this.#inFlight.values()
  }

  readonly isVoid: History['isVoid'] = ({ key, seq }) =>
    seq >= this.#voidFromSeq || seq > (this.#withdrawn.get(key) ?? Number.POSITIVE_INFINITY)

  begin(sent: InFlight): void {
    this.#inFlight.set(sent.seq, sent)
  }

  /** It was not sent after all. */
  cancel({ seq }: Pick<InFlight, 'seq'>): void {
    this.#inFlight.delete(seq)
  }

  /** Answered, silent or lost. */
  complete(exchange: Exchange): void {
    this.#inFlight.delete(exchange.seq)
    this.lost.push(...lostIn(exchange))
    if (!isAnswered(exchange)) return
    this.exchanges.push(exchange)
    this.knownPets.learn(exchange)
  }

  /** A key was revoked: what it got after its last response that counts is void. */
  voidKey(key: string, lastSeq: number): void {
    this.#withdrawn.set(key, lastSeq)
  }

  isWithdrawn(key: string): boolean {
    return this.#withdrawn.has(key)
  }

  /** What was received from this exchange on is void. @param seq undefined: nothing is */
  voidFrom(seq: number | undefined): void {
    this.#voidFromSeq = seq ?? Number.POSITIVE_INFINITY
  }
}

/**
 * What follows from a history, taken in as it grows: each response once.
 * @param begin makes what follows from no response
 */
export const folded = <State>(
  begin: () => State,
  take: (state: State, exchange: AnsweredExchange) => void,
): ((history: Pick<History, 'exchanges'>) => State) => {
  const states = new WeakMap<object, { state: State; taken: number }>()
  return (history) => {
    const own = states.get(history) ?? { state: begin(), taken: 0 }
    states.set(history, own)
    for (; own.taken < history.exchanges.length; own.taken += 1)
      take(own.state, history.exchanges[own.taken] as AnsweredExchange)
    return own.state
  }
}
