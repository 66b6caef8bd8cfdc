// Requests to the three operations, and what a run must know of the pets to make them.

import { usableBody } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  isSuccess,
  type Operation,
  post,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { type JsonObject, printJson } from '../../history/json.ts'
import { type KnownPets, petsIn, sentObject } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { statuses } from '../../model/read-body.ts'
import { type Context, permissions } from './context.ts'

export interface ListQuery {
  readonly limit?: number
  readonly status?: string
}

export const listPets = ({ limit, status }: ListQuery): ApiRequest => {
  const parameters = [
    ...(status === undefined ? [] : [`status=${encodeURIComponent(status)}`]),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
  ]
  // Either order is the same query; an even limit comes first.
  if (limit !== undefined && limit % 2 === 0) parameters.reverse()
  return get(parameters.length === 0 ? '/pets' : `/pets?${parameters.join('&')}`)
}

/** @param query sent as is, valid or not */
export const listPetsWith = (query: string): ApiRequest => get(`/pets?${query}`)

/** @param body an object is serialized as JSON; text and bytes are sent as is */
export const createPet = (body: JsonObject | string | Uint8Array | null): ApiRequest => {
  const isAsIs = body === null || typeof body === 'string' || body instanceof Uint8Array
  return post('/pets', isAsIs ? body : printJson(body))
}

/** @param id a pet id, or any text */
export const getPet = (id: bigint | string): ApiRequest => get(`/pets/${id}`)

/** A plain valid request of each operation. */
export const plainRequest: Readonly<Record<Operation, (context: Context) => ApiRequest>> = {
  list: () => listPets({}),
  create: ({ newPet }) => createPet(newPet()),
  get: (context) => getPet(someId(context)),
}

/** @throws Unread where a body that was not read may show what is missing */
export const expectAllRead = ({ unread }: Pick<KnownPets, 'unread'>): void => {
  if (unread) usableBody(unread)
}

/**
 * Explains why a check that needs a pet cannot run, and what to do.
 * @param which what follows `no pet` in the message
 * @throws Unread where a body that was not read may show one
 */
export const noPet = ({ allow, categories, knownPets }: Context, which: string): Untested => {
  expectAllRead(knownPets)
  if (!allow.includes('write')) {
    const allowed = permissions.filter((word) => word === 'write' || allow.includes(word)).join(',')
    return new Untested('permission', `no pet ${which}; add one, or --allow ${allowed}`)
  }
  if (!categories.free && categories.known.length === 0) {
    const message = `no pet ${which}, and none can be created without a category`
    return new Untested('category', `${message}; configure \`categories\` (--category ID)`)
  }
  return new Untested('blocked', `no pet ${which}; add one, or fix the creation`)
}

/** @throws Untested where none is known */
export const someId = (context: Context): bigint => {
  const id = context.knownPets.someId()
  if (id === undefined) throw noPet(context, 'is known')
  return id
}

/** The status that the fewest known pets have, so that there are enough of each. */
export const scarcestStatus = ({ knownPets }: Context): (typeof statuses)[number] =>
  [...statuses].sort((a, b) => knownPets.count(a) - knownPets.count(b))[0] ?? statuses[0]

/** A request about a pet, with a key that knows the pet where not every key does. */
export const withKnowingKey = (
  { knownPets }: Pick<Context, 'knownPets'>,
  id: bigint,
  request: ApiRequest,
): ApiRequest => withKey(request, knownPets.isApart ? knownPets.knower(id) : undefined)

/**
 * Fetches a pet. If it is missing for a key that was never shown it, a key that was is used:
 * whether keys share their pets is open.
 */
export const fetchKnown = async (
  parts: Pick<Context, 'call' | 'knownPets'>,
  id: bigint,
): Promise<AnsweredExchange> => {
  const response = await parts.call(withKnowingKey(parts, id, getPet(id)))
  if (statusCode(response) !== 404 || parts.knownPets.isKnown(response.key, id)) return response
  const key = parts.knownPets.knower(id)
  return key === undefined ? response : parts.call(withKey(getPet(id), key))
}

/**
 * The pet of a creation that succeeded and does not show it: looked for in a list, by its name.
 * @returns undefined if the list does not have it
 */
export const findCreated = async (
  { call }: Pick<Context, 'call'>,
  creation: AnsweredExchange,
): Promise<JsonObject | undefined> => {
  const { name, status = 'available' } = sentObject(creation) ?? {}
  if (!isSuccess(creation) || typeof name !== 'string') return undefined
  const list = listPetsWith(`status=${encodeURIComponent(String(status))}&limit=100`)
  const listed = await call(withKey(list, creation.key))
  return petsIn(listed).find((pet) => pet.name === name && typeof pet.id === 'bigint')
}
