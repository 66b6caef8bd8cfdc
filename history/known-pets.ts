// The pets that a run knows: created by it, or seen in a response. Every exchange is fed to it.
import { isUnread, readBody, usableBody } from './body.ts'
import {
  type AnsweredExchange,
  isAtOwnPath,
  isBelowBase,
  isSuccess,
  keptIn,
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

/** A list with at most a limit and a status, in either order. */
const plainList =
  /^\/pets(?:\?(?:limit=(\d{1,3})(?:&status=([a-z]+))?|status=([a-z]+)(?:&limit=(\d{1,3}))?)?)?$/

/** The limit and status of a list request, if it has no other parameters. */
export const printQuery = ({ apiRequest }: Pick<AnsweredExchange, 'apiRequest'>) => {
  const [found, first, second, status = second, limit = first ?? '20'] =
    plainList.exec(apiRequest.path) ?? []
  return found === undefined ? undefined : { limit: Number(limit), status }
}

/** The id in the path of a pet. */
export const idIn = (path: string): bigint | undefined => {
  const digits = /^\/pets\/(0|-?[1-9]\d{0,18})$/.exec(path)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

export const requestedId = ({
  apiRequest: { method, path },
}: Pick<AnsweredExchange, 'apiRequest'>): bigint | undefined =>
  method === 'GET' ? idIn(path) : undefined

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

/** The pets of a body, also out of an envelope. @throws Unread */
export const petsIn = petsBy(usableBody)

/** The body of a creation, where it is a JSON object. */
export const sentObject = memoized(({ request }: Pick<AnsweredExchange, 'request'>) =>
  request.body === null ? undefined : parseObject(request.body),
)

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

/** Methods that change no pet that exists. */
const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'POST'])

/** Knows no pet yet; `learn` is called with every exchange of the run. */
export class PetIndex {
  readonly #byId = new Map<bigint, Creation>()
  /** Of all that was seen, in order. */
  readonly #ids: bigint[] = []
  readonly #repeated = new Set<bigint>()
  /** Of what was created, without a key too, with when it was sent first. */
  readonly #names = new Map<unknown, number>()
  /**
   * By pet and key. A pet need not be there for a key that was never shown it, nor any other of its
   * maker.
   */
  readonly #sights = new Map<bigint, Map<string, Sight>>()
  /** By key: the keys of whose pets it was shown one, and so must be shown all, and since when. */
  readonly #reads = new Map<string, Map<string | null, number>>()
  /** By key: the number of the first exchange that shows it to be valid. */
  readonly firstSuccess = new Map<string, number>()
  /** Creations that succeeded, with an id, in order. */
  readonly creations: Creation[] = []
  /** Creations with a JSON object for a body that were answered 4xx, 401 without a key too. */
  readonly refusals: Pick<Creation, 'sent' | 'exchange'>[] = []
  /** A success whose pets are not known, since its body was not read. */
  unread: AnsweredExchange | undefined
  /** Every pet of a 200 or 201, by id: as it was first seen with a name, or at all. */
  readonly seen = new Map<bigint, JsonObject>()
  /** Whether a key did not get a pet that another one created. */
  isApart = false
  /** Whether a key was shown a pet that another one created, or was shown too. */
  isShared = false

