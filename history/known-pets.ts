// The pets that a run knows: created by it, or seen in a response. Every exchange is fed to it.
import { isUnread, readBody, usableBody } from './body.ts'
import {
  type AnsweredExchange,
  isBelowBase,
  isSuccess,
  memoized,
  recognizeOperation,
  statusCode,
} from './exchange.ts'
import { isObject, type Json, type JsonObject, parseObject } from './json.ts'

export interface Creation {
  readonly sent: JsonObject
  /** That of the response. */
  readonly pet: JsonObject
  readonly id: bigint
  readonly exchange: AnsweredExchange
}

export type Refusal = Pick<Creation, 'sent' | 'exchange'>

/** A list with at most a limit and a status, in either order. */
const plainList =
  /^\/pets(?:\?(?:limit=(\d{1,3})(?:&status=([a-z]+))?|status=([a-z]+)(?:&limit=(\d{1,3}))?)?)?$/

/** The limit and status of a list request, if it has no other parameters. */
export const printQuery = ({ apiRequest }: Pick<AnsweredExchange, 'apiRequest'>) => {
  const [found, first, second, status = second, limit = first ?? '20'] =
    plainList.exec(apiRequest.path) ?? []
  return found === undefined ? undefined : { limit: Number(limit), status }
}

export const requestedId = ({
  apiRequest,
}: Pick<AnsweredExchange, 'apiRequest'>): bigint | undefined => {
  const digits = /^\/pets\/(0|-?[1-9]\d{0,18})$/.exec(apiRequest.path)?.[1]
  return digits === undefined || apiRequest.method !== 'GET' ? undefined : BigInt(digits)
}

/** Distinct pets remembered: more than a run needs, and a bound on what a target sends. */
const maxSeen = 5_000

const petsOf = (value: Json | undefined, exchange: AnsweredExchange): readonly JsonObject[] => {
  // A long list is not copied each time it is read.
  if (Array.isArray(value)) return value.every(isObject) ? value : value.filter(isObject)
  return isObject(value) && recognizeOperation(exchange) !== 'list' ? [value] : []
}

const petsBy = (readAs: typeof readBody) => (exchange: AnsweredExchange) => {
  const body = readAs(exchange)
  return 'value' in body ? petsOf(body.value, exchange) : []
}

/** The objects of a body that should be pets, as sent. @throws Untested if not read */
export const sentPetsIn = petsBy(readBody)

/** The pets of a body, also out of an envelope. @throws Untested (ambiguous) if not read */
export const petsIn = petsBy(usableBody)

/** The body of a creation, where it is a JSON object. */
export const sentObject = memoized(({ request }: Pick<AnsweredExchange, 'request'>) =>
  request.body === null ? undefined : parseObject(request.body),
)

/** How strictly it is asked which pets are due. */
export interface How {
  /** Pets are due that need not be listed yet: a violation is then judged again later. */
  readonly atOnce?: boolean
  /** What was sent or shown earlier is not looked for. */
  readonly sinceMs?: number
  /** How many of them are enough. */
  readonly enough?: number
}

/** Real time in which a new pet need not be listed yet (ruling 5). */
export const listedWithinMs = 1_000

/** A pet as a key was first shown it, and from when on it must be found with this key. */
interface Sight {
  readonly status: unknown
  readonly fetchedFromMs: number
  readonly listedFromMs: number
}

/** A new pet may lag behind in lists; whatever else a response shows may be of a replica. */
const sightIn = ({ receivedMs, apiRequest }: AnsweredExchange, { status }: JsonObject): Sight => {
  const listedFromMs = receivedMs + listedWithinMs
  const isCreated = apiRequest.method === 'POST'
  return { status, listedFromMs, fetchedFromMs: isCreated ? receivedMs : listedFromMs }
}

/** By key, and by pet or by another key. */
class ByKey<K, V> {
  readonly all = new Map<string, Map<K, V>>()

  of(key: string | null): ReadonlyMap<K, V> {
    return this.all.get(key ?? '') ?? new Map()
  }

  /** Keeps the first. */
  add(key: string, of: K, value: V): void {
    const map = this.all.get(key) ?? new Map<K, V>()
    this.all.set(key, map)
    if (!map.has(of)) map.set(of, value)
  }
}

