// Requests that checks send to the three operations, and the pets of valid creations.

import type { Context } from '../../engine/check/context.ts'
import { findCreated, withKnowingKey } from '../../engine/check/control-request.ts'
import { usableObject } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  type Operation,
  post,
} from '../../history/exchange.ts'
import { isInt64, type JsonObject, printJson } from '../../history/json.ts'
import { Untested } from '../../history/outcome.ts'
import { type Draft, unlikelyIds } from './arbitraries.ts'
import { someId } from './compare-pets.ts'

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

/** A GET of an id that no pet has: a known id negated, or a large one by the seed. */
export const getUnknown = (context: Context): ApiRequest => {
  const { seen } = context.knownPets
  const near = [...seen.keys()].find(
    (known) => known !== 0n && isInt64(-known) && !seen.has(-known),
  )
  if (near !== undefined) return withKnowingKey(context, near, getPet(-near))
  return getPet(unlikelyIds(context.seed, 3).find((id) => !seen.has(id)) ?? 0n)
}

/** The operations, as the texts of checks name them. */
export const operationNames = {
  ...{ list: '`GET /pets`', create: '`POST /pets`', get: 'GET by id' },
} as const

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

export const creating = { stage: 'creations', allow: ['write'] } as const

/** The wanted category if every category is accepted, else a known one. */
const usable = ({ categories: { free, known, any } }: Context, wanted: bigint): bigint =>
  free ? wanted : (known[Number(wanted % BigInt(Math.max(1, known.length)))] ?? any)

export const makeBody = (context: Context, { tail, category, status }: Draft): JsonObject => ({
  name: `${context.names.fresh()} ${tail}`,
  categoryId: usable(context, category),
  ...(status !== null && { status }),
})

/**
 * The id of the pet of a creation, whose status is judged as that of any other.
 * @throws Untested (blocked) if the response has no pet with an id
 */
export const readMade = async (context: Context, response: AnsweredExchange): Promise<bigint> => {
  const id = usableObject(response)?.id ?? (await findCreated(context, response))?.id
  if (typeof id === 'bigint') return id
  throw new Untested('blocked', 'the response has no pet with an id', [response])
}

/** Creates a pet, likewise. */
export const made = async (context: Context, sent: JsonObject): Promise<bigint> => {
  await context.control('create')
  return readMade(context, await context.call(createPet(sent)))
}
