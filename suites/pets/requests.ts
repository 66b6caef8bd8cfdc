// Requests that checks send to the three operations, and the pets of valid creations.

import type { Context } from '../../engine/check/context.ts'
import { fetchKnown, findCreated, withKnowingKey } from '../../engine/check/control-request.ts'
import type { Needs } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  isSuccess,
  post,
  statusCode,
} from '../../engine/check/exchange.ts'
import { expectMember, expectStatus, violateAs } from '../../engine/check/expect.ts'
import { isInt64, type JsonObject, printJson } from '../../engine/check/json.ts'
import { petsIn } from '../../engine/check/known-pets.ts'
import type { Operation } from '../../engine/check/operations.ts'
import { Untested, Violation } from '../../engine/check/outcome.ts'
import { type Draft, unlikelyIds } from './arbitraries.ts'
import { type IdentifiedPet, petWithId } from './compare-pets.ts'

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

/** A valid body but for its missing name. */
export const nameless = ({ newPet }: Context): JsonObject => {
  const { name: _, ...rest } = newPet()
  return rest
}

/** @param id a pet id, or any text */
export const getPet = (id: bigint | string): ApiRequest => get(`/pets/${id}`)

/** A GET of an id that no pet has: a known id negated, or a large one by the seed. */
export const getUnknown = (context: Context): ApiRequest => {
  const { seen } = context.knownPets
  const near = [...seen.keys()].find(
    (known) => known !== 0n && isInt64(-known) && !seen.has(-known),
  )
  if (near !== undefined) return withKnowingKey(context, near, getPet(-near))
  return getPet(unlikelyIds(context.seed, 3).find((id) => !seen.has(id)) ?? 0n)
}

const among = (name: string): string => `${name}, among other requests`

/** Offers the response to a request, sent among others, to the check that is about it. */
export const offer = (context: Context, name: string, response: AnsweredExchange) =>
  context.once(among(name), async () => response)

/** A response that was offered, if it is right; else that to the request alone, which counts. */
export const offeredOr = async (
  context: Context,
  name: string,
  isRight: (response: AnsweredExchange) => boolean,
  send: () => Promise<AnsweredExchange>,
): Promise<AnsweredExchange> => {
  const offered = await context.once(
    among(name),
    async (): Promise<AnsweredExchange | undefined> => undefined,
  )
  return offered && isRight(offered) ? offered : send()
}

/** Explains why a check is inconclusive when its control request, a valid one, fails. */
export const controlFailed = {
  list: 'a valid `GET /pets` does not return 200 (blocked)',
  create: 'a valid `POST /pets` does not return 201 (blocked)',
  get: 'a GET of an existing pet does not return 200 (blocked)',
} as const

/** The end of the declaration of a check that begins with a control request. */
export const afterControl = <T>(
  operation: Operation,
  run: (context: Context, control: AnsweredExchange) => Promise<T>,
) => ({
  inconclusive: controlFailed[operation],
  run: async (context: Context): Promise<T> => run(context, await context.control(operation)),
})

/** What several requests got: once if it is the same, else with what each of them was. */
export const recordEach = async <T>(
  all: readonly T[],
  outcomeOf: (each: T) => Promise<readonly [name: string, outcome: string]>,
): Promise<string> => {
  const found: (readonly [string, string])[] = []
  for (const each of all) found.push(await outcomeOf(each))
  const outcomes = new Set(found.map(([, outcome]) => outcome))
  return outcomes.size === 1
    ? [...outcomes].join()
    : found.map((each) => each.join(': ')).join('; ')
}

/** Of an observation that records the status of one response. */
export const recordsStatus = (
  operation: Operation,
  request: (context: Context, control: AnsweredExchange) => ApiRequest,
) => ({
  records: 'The status.',
  ...afterControl(operation, async (context, control) =>
    String(statusCode(await context.call(request(context, control)))),
  ),
})

/** Explains why a check that needs pets is inconclusive. */
export const noKnownPets = 'no suitable pet is known, and none may be created'