/** Knows no pet yet; `learn` is called with every exchange of the run. */
export class PetIndex {
  readonly #byId = new Map<bigint, Creation>()
  readonly #repeated = new Set<bigint>()
  /** Of what was created, with when it was sent first. */
  readonly #names = new Map<unknown, number>()
  /** Creations that did not show their pet, by the name that they sent; null where two sent it. */
  readonly #unseen = new Map<string, Refusal | null>()
  /** A pet need not be there for a key that was never shown it, nor any other of its maker. */
  readonly #sights = new ByKey<bigint, Sight>()
  /** By key: the keys of whose pets it was shown one, and so must be shown all, and since when. */
  readonly #reads = new ByKey<string | null, number>()
  /** Creations that succeeded, with an id, in order. */
  readonly creations: Creation[] = []
  /** Creations with a JSON object for a body that were answered 4xx, 401 without a key too. */
  readonly refusals: Refusal[] = []
  /** The names of pets that were created without a valid key: no twin that got 401 stored them. */
  readonly keylessNames = new Set<unknown>()
  /** A success whose pets are not known, since its body was not read. */
  unread: AnsweredExchange | undefined
  /** Every pet of a 200 or 201, by id: as it was first seen with a name, or at all. */
  readonly seen = new Map<bigint, JsonObject>()
  /** Whether a key did not get a pet that another one created. */
  isApart = false
  /** Whether a key was shown a pet that another one created, or was shown too. */
  isShared = false

