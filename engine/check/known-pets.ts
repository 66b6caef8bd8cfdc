// The pets that a run knows: created by it, or seen in a response. Every exchange is fed to it.
import { isListPath, isUnread, readBody, usableBody } from './body.ts'
import { type AnsweredExchange, isSuccess, memoized, statusCode } from './exchange.ts'
import { isObject, type Json, type JsonObject, parseJson } from './json.ts'

export interface Creation {
  readonly sent: JsonObject
  /** That of the response. */
  readonly pet: JsonObject
  readonly id: bigint
  readonly exchange: AnsweredExchange
}

export type Refusal = Pick<Creation, 'sent' | 'exchange'>

/** Real time in which a new pet need not be listed yet (ruling 5). */
export const listedWithinMs = 1_000

/** Only the latest creations are looked for in a list. */
const maxLookedFor = 100

/** A list with at most a limit and a status, in either order. */
const plainList =
  /^\/pets(?:\?(?:limit=(\d{1,3})(?:&status=([a-z]+))?|status=([a-z]+)(?:&limit=(\d{1,3}))?)?)?$/

/** The limit and status of a list request, if it has no other parameters. */
export const printQuery = ({
  apiRequest,
}: AnsweredExchange): { limit: number; status: string | undefined } | undefined => {
  const [found, first, second, status = second, limit = first ?? '20'] =
    plainList.exec(apiRequest.path) ?? []
  return found === undefined ? undefined : { limit: Number(limit), status }
}

/** Pets created by this run that a list below its limit lacks although they must be listed. */
const missingFrom = (
  list: AnsweredExchange,
  pets: readonly JsonObject[],
  creations: readonly Creation[],
): readonly bigint[] => {
  const query = printQuery(list)
  if (query === undefined || pets.length >= query.limit) return []
  const ids = new Set(pets.map(({ id }) => id))
  return creations
    .slice(-maxLookedFor)
    .filter(({ pet }) => query.status === undefined || pet.status === query.status)
    .filter(({ exchange }) => list.sentMs - exchange.receivedMs > listedWithinMs)
    .flatMap(({ id }) => (ids.has(id) ? [] : [id]))
}

export const requestedId = ({ apiRequest }: AnsweredExchange): bigint | undefined => {
  const digits = /^\/pets\/(0|-?[1-9]\d{0,18})$/.exec(apiRequest.path)?.[1]
  return digits === undefined || apiRequest.method !== 'GET' ? undefined : BigInt(digits)
}

/** Distinct pets remembered: more than a run needs, and a bound on what a target sends. */
const maxSeen = 5_000

const isGetOfList = ({ apiRequest: { method, path } }: AnsweredExchange): boolean =>
  method === 'GET' && isListPath(path)

const isListOfPets = (exchange: AnsweredExchange): boolean =>
  statusCode(exchange) === 200 && isGetOfList(exchange)

const petsOf = (value: Json | undefined, exchange: AnsweredExchange): readonly JsonObject[] => {
  // A long list is not copied each time it is read.
  if (Array.isArray(value)) return value.every(isObject) ? value : value.filter(isObject)
  return isObject(value) && !isGetOfList(exchange) ? [value] : []
}

/** The objects of a body that should be pets, as sent. @throws Untested if not read */
export const sentPetsIn = (exchange: AnsweredExchange): readonly JsonObject[] => {
  const body = readBody(exchange)
  return 'value' in body ? petsOf(body.value, exchange) : []
}

/** The pets of a body, also out of an envelope. @throws Untested (ambiguous) if not read */
export const petsIn = (exchange: AnsweredExchange): readonly JsonObject[] => {
  const body = usableBody(exchange)
  return 'value' in body ? petsOf(body.value, exchange) : []
}

