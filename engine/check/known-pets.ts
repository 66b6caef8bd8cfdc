// The pets that a run knows: created by it, or seen in a response. Every exchange is fed to it.

import { isListPath, readBody, usableBody } from './body.ts'
import { type AnsweredExchange, isSuccess, memoized, statusOf } from './exchange.ts'
import { isObject, type Json, type JsonObject, parseJson } from './json.ts'

export interface Creation {
  readonly sent: JsonObject
  /** The pet of the response. */
  readonly pet: JsonObject
  readonly id: bigint
  readonly exchange: AnsweredExchange
}

export interface Refusal {
  readonly sent: JsonObject
  readonly exchange: AnsweredExchange
}

/** Real time in which a new pet need not be listed yet (ruling 5). */
export const listedWithinMs = 1_000

/** Only the latest creations are looked for in a list. */
const maxLookedFor = 100

/** A list with at most a limit and a status, in either order. */
const plainList =
  /^\/pets(?:\?(?:limit=(\d{1,3})(?:&status=([a-z]+))?|status=([a-z]+)(?:&limit=(\d{1,3}))?)?)?$/

/** The limit and status of a list request, if it has no other parameters. */
export const queryOf = ({
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
  const query = queryOf(list)
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

/** Distinct pets remembered: more than a run needs, and a bound on what a hostile target sends. */
const maxSeen = 5_000

const isListOfPets = (exchange: AnsweredExchange): boolean =>
  statusOf(exchange) === 200 &&
  exchange.apiRequest.method === 'GET' &&
  isListPath(exchange.apiRequest.path)

const petsOf = (value: Json | undefined, exchange: AnsweredExchange): readonly JsonObject[] => {
  // A long list is not copied each time it is read.
  if (Array.isArray(value)) return value.every(isObject) ? value : value.filter(isObject)
  const { method, path } = exchange.apiRequest
  return isObject(value) && !(method === 'GET' && isListPath(path)) ? [value] : []
}

/** The objects of a body that should be pets, as they were sent. @throws Untested if not read */
export const sentPetsIn = (exchange: AnsweredExchange): readonly JsonObject[] => {
  const body = readBody(exchange)
  return 'value' in body ? petsOf(body.value, exchange) : []
}

/** The same without a judgement: none if the body is not read; also out of an envelope. */
export const petsRead = (exchange: AnsweredExchange): readonly JsonObject[] => {
  const body = usableBody(exchange)
  return 'value' in body ? petsOf(body.value, exchange) : []
}

/** The pets of a response, to be worked with. @throws Untested (ambiguous) if not read */
export const petsIn = (exchange: AnsweredExchange): readonly JsonObject[] => {
  readBody(exchange)
  return petsRead(exchange)
}

/** The body of a creation, where it is a JSON object. */
export const sentObject = memoized(({ request }: AnsweredExchange): JsonObject | undefined => {
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

/**
 * What each key was shown of the pets. How keys are scoped is open (Authentication 5): a pet need
 * not be there for a key that was never shown it, nor any other of its maker.
 * @param makerOf the key with which this run created a pet
 */
const createScopes = (makerOf: (id: bigint) => string | undefined) => {
  const shown = new Map<string, Set<bigint>>()
  /** By key: the keys of whose pets it was shown one, and so must be shown all. */
  const reads = new Map<string, Set<string>>()
  let shared = false

  /** Whether a pet that exists must be there for this key, judged by what the key was shown. */
  const isKnown = (key: string | null, id: bigint): boolean => {
    if (key === null || shown.get(key)?.has(id)) return true
    const maker = makerOf(id)
    return maker !== undefined && (maker === key || reads.get(key)?.has(maker) === true)
  }

  /** The key that knows most of these pets. */
  const knower = (ids: readonly bigint[]): string | undefined => {
    const known = [...shown.keys()].map((key) => ({
      key,
      most: ids.filter((id) => isKnown(key, id)).length,
    }))
    return known.toSorted((a, b) => b.most - a.most).find(({ most }) => most > 0)?.key
  }

  const open = () => {
    let apart = false
    return {
      isKnown,
      knower,
      /** The same, if keys do not share their pets; undefined: any key will do. */
      chosen: (ids: readonly bigint[]) => (apart ? knower(ids) : undefined),
      /** Whether a key was not shown a pet that another one created. */
      isApart: () => apart,
      /** A pet was missing for a key; ignored where the key knows the pet. */
      miss: (key: string, id: bigint) => {
        if (makerOf(id) !== undefined && !isKnown(key, id)) apart = true
      },
    }
  }

  return {
    lists: open(),
    fetches: open(),
    /** Whether a key was shown a pet that another one created, or was shown too. */
    isShared: () => shared,
    /** A key was shown a pet, in a list or by its id. */
    show: (key: string, id: bigint) => {
      const maker = makerOf(id)
      shared ||= [...shown].some(([other, ids]) => other !== key && ids.has(id))
      setOf(shown, key).add(id)
      if (maker !== undefined && maker !== key) setOf(reads, key).add(maker)
    },
  }
}

type Scopes = ReturnType<typeof createScopes>

interface Pets {
  readonly creations: readonly Creation[]
  readonly refusals: readonly Refusal[]
  readonly seen: ReadonlyMap<bigint, JsonObject>
  readonly byId: ReadonlyMap<bigint, Creation>
}

const viewOf = ({ creations, refusals, seen, byId }: Pets, scopes: Scopes) => {
  const matching = (status: string | undefined): readonly bigint[] =>
    [...seen].filter(([, pet]) => status === undefined || pet.status === status).map(([id]) => id)
  return {
    /** Creations that succeeded, with an id, in order. */
    creations,
    /** Creations with a JSON object for a body that were answered 4xx, 401 without a key too. */
    refusals,
    /** Every pet of a 200 or 201, by id: as it was first seen with a name, or at all. */
    seen,
    /** The ids of the pets that are known to have this status (undefined: any). */
    matching,
    count: (status: string | undefined) => matching(status).length,
    /** Which pets a key must be shown in a list, or by their id. */
    lists: scopes.lists,
    fetches: scopes.fetches,
    isShared: scopes.isShared,
    /** The id of a pet that exists: of the newest creation, if there is one. */
    someId: () => creations.at(-1)?.id ?? seen.keys().next().value,
    creationOf: (id: bigint) => byId.get(id),
  }
}

export type KnownPets = ReturnType<typeof viewOf>

/** Knows no pet yet; `learn` is called with every exchange of the run. */
export const createKnownPets = () => {
  const creations: Creation[] = []
  const refusals: Refusal[] = []
  const seen = new Map<bigint, JsonObject>()
  const byId = new Map<bigint, Creation>()
  const scopes = createScopes((id) => byId.get(id)?.exchange.key ?? undefined)
  const { lists, fetches, show } = scopes

  const remember = (pet: JsonObject, key: string | null) => {
    const { id } = pet
    if (typeof id !== 'bigint' || key === null) return
    const before = seen.get(id)
    if (!before && seen.size >= maxSeen) return
    // The response to its creation may have shown the id alone.
    if (!before || !('name' in before)) seen.set(id, pet)
    show(key, id)
  }

  const learnCreation = (exchange: AnsweredExchange) => {
    const sent = sentObject(exchange)
    if (!sent) return
    const status = statusOf(exchange)
    if (status >= 400 && status < 500) refusals.push({ sent, exchange })
    const [pet] = petsRead(exchange)
    if (!isSuccess(exchange) || !pet || typeof pet.id !== 'bigint') return
    const creation = { sent, pet, id: pet.id, exchange }
    creations.push(creation)
    byId.set(pet.id, byId.get(pet.id) ?? creation)
    remember(pet, exchange.key)
  }

  const learnList = (exchange: AnsweredExchange, key: string) => {
    const pets = petsRead(exchange)
    for (const pet of pets) remember(pet, key)
    if (lists.isApart()) return
    for (const id of missingFrom(exchange, pets, creations)) lists.miss(key, id)
  }

  const learnFetch = (exchange: AnsweredExchange, key: string) => {
    const [pet] = petsRead(exchange)
    if (statusOf(exchange) === 200 && pet) remember(pet, key)
    const id = requestedId(exchange)
    if (statusOf(exchange) === 404 && id !== undefined) fetches.miss(key, id)
  }

  const learn = (exchange: AnsweredExchange) => {
    const { apiRequest, key } = exchange
    if (apiRequest.from !== 'base') return
    // A query, such as one with a key in it, makes it no other operation.
    const isCreation = apiRequest.method === 'POST' && isListPath(apiRequest.path)
    if (key === null) {
      // A response to a request without a key shows no pets, but a 401 shows a refused creation.
      if (isCreation && statusOf(exchange) === 401) learnCreation(exchange)
    } else if (isCreation) learnCreation(exchange)
    else if (isListOfPets(exchange)) learnList(exchange, key)
    else learnFetch(exchange, key)
  }

  const knownPets = viewOf({ creations, refusals, seen, byId }, scopes)
  return { knownPets, learn }
}