  /** Since when a key must be shown the pets of another one. */
  #readsFromMs(key: string | null, maker: string | null): number {
    return this.#reads.get(key ?? '')?.get(maker) ?? Number.POSITIVE_INFINITY
  }

  /** Whether a pet that exists must be there for this key, judged by what the key was shown. */
  readonly isKnown = (key: string | null, id: bigint): boolean => {
    if (key === null || this.#sights.get(id)?.has(key)) return true
    const maker = this.creationOf(id)?.exchange.key ?? null
    return maker !== null && (maker === key || this.#readsFromMs(key, maker) < Infinity)
  }
  /** A key that was shown a pet. */
  readonly knower = (id: bigint): string | undefined => this.#sights.get(id)?.keys().next().value
  /** How many pets are known to have this status (undefined: any). */
  readonly count = (status: string | undefined): number => {
    let count = 0
    for (const [id, pet] of this.seen) {
      if (!this.isRepeated(id) && (status ?? pet.status) === pet.status) count += 1
    }
    return count
  }
  /** The id of a pet that exists: of the newest creation, if there is one. */
  readonly someId = (): bigint | undefined =>
    this.creations.at(-1)?.id ?? this.seen.keys().next().value
  readonly creationOf = (id: bigint): Creation | undefined => this.#byId.get(id)
  /** Whether two creations got this id, or the run may have changed the pet: any may be shown. */
  readonly isRepeated = (id: bigint): boolean => this.#repeated.has(id)

  /** Whether a pet of a response may be that of an earlier creation that succeeded, by its name. */
  readonly isOfCreation = ({ id, name }: JsonObject, { receivedMs }: AnsweredExchange): boolean =>
    (typeof id === 'bigint' && this.#byId.has(id)) ||
    (this.#names.get(name) ?? Number.POSITIVE_INFINITY) <= receivedMs

  /** From when on a GET with this key must find the pet that it was shown. */
  readonly fetchedFromMs = (key: string | null, id: bigint): number | undefined =>
    this.#sights.get(id)?.get(key ?? '')?.fetchedFromMs

  /**
   * The pets that a list of a status must have unless its limit cuts it: shown to its key a second
   * before the request, or created a second before by a key whose pets it had been shown. The
   * newest comes first.
   * @param enough how many are enough
   * @param lagMs 0: also those that need not be listed yet
   */
  readonly dueIn = (
    { key, sentMs }: AnsweredExchange,
    status: string | undefined,
    { enough = Number.POSITIVE_INFINITY, lagMs = listedWithinMs } = {},
  ): bigint[] => {
    const isDue = (sight: Sight): boolean =>
      sight.listedFromMs - listedWithinMs + lagMs <= sentMs &&
      (status === undefined || sight.status === status)
    const ids: bigint[] = []
    for (let at = this.#ids.length - 1; at >= 0 && ids.length < enough; at -= 1) {
      const id = this.#ids[at] as bigint
      if (this.isRepeated(id)) continue
      const sight = this.#sights.get(id)?.get(key ?? '')
      const { exchange, pet = {} } = this.creationOf(id) ?? {}
      const isMade = exchange && this.#readsFromMs(key, exchange.key) <= sentMs
      if ((sight && isDue(sight)) || (isMade && isDue(sightIn(exchange, pet)))) ids.push(id)
    }
    return ids
  }

  #addNames({ sentMs }: AnsweredExchange, ...pets: (JsonObject | undefined)[]): void {
    for (const pet of pets) {
      const name = pet?.name
      if (name !== undefined && !this.#names.has(name)) this.#names.set(name, sentMs)
    }
  }

  #remember(pet: JsonObject, exchange: AnsweredExchange): void {
    const { id } = pet
    const { key } = exchange
    if (typeof id !== 'bigint' || key === null) return
    const before = this.seen.get(id)
    if (!before && this.seen.size >= maxSeen) return
    // The response to its creation may have shown the id alone.
    if (!before || !('name' in before)) this.seen.set(id, pet)
    if (!before) this.#ids.push(id)
    const sights = keptIn(this.#sights, id, () => new Map<string, Sight>())
    keptIn(sights, key, () => sightIn(exchange, pet))
    this.isShared ||= sights.size > 1
    const reads = keptIn(this.#reads, key, () => new Map<string | null, number>())
    keptIn(reads, this.creationOf(id)?.exchange.key ?? key, () => exchange.receivedMs)
  }

  #learnCreation(exchange: AnsweredExchange): void {
    const sent = sentObject(exchange)
    const status = statusCode(exchange)
    if (!sent) return
    // A response to a request without a key says no more than that it is demanded.
    const isRefused = exchange.key === null ? status === 401 : status >= 400 && status <= 499
    if (isRefused) this.refusals.push({ sent, exchange })
    if (!isSuccess(exchange)) return
    const [pet] = isUnread(exchange) ? [] : petsIn(exchange)
    this.#addNames(exchange, sent, pet)
    if (exchange.key === null || typeof pet?.id !== 'bigint') return
    const creation = { sent, pet, id: pet.id, exchange }
    this.creations.push(creation)
    if (this.#byId.has(pet.id)) this.#repeated.add(pet.id)
    else this.#byId.set(pet.id, creation)
    this.#remember(pet, exchange)
  }

  #learnShown(exchange: AnsweredExchange, key: string): void {
    const id = requestedId(exchange)
    for (const pet of statusCode(exchange) === 200 ? petsIn(exchange) : []) {
      // Another pet than was asked for may not exist.
      if (id === undefined || pet.id === id) this.#remember(pet, exchange)
    }
    const isMissing = statusCode(exchange) === 404 && id !== undefined
    if (isMissing && this.creationOf(id) && !this.isKnown(key, id)) this.isApart = true
  }

  /** A method that no pet has, and that succeeded, may have removed it, or all of them. */
  #learnChanged(exchange: AnsweredExchange): void {
    const { method, path } = exchange.apiRequest
    if (!isSuccess(exchange) || !isAtOwnPath(exchange) || harmless.has(method)) return
    const [own = ''] = path.split('?')
    const id = idIn(own)
    const changed = own === '/pets' ? this.#ids : id === undefined ? [] : [id]
    for (const each of changed) this.#repeated.add(each)
  }

  learn(exchange: AnsweredExchange): void {
    const { key, seq } = exchange
    if (!isBelowBase(exchange)) return
    if (key !== null && isSuccess(exchange)) {
      this.firstSuccess.set(key, Math.min(seq, this.firstSuccess.get(key) ?? seq))
    }
    this.#learnChanged(exchange)
    const isHidden = isSuccess(exchange) && isUnread(exchange)
    if (key !== null && isHidden) this.unread ??= exchange
    if (recognizeOperation(exchange) === 'create') this.#learnCreation(exchange)
    else if (key !== null && !isHidden) this.#learnShown(exchange, key)
  }
}

/** What is known, to all that do not feed it. */
export type KnownPets = Readonly<Omit<PetIndex, 'learn'>>