/** The body of a creation, where it is a JSON object. */
export const sentObject = memoized(({ request }: Pick<AnsweredExchange, 'request'>) => {
  if (request.body === null) return undefined
  try {
    const value = parseJson(request.body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
})

const setOf = <T>(sets: Map<string, Set<T>>, key: string): Set<T> => {
  const set = sets.get(key) ?? new Set<T>()
  sets.set(key, set)
  return set
}

/** Which pets a key must be shown, in a list or by their id. */
interface Scope {
  /** Whether a pet that exists must be there for this key, judged by what the key was shown. */
  readonly isKnown: (key: string | null, id: bigint) => boolean
  /** The key that knows most of these pets. */
  readonly knower: (ids: readonly bigint[]) => string | undefined
  /** The key that knows most of them if keys do not share their pets; undefined: any will do. */
  readonly chosen: (ids: readonly bigint[]) => string | undefined
  /** Whether a key was not shown a pet that another one created. */
  readonly isApart: () => boolean
}

export interface KnownPets {
  /** Creations that succeeded, with an id, in order. */
  readonly creations: readonly Creation[]
  /** Creations with a JSON object for a body that were answered 4xx, 401 without a key too. */
  readonly refusals: readonly Refusal[]
  /** The names of pets that were created without a valid key: no twin that got 401 stored them. */
  readonly keylessNames: ReadonlySet<unknown>
  /** Every pet of a 200 or 201, by id: as it was first seen with a name, or at all. */
  readonly seen: ReadonlyMap<bigint, JsonObject>
  readonly lists: Scope
  readonly fetches: Scope
  /** Whether a key was shown a pet that another one created, or was shown too. */
  readonly isShared: () => boolean
  /** The ids of the pets that are known to have this status (undefined: any). */
  readonly matching: (status: string | undefined) => readonly bigint[]
  readonly count: (status: string | undefined) => number
  /** The id of a pet that exists: of the newest creation, if there is one. */
  readonly someId: () => bigint | undefined
  readonly creationOf: (id: bigint) => Creation | undefined
  /** A success whose pets are not known, since its body was not read. */
  readonly unread?: AnsweredExchange | undefined
  /** Whether two creations got this id, so that either pet may be shown. */
  readonly isRepeated: (id: bigint) => boolean
}

/** A pet need not be there for a key that was never shown it, nor any other of its maker. */
class Shown {
  /** The key with which this run created a pet. */
  readonly makerOf: (id: bigint) => string | undefined
  readonly #shown = new Map<string, Set<bigint>>()
  /** By key: the keys of whose pets it was shown one, and so must be shown all. */
  readonly #reads = new Map<string, Set<string>>()
  isShared = false

  constructor(makerOf: Shown['makerOf']) {
    this.makerOf = makerOf
  }

  isKnown(key: string | null, id: bigint): boolean {
    if (key === null || this.#shown.get(key)?.has(id)) return true
    const maker = this.makerOf(id)
    return maker !== undefined && (maker === key || this.#reads.get(key)?.has(maker) === true)
  }

  knower(ids: readonly bigint[]): string | undefined {
    const known = [...this.#shown.keys()].map((key) => ({
      key,
      most: ids.filter((id) => this.isKnown(key, id)).length,
    }))
    return known.toSorted((a, b) => b.most - a.most).find(({ most }) => most > 0)?.key
  }

  /** A key was shown a pet, in a list or by its id. */
  show(key: string, id: bigint): void {
    const maker = this.makerOf(id)
    this.isShared ||= [...this.#shown].some(([other, ids]) => other !== key && ids.has(id))
    setOf(this.#shown, key).add(id)
    if (maker !== undefined && maker !== key) setOf(this.#reads, key).add(maker)
  }
}

class ShownBy implements Scope {
  readonly #shown: Shown
  #apart = false

  constructor(shown: Shown) {
    this.#shown = shown
  }

  readonly isKnown: Scope['isKnown'] = (key, id) => this.#shown.isKnown(key, id)
  readonly knower: Scope['knower'] = (ids) => this.#shown.knower(ids)
  readonly chosen: Scope['chosen'] = (ids) => (this.#apart ? this.knower(ids) : undefined)
  readonly isApart = (): boolean => this.#apart

  /** A pet was missing for a key; ignored where the key knows the pet. */
  miss(key: string, id: bigint): void {
    if (this.#shown.makerOf(id) !== undefined && !this.isKnown(key, id)) this.#apart = true
  }
}

/** What the run created, as far as responses show it. */
class Creations {
  readonly all: Creation[] = []
  readonly byId = new Map<bigint, Creation>()
  readonly repeated = new Set<bigint>()
  /** Those that did not show their pet, by the name that they sent; null where two sent it. */
  readonly #unseen = new Map<string, Refusal | null>()

  add(creation: Creation): void {
    this.all.push(creation)
    if (this.byId.has(creation.id)) this.repeated.add(creation.id)
    else this.byId.set(creation.id, creation)
  }

  addUnseen(sent: JsonObject, exchange: AnsweredExchange): void {
    const { name } = sent
    if (typeof name !== 'string' || this.#unseen.size >= maxSeen) return
    this.#unseen.set(name, this.#unseen.has(name) ? null : { sent, exchange })
  }

  /** A pet that its creation did not show, and another response does. */
  recognize(id: bigint, name: Json | undefined): void {
    const creation = typeof name === 'string' ? this.#unseen.get(name) : undefined
    if (!creation || this.byId.has(id)) return
    this.#unseen.delete(String(name))
    this.add({ ...creation, pet: { id }, id })
  }
}

/** Knows no pet yet; `learn` is called with every exchange of the run. */
export class PetIndex implements KnownPets {
  readonly #made = new Creations()
  readonly creations: readonly Creation[] = this.#made.all
  readonly refusals: Refusal[] = []
  readonly keylessNames = new Set<unknown>()
  unread: AnsweredExchange | undefined
  readonly seen = new Map<bigint, JsonObject>()
  readonly #shown = new Shown((id) => this.creationOf(id)?.exchange.key ?? undefined)
  readonly lists = new ShownBy(this.#shown)
  readonly fetches = new ShownBy(this.#shown)

  readonly isShared = (): boolean => this.#shown.isShared
  readonly matching: KnownPets['matching'] = (status) =>
    [...this.seen]
      .filter(([id, pet]) => !this.isRepeated(id) && (status ?? pet.status) === pet.status)
      .map(([id]) => id)
  readonly count: KnownPets['count'] = (status) => this.matching(status).length
  readonly someId: KnownPets['someId'] = () =>
    this.creations.at(-1)?.id ?? this.seen.keys().next().value
  readonly creationOf: KnownPets['creationOf'] = (id) => this.#made.byId.get(id)
  readonly isRepeated: KnownPets['isRepeated'] = (id) => this.#made.repeated.has(id)

  #remember(pet: JsonObject, key: string | null): void {
    const { id, name } = pet
    if (typeof id !== 'bigint' || key === null) return
    this.#made.recognize(id, name)
    const before = this.seen.get(id)
    if (!before && this.seen.size >= maxSeen) return
    // The response to its creation may have shown the id alone.
    if (!before || !('name' in before)) this.seen.set(id, pet)
    this.#shown.show(key, id)
  }

  #learnCreation(exchange: AnsweredExchange): void {
    const sent = sentObject(exchange)
    if (!sent) return
    if (/^4/.test(`${statusCode(exchange)}`)) this.refusals.push({ sent, exchange })
    if (!isSuccess(exchange)) return
    const [pet] = petsIn(exchange)
    if (typeof pet?.id === 'bigint') {
      this.#made.add({ sent, pet, id: pet.id, exchange })
      this.#remember(pet, exchange.key)
    } else this.#made.addUnseen(sent, exchange)
  }

  #learnList(exchange: AnsweredExchange, key: string): void {
    const pets = petsIn(exchange)
    for (const pet of pets) this.#remember(pet, key)
    if (this.lists.isApart()) return
    for (const id of missingFrom(exchange, pets, this.creations)) this.lists.miss(key, id)
  }

  #learnFetch(exchange: AnsweredExchange, key: string): void {
    const [pet] = statusCode(exchange) === 200 ? petsIn(exchange) : []
    if (pet) this.#remember(pet, key)
    const id = requestedId(exchange)
    if (statusCode(exchange) === 404 && id !== undefined) this.fetches.miss(key, id)
  }

  /** A response to a request without a key shows no pets, but what became of a creation. */
  #learnKeyless(exchange: AnsweredExchange): void {
    if (statusCode(exchange) === 401) this.#learnCreation(exchange)
    if (isSuccess(exchange)) this.keylessNames.add(sentObject(exchange)?.name)
  }

  learn(exchange: AnsweredExchange): void {
    const { apiRequest, key } = exchange
    if (apiRequest.from !== 'base') return
    const isCreation = apiRequest.method === 'POST' && isListPath(apiRequest.path)
    if (key === null && isCreation) this.#learnKeyless(exchange)
    if (key === null) return
    if (isSuccess(exchange) && isUnread(exchange)) {
      this.unread ??= exchange
      if (isCreation) this.#made.addUnseen(sentObject(exchange) ?? {}, exchange)
    } else if (isCreation) this.#learnCreation(exchange)
    else if (isListOfPets(exchange)) this.#learnList(exchange, key)
    else this.#learnFetch(exchange, key)
  }
}