  /** Whether a pet that exists must be there for this key, judged by what the key was shown. */
  readonly isKnown = (key: string | null, id: bigint): boolean => {
    if (key === null || this.#sights.of(key).has(id)) return true
    const maker = this.creationOf(id)?.exchange.key ?? null
    return maker !== null && (maker === key || this.#reads.of(key).has(maker))
  }
  /** A key that knows a pet. */
  readonly knower = (id: bigint): string | undefined =>
    [...this.#sights.all.keys()].find((key) => this.isKnown(key, id))
  /** How many pets are known to have this status (undefined: any). */
  readonly count = (status: string | undefined): number =>
    [...this.seen].filter(
      ([id, pet]) => !this.isRepeated(id) && (status ?? pet.status) === pet.status,
    ).length
  /** The id of a pet that exists: of the newest creation, if there is one. */
  readonly someId = (): bigint | undefined =>
    this.creations.at(-1)?.id ?? this.seen.keys().next().value
  readonly creationOf = (id: bigint): Creation | undefined => this.#byId.get(id)
  /** Whether two creations got this id, so that either pet may be shown. */
  readonly isRepeated = (id: bigint): boolean => this.#repeated.has(id)

  /** Whether a pet of a response may be that of an earlier creation that succeeded, by its name. */
  readonly isOfCreation = ({ id, name }: JsonObject, { receivedMs }: AnsweredExchange): boolean => {
    const fromMs = this.#names.get(name) ?? Number.POSITIVE_INFINITY
    const isCreated = typeof id === 'bigint' && this.creationOf(id) !== undefined
    return (
      isCreated || (name !== undefined && (fromMs <= receivedMs || this.keylessNames.has(name)))
    )
  }

  /** From when on a GET with this key must find the pet that it was shown. */
  readonly fetchedFromMs = (key: string | null, id: bigint): number | undefined =>
    this.#sights.of(key).get(id)?.fetchedFromMs

  /**
   * The pets that a list of a status must have unless its limit cuts it: shown to its key a second
   * before the request, or created a second before by a key whose pets it had been shown.
   */
  readonly dueIn = (
    list: AnsweredExchange,
    status: string | undefined,
    how: How = {},
  ): bigint[] => {
    const { enough = Number.POSITIVE_INFINITY, atOnce = false, sinceMs = 0 } = how
    const lagMs = atOnce ? listedWithinMs : 0
    const isDue = (sight: Sight): boolean =>
      sight.listedFromMs - lagMs <= list.sentMs &&
      sight.listedFromMs - listedWithinMs >= sinceMs &&
      (status === undefined || sight.status === status)
    const ids = new Set<bigint>()
    for (const [id, sight] of this.#sights.of(list.key)) {
      if (isDue(sight) && !this.isRepeated(id)) ids.add(id)
      if (ids.size >= enough) return [...ids]
    }
    for (const { id, pet, exchange } of this.#byId.values()) {
      if (this.isRepeated(id)) continue
      const fromMs = this.#reads.of(list.key).get(exchange.key) ?? Number.POSITIVE_INFINITY
      if (fromMs <= list.sentMs && isDue(sightIn(exchange, pet))) ids.add(id)
    }
    return [...ids]
  }

  #addName(name: unknown, { sentMs }: AnsweredExchange): void {
    if (!this.#names.has(name)) this.#names.set(name, sentMs)
  }

  #add(creation: Creation): void {
    const { id, sent, pet, exchange } = creation
    this.creations.push(creation)
    this.#addName(sent.name, exchange)
    this.#addName(pet.name, exchange)
    if (this.#byId.has(id)) this.#repeated.add(id)
    else this.#byId.set(id, creation)
  }

  #addUnseen(sent: JsonObject, exchange: AnsweredExchange): void {
    const { name } = sent
    this.#addName(name, exchange)
    if (typeof name !== 'string' || this.#unseen.size >= maxSeen) return
    this.#unseen.set(name, this.#unseen.has(name) ? null : { sent, exchange })
  }

  /** A pet that its creation did not show, and another response does. */
  #recognize(id: bigint, name: Json | undefined): void {
    const creation = typeof name === 'string' ? this.#unseen.get(name) : undefined
    if (!creation || this.#byId.has(id)) return
    this.#unseen.delete(String(name))
    this.#add({ ...creation, pet: { id }, id })
  }

  #remember(pet: JsonObject, exchange: AnsweredExchange): void {
    const { id, name } = pet
    const { key } = exchange
    if (typeof id !== 'bigint' || key === null) return
    this.#recognize(id, name)
    const before = this.seen.get(id)
    if (!before && this.seen.size >= maxSeen) return
    // The response to its creation may have shown the id alone.
    if (!before || !('name' in before)) this.seen.set(id, pet)
    this.isShared ||= [...this.#sights.all].some(([other, ids]) => other !== key && ids.has(id))
    this.#sights.add(key, id, sightIn(exchange, pet))
    this.#reads.add(key, this.creationOf(id)?.exchange.key ?? key, exchange.receivedMs)
  }

  #learnCreation(exchange: AnsweredExchange): void {
    const sent = sentObject(exchange)
    if (!sent) return
    if (/^4/.test(`${statusCode(exchange)}`)) this.refusals.push({ sent, exchange })
    if (!isSuccess(exchange)) return
    const [pet] = petsIn(exchange)
    if (typeof pet?.id === 'bigint') {
      this.#add({ sent, pet, id: pet.id, exchange })
      this.#remember(pet, exchange)
    } else this.#addUnseen(sent, exchange)
  }

  #learnFetch(exchange: AnsweredExchange, key: string): void {
    const [pet] = statusCode(exchange) === 200 ? petsIn(exchange) : []
    const id = requestedId(exchange)
    // Another pet than was asked for may not exist.
    if (pet && (id === undefined || pet.id === id)) this.#remember(pet, exchange)
    const isMissing = statusCode(exchange) === 404 && id !== undefined
    if (isMissing && this.creationOf(id) && !this.isKnown(key, id)) this.isApart = true
  }

  /** A response to a request without a key shows no pets, but what became of a creation. */
  #learnKeyless(exchange: AnsweredExchange): void {
    if (statusCode(exchange) === 401) this.#learnCreation(exchange)
    if (isSuccess(exchange)) this.keylessNames.add(sentObject(exchange)?.name)
  }

  learn(exchange: AnsweredExchange): void {
    const { key } = exchange
    if (!isBelowBase(exchange)) return
    const operation = recognizeOperation(exchange)
    const isCreation = operation === 'create'
    if (key === null && isCreation) this.#learnKeyless(exchange)
    if (key === null) return
    if (isSuccess(exchange) && isUnread(exchange)) {
      this.unread ??= exchange
      if (isCreation) this.#addUnseen(sentObject(exchange) ?? {}, exchange)
    } else if (isCreation) this.#learnCreation(exchange)
    else if (operation === 'list' && statusCode(exchange) === 200) {
      for (const pet of petsIn(exchange)) this.#remember(pet, exchange)
    } else this.#learnFetch(exchange, key)
  }
}

/** What is known, to all that do not feed it. */
export type KnownPets = Readonly<Omit<PetIndex, 'learn'>>
