// The pets that a run knows: created by it, or seen in a response. Every exchange is fed to it.

import { readBody, valueIn } from '../body.ts'
import type { Creation, Herd } from '../context.ts'
import { type Answered, statusOf } from '../exchange.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts'
import { createScopes } from './scope.ts'

/** Real time in which a new animal need not be listed yet (ruling 5). */
export const listedWithinMs = 1_000

interface Made {
  readonly id: bigint
  readonly pet: JsonObject
  readonly exchange: Answered
}

/** Creations that are looked for in a list: the latest ones. */
const lookedForMost = 100

/** What a list was asked for, where nothing but the named parameters was. */
export const queryOf = ({
  asked,
}: Answered): { limit: number; status: string | undefined } | undefined => {
  const [path, search = ''] = asked.path.split('?')
  const query = new URLSearchParams(search)
  const names = [...query.keys()].toSorted().join(' ')
  const isPlain = ['', 'limit', 'status', 'limit status'].includes(names)
  if (path !== '/pets' || !isPlain || query.toString() !== search) return undefined
  const limit = query.get('limit') ?? '20'
  const status = query.get('status') ?? undefined
  if (!/^\d{1,3}$/.test(limit) || !/^[a-z]+$/.test(status ?? 'none')) return undefined
  return { limit: Number(limit), status }
}

/** Animals of this run that an uncut list does not hold, although it is late enough for them. */
const lackedByList = (
  list: Answered,
  pets: readonly JsonObject[],
  creations: readonly Made[],
): readonly bigint[] => {
  const asked = queryOf(list)
  if (asked === undefined || pets.length >= asked.limit) return []
  const ids = new Set(pets.map(({ id }) => id))
  return creations
    .slice(-lookedForMost)
    .filter(({ pet }) => asked.status === undefined || pet.status === asked.status)
    .filter(({ exchange }) => list.sentMs - exchange.receivedMs > listedWithinMs)
    .flatMap(({ id }) => (ids.has(id) ? [] : [id]))
}

/** The animal that was asked for by its id. */
export const idAsked = ({ asked }: Answered): bigint | undefined => {
  const digits = /^\/pets\/(0|-?[1-9]\d{0,18})$/.exec(asked.path)?.[1]
  return digits === undefined || asked.method !== 'GET' ? undefined : BigInt(digits)
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