/** The `sends` text of a check that sends one creation, with one fault or one open question. */
export const oneCreation = (words: string): string =>
  `One \`POST /pets\` ${words}, after a valid one that returned 201.`

/** Ends the `sends` text of a check that sends only a sample when requests are scarce. */
export const whenScarce = ' if there is neither a test clock nor a key on a plan larger than Free'

/** Adds to a violation which of several requests failed. */
export const naming = (name: string, judge: () => void): void => {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const { wrong, expected, actual, evidence } = error
    violateAs(wrong, expected, `${actual} for ${name}`, ...evidence)
  }
}

export const creating = (keyed: number) =>
  ({ stage: 'creations', keyed, anonymous: 0, allow: ['write'] }) as const

/** Requests that may crash the target, or leave a pet that its lists fail at, come late. */
export const asHazard = <One extends { readonly needs: Needs }>(one: One): One => ({
  ...one,
  needs: { ...one.needs, stage: 'hazards' },
})

/** For checks that judge what other checks created, and send no requests. */
export const hindsight = {
  stage: 'reads',
  keyed: 0,
  anonymous: 0,
  allow: ['write'],
  made: 'creations',
} as const

/** The wanted category if every category is accepted, else a known one. */
const usable = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free || categories.known.length === 0) {
    return categories.free ? wanted : categories.any
  }
  const at = Number(wanted % BigInt(categories.known.length))
  return categories.known[at] ?? categories.any
}

export const makeBody = (context: Context, { tail, category, status }: Draft): JsonObject => ({
  name: `${context.names.fresh()} ${tail}`,
  categoryId: usable(context, category),
  ...(status !== null && { status }),
})

interface Made {
  readonly response: AnsweredExchange
  readonly pet: IdentifiedPet
}

/**
 * The pet of a creation.
 * @throws Violation unless the valid body was accepted; `create-sound-201` judges the status
 * @throws Untested (blocked) if the response has no pet with an id
 */
export const readMade = async (context: Context, response: AnsweredExchange): Promise<Made> => {
  if (!isSuccess(response) || petsIn(response).some(({ id }) => typeof id === 'bigint')) {
    return madeBy(response)
  }
  const id = (await findCreated(context, response))?.id
  return typeof id === 'bigint' ? { response, pet: { id } } : madeBy(response)
}

/** Creates a pet, likewise. */
export const made = async (context: Context, sent: JsonObject): Promise<Made> => {
  await context.control('create')
  return readMade(context, await context.call(createPet(sent)))
}

/**
 * A creation succeeds with 201, or as the control request did: `create-sound-201` reports another
 * status once.
 */
export const expectCreated = async (
  { control }: Context,
  response: AnsweredExchange,
): Promise<void> => {
  if (isSuccess(response) && statusCode(response) === statusCode(await control('create'))) return
  expectStatus(response, 201)
}

/** The pet of a creation whose response was received. */
export const madeBy = (response: AnsweredExchange): Made => {
  if (!isSuccess(response)) expectStatus(response, 201)
  return { response, pet: petWithId(response) }
}

/**
 * Expects a member of a creation as it was sent. Where the response lacks it, which `pet-fields`
 * reports, the pet is fetched.
 */
export const expectKeptBy = async (
  context: Context,
  { pet, response }: Made,
  sent: JsonObject,
  member: string,
): Promise<void> => {
  const wanted = sent[member] ?? null
  if (member in pet) return expectMember(pet, member, wanted, response)
  const fetched = await fetchKnown(context, pet.id)
  const found = petWithId(fetched)
  if (found.id !== pet.id) {
    const message = `GET /pets/${pet.id} shows another pet, ${found.id}`
    throw new Untested('blocked', message, [response, fetched])
  }
  expectMember(found, member, wanted, response, fetched)
}

/** Creates a pet, and expects a member of it as it was sent. */
export const expectKept = async (
  context: Context,
  sent: JsonObject,
  member: string,
): Promise<void> => expectKeptBy(context, await made(context, sent), sent, member)
