// Which pets each key was shown, and from when on it must be shown them.
import type { AnsweredExchange } from './exchange.ts'
import type { JsonObject } from './json.ts'

/** Real time in which a new pet need not be listed yet (ruling 5). */
export const listedWithinMs = 1_000

/** A pet as a key was first shown it, and from when on it must be found with this key. */
export interface Sight {
  readonly status: unknown
  readonly fetchedFromMs: number
  readonly listedFromMs: number
}

/** A new pet may lag behind in lists; whatever else a response shows may be of a replica. */
export const sightIn = (exchange: AnsweredExchange, { status }: JsonObject): Sight => {
  const { receivedMs, apiRequest } = exchange
  const listedFromMs = receivedMs + listedWithinMs
  const isCreated = apiRequest.method === 'POST'
  return { status, listedFromMs, fetchedFromMs: isCreated ? receivedMs : listedFromMs }
}

const mapOf = <K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> => {
  const map = maps.get(key) ?? new Map<K, V>()
  maps.set(key, map)
  return map
}

/** A pet need not be there for a key that was never shown it, nor any other of its maker. */
export class Shown {
  /** The key with which this run created a pet. */
  readonly makerOf: (id: bigint) => string | undefined
  readonly #shown = new Map<string, Map<bigint, Sight>>()
  /** By key: the keys of whose pets it was shown one, and so must be shown all, and since when. */
  readonly #reads = new Map<string, Map<string, number>>()
  isShared = false

  constructor(makerOf: Shown['makerOf']) {
    this.makerOf = makerOf
  }

  isKnown(key: string | null, id: bigint): boolean {
    if (key === null || this.#shown.get(key)?.has(id)) return true
    const maker = this.makerOf(id)
    return maker !== undefined && (maker === key || this.#reads.get(key)?.has(maker) === true)
  }

  knower(id: bigint): string | undefined {
    return [...this.#shown.keys()].find((key) => this.isKnown(key, id))
  }

  sights(key: string | null): ReadonlyMap<bigint, Sight> {
    return this.#shown.get(key ?? '') ?? new Map()
  }

  /** From when on a key must be shown the pets of a maker. */
  readsFromMs(key: string | null, maker: string | null): number {
    return this.#reads.get(key ?? '')?.get(maker ?? '') ?? Number.POSITIVE_INFINITY
  }

  /** A key was shown a pet, in a list or by its id. */
  show(key: string, id: bigint, pet: JsonObject, exchange: AnsweredExchange): void {
    const maker = this.makerOf(id) ?? key
    this.isShared ||= [...this.#shown].some(([other, ids]) => other !== key && ids.has(id))
    const sights = mapOf(this.#shown, key)
    if (!sights.has(id)) sights.set(id, sightIn(exchange, pet))
    const reads = mapOf(this.#reads, key)
    if (!reads.has(maker)) reads.set(maker, exchange.receivedMs)
  }
}
