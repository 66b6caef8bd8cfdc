// What checks send: requests of the three operations, creations that must be answered 201, and
// lists in which known pets are looked up.

import type { Context } from '../engine/context.ts'
import { type Answered, type ApiRequest, get, post, withKey } from '../engine/exchange.ts'
import { expectStatus, violate } from '../engine/expect.ts'
import { type JsonObject, printJson } from '../engine/json.ts'
import { Untested, Violation } from '../engine/outcome.ts'
import type { Draft } from './arbitraries.ts'
import { type IdentifiedPet, noneMatching, petsWithIds, petWithId } from './pets.ts'

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

/** @param query sent as it is, valid or not */
export const listPetsWith = (query: string): ApiRequest => get(`/pets?${query}`)

/** @param body an object is printed as JSON; text and bytes are sent as they are */
export const createPet = (body: JsonObject | string | Uint8Array | null): ApiRequest =>
  post('/pets', isText(body) ? body : printJson(body))

const isText = (
  body: JsonObject | string | Uint8Array | null,
): body is string | Uint8Array | null =>
  body === null || typeof body === 'string' || body instanceof Uint8Array

/** @param id an id, or raw text in its place */
export const getPet = (id: bigint | string): ApiRequest => get(`/pets/${id}`)

/** What leaves a check inconclusive whose control, a valid request of an operation, failed. */
export const controlFailed = {
  list: 'a valid list is not answered 200 (blocked)',
  create: 'a valid creation is not answered 201 (blocked)',
  get: 'the GET of an existing pet is not answered 200 (blocked)',
} as const

/** The same of a check that needs pets. */
export const noKnownPets = 'no suitable pet is known, and none may be created'

/** How a check explains that it sends a creation with one fault, or one that is open. */
export const oneCreation = (words: string): string =>
  `One creation ${words}, after a valid one was answered 201.`

/** How a check explains that it sends only a sample where requests are scarce; see Context. */
export const whenScarce =
  ', by the seed, in a run with neither a test clock nor a key on a plan larger than Free'

/** Names the request that failed, in a check that sends several of one kind. */
export const naming = (name: string, judge: () => void): void => {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violate(error.expected, `${error.actual} to ${name}`, ...error.evidence)
  }
}

export const creating = (keyed: number) =>
  ({ stage: 'creations', keyed, anonymous: 0, allow: ['write'] }) as const

/** Judges what other checks created; sends nothing itself. */
export const hindsight = {
  stage: 'reads',
  keyed: 0,
  anonymous: 0,
  allow: ['write'],
  made: 'creations',
} as const

/** The wanted category if any may be used, else a known one. */
const usable = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free || categories.known.length === 0) {
    return categories.free ? wanted : categories.any
  }
  const at = Number(wanted % BigInt(categories.known.length))
  return categories.known[at] ?? categories.any
}

export const bodyOf = (context: Context, { tail, category, status }: Draft): JsonObject => ({
  name: `${context.names.fresh()} ${tail}`,
  categoryId: usable(context, category),
  ...(status !== null && { status }),
})

export interface Made {
  readonly answer: Answered
  readonly pet: IdentifiedPet
}

/**
 * Creates a pet.
 * @throws Violation unless the valid body is answered 201
 * @throws Untested (blocked) if the 201 shows no pet with an id
 */
export const made = async (context: Context, sent: JsonObject): Promise<Made> => {
  await context.control('create')
  return madeBy(await context.call(createPet(sent)))
}

/** The same for a response that is already there. */
export const madeBy = (answer: Answered): Made => {
  expectStatus(answer, 201)
  return { answer, pet: petWithId(answer) }
}

export interface Listed {
  readonly answer: Answered
  readonly pets: readonly JsonObject[]
}

/** A list, and those of the wanted pets that its key must be shown. */
export interface ListedKnown extends Listed {
  readonly known: readonly bigint[]
}

const ask = async (context: Context, query: ListQuery, key: string | undefined) => {
  const answer = await context.call(withKey(listPets(query), key))
  expectStatus(answer, 200)
  return { answer, pets: petsWithIds(answer) }
}

/**
 * Requests a list in which these pets are looked up. If its key need not be shown any of them, a
 * key that knows them requests another: whether keys share their pets is open.
 * @throws Violation unless it is answered 200
 */
export const listedFor = async (
  context: Context,
  query: ListQuery,
  ids: readonly bigint[],
): Promise<ListedKnown> => {
  const { lists } = context.herd
  const withKnown = (found: Listed) => ({
    ...found,
    known: ids.filter((id) => lists.isKnown(found.answer.key, id)),
  })
  const found = withKnown(await ask(context, query, lists.chosen(ids)))
  if (found.known.length > 0 || ids.length === 0) return found
  return withKnown(await ask(context, query, lists.knower(ids)))
}

/** The same for all pets known to match before the list is seen. */
export const listedKnown = (context: Context, query: ListQuery): Promise<ListedKnown> =>
  listedFor(context, query, context.herd.matching(query.status))

/** The query of the longest list. */
export const longest = { limit: 100 }

/** The name under which checks share the first list of a query. */
export const sharedAs = (query: ListQuery): string => `the list ${listPets(query).path}`

/** `listedKnown`, sent once in a run for all checks that share it. */
export const listedOnce = (context: Context, query: ListQuery): Promise<ListedKnown> =>
  context.once(sharedAs(query), () => listedKnown(context, query))

/** The shared list first; when called again after a wait, a new one. */
export const firstOnce = (): typeof listedKnown => {
  let sent = 0
  return (context, query) => {
    sent += 1
    return sent === 1 ? listedOnce(context, query) : listedKnown(context, query)
  }
}

/** A list that is not empty: an empty one meets many requirements without testing them. */
export const listedSome = async (
  context: Context,
  query: ListQuery,
  ask = listedKnown,
): Promise<Listed> => {
  const found = await ask(context, query)
  if (found.pets.length > 0) return found
  if (found.known.length === 0) throw noneMatching(context, query.status)
  throw new Untested('blocked', 'the list is empty although pets are known', [found.answer])
}
