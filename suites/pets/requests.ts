// Requests that the suites make of what a run knows: its categories, statuses and ids.

import type { Context } from '../../engine/check/context.ts'
import { createPet, findCreated, getPet, withKnowingKey } from '../../engine/check/requests.ts'
import { usableObject } from '../../history/body.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { isInt64, type JsonObject } from '../../history/json.ts'
import { Untested } from '../../history/outcome.ts'
import { statuses } from '../../model/read-body.ts'
import { type Draft, unlikelyIds } from './arbitraries.ts'

/** A GET of an id that no pet has: a known id negated, or a large one by the seed. */
export const getUnknown = (context: Context): ApiRequest => {
  const { seen } = context.knownPets
  const near = [...seen.keys()].find(
    (known) => known !== 0n && isInt64(-known) && !seen.has(-known),
  )
  if (near !== undefined) return withKnowingKey(context, near, getPet(-near))
  return getPet(unlikelyIds(context.seed, 3).find((id) => !seen.has(id)) ?? 0n)
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

/** So many pets of a status show what its filter does. */
const enoughToFilter = 3

/**
 * A status that the target has accepted. All pets beyond a few of each have one, so that early in a
 * run its list is already longer than the default limit.
 */
export const acceptedStatus = ({ knownPets }: Context): (typeof statuses)[number] => {
  const accepted = new Set(knownPets.creations.map(({ sent }) => sent.status))
  const known = statuses.filter((status) => accepted.has(status))
  const scarce = known.find((status) => knownPets.count(status) < enoughToFilter)
  return scarce ?? known.find((status) => status === 'pending') ?? known[0] ?? statuses[0]
}

/** The wanted category if every category is accepted, else a known one beyond 2^31. */
export const longCategory = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free) return wanted
  const long = categories.known.filter((id) => id >= 2n ** 31n)
  const found = long[Number(wanted % BigInt(Math.max(1, long.length)))]
  if (found !== undefined) return found
  const message =
    'unknown categories are refused; configure existing ones beyond 2^31 and 2^53 (--category ID)'
  throw new Untested('category', message)
}
