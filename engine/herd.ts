// The animals a run knows of: made by it, or seen in an answer. Fed by every exchange.

import { readBody, valueIn } from './body.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import type { Json, JsonObject } from './json.ts'
import { isObject, parseJson } from './json.ts'
import { idAsked, lackedByList } from './lacked.ts'
import { createScopes, type Scope } from './scope.ts'

export interface Creation {
  /** The body that was sent, as it reads. */
  readonly sent: JsonObject
  /** The animal of the 201. */
  readonly pet: JsonObject
  readonly id: bigint
  readonly exchange: Answered
}

export interface Herd {
  /** Creations that were answered 201 with an id, in order. */
  readonly creations: readonly Creation[]
  /** Creations with a JSON object for a body that were answered 4xx, 401 without a key too. */
  readonly refusals: readonly { readonly sent: JsonObject; readonly exchange: Answered }[]
  /** Every animal of a 200 or 201, by id: as it was first seen. */
  readonly seen: ReadonlyMap<bigint, JsonObject>
  /** How many distinct animals are known to have this status (any, where undefined). */
  readonly count: (status: string | undefined) => number
  /** The ids of those. */
  readonly matching: (status: string | undefined) => readonly bigint[]
  /** Which animals have to be there for a key that asks for a list, or for one by its id. */
  readonly lists: Scope
  readonly fetches: Scope
  /** Whether a key was shown an animal that another one created, or was shown as well. */
  readonly isShared: () => boolean
  /** An id of an animal that exists, the newest creation where there is one. */
  readonly someId: () => bigint | undefined
  readonly creationOf: (id: bigint) => Creation | undefined
}

/** Distinct animals remembered; a run never needs more, and a hostile target cannot fill us. */
const seenMost = 5_000

const isListOfPets = (exchange: Answered): boolean =>
  statusOf(exchange) === 200 && exchange.asked.method === 'GET' && isList(exchange.asked.path)

const isList = (path: string): boolean => path === '/pets' || path.startsWith('/pets?')

const petsOf = (value: Json | undefined, exchange: Answered): readonly JsonObject[] => {
  // A long list is not copied each time that it is looked at.
  if (Array.isArray(value)) return value.every(isObject) ? value : value.filter(isObject)
  const { method, path } = exchange.asked
  return isObject(value) && !(method === 'GET' && isList(path)) ? [value] : []
}

/**
 * The objects of a response that should be pets; a list that is no array holds none.
 * @throws Untested (ambiguous) where its body is not read
 */
export const petsIn = (exchange: Answered): readonly JsonObject[] => {
  const body = readBody(exchange)
  return 'value' in body ? petsOf(body.value, exchange) : []
}

/** The same of what may be left out: none where the body is not read. */
export const petsRead = (exchange: Answered): readonly JsonObject[] =>
  petsOf(valueIn(exchange), exchange)

/** The body of a creation, where it is a JSON object. */
export const sentObject = (exchange: Answered): JsonObject | undefined => {
  if (exchange.request.body === null) return undefined
  try {
    const value = parseJson(exchange.request.body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The animals of a run, by id, and which keys were shown them. */
const createPens = () => {
  const seen = new Map<bigint, JsonObject>()
  const byId = new Map<bigint, Creation>()
  const makerOf = (id: bigint) => byId.get(id)?.exchange.key ?? undefined
  const scopes = createScopes(makerOf)

  const meet = (pet: JsonObject, key: string | null) => {
    const { id } = pet
    if (typeof id !== 'bigint' || key === null) return
    if (!seen.has(id) && seen.size >= seenMost) return
    if (!seen.has(id)) seen.set(id, pet)
    scopes.show(key, id)
  }
  return { seen, byId, scopes, meet }
}

/** A herd and the one door by which it learns. */
export const createHerd = (): { herd: Herd; learn: (exchange: Answered) => void } => {
  const creations: Creation[] = []
  const refusals: { sent: JsonObject; exchange: Answered }[] = []
  const { seen, byId, scopes, meet } = createPens()
  const { lists, fetches, isShared } = scopes

  const learnCreation = (exchange: Answered) => {
    const sent = sentObject(exchange)
    if (!sent) return
    const status = statusOf(exchange)
    if (status >= 400 && status < 500) refusals.push({ sent, exchange })
    const [pet] = petsRead(exchange)
    if (status !== 201 || !pet || typeof pet.id !== 'bigint') return
    const creation = { sent, pet, id: pet.id, exchange }
    creations.push(creation)
    byId.set(pet.id, byId.get(pet.id) ?? creation)
    meet(pet, exchange.key)
  }

  const learnList = (exchange: Answered, key: string) => {
    const pets = petsRead(exchange)
    for (const pet of pets) meet(pet, key)
    if (lists.isApart()) return
    for (const id of lackedByList(exchange, pets, creations)) lists.miss(key, id)
  }

  const learnFetch = (exchange: Answered, key: string) => {
    const [pet] = petsRead(exchange)
    if (statusOf(exchange) === 200 && pet) meet(pet, key)
    const id = idAsked(exchange)
    if (statusOf(exchange) === 404 && id !== undefined) fetches.miss(key, id)
  }

  const learn = (exchange: Answered) => {
    const { from, method, path } = exchange.asked
    if (from !== 'base') return
    // A query, such as one with a key in it, makes it no other operation.
    const isCreation = method === 'POST' && isList(path)
    if (exchange.key === null) {
      // Without a key nothing that is said of an animal counts; that it was refused does.
      if (isCreation && statusOf(exchange) === 401) learnCreation(exchange)
      return
    }
    if (isCreation) learnCreation(exchange)
    else if (isListOfPets(exchange)) learnList(exchange, exchange.key)
    else learnFetch(exchange, exchange.key)
  }

  const matching = (status: string | undefined) =>
    [...seen].filter(([, pet]) => status === undefined || pet.status === status).map(([id]) => id)

  const herd: Herd = {
    creations,
    refusals,
    seen,
    count: (status) => matching(status).length,
    matching,
    lists,
    fetches,
    isShared,
    someId: () => creations.at(-1)?.id ?? seen.keys().next().value,
    creationOf: (id) => byId.get(id),
  }
  return { herd, learn }
}
