// Requests with the response that each must get: alone, in a row or in a mixture of every kind at
// the same time, each on its own connection. A wrong response is compared with that to the same
// request alone.

import { usableObject } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { isValidList } from '../../engine/check/control-request.ts'
import type { Needs } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  isSuccess,
  statusCode,
  takeKeyFrom,
  unauthorized,
} from '../../engine/check/exchange.ts'
import { describeResponse, violateAs } from '../../engine/check/expect.ts'
import { printJson } from '../../engine/check/json.ts'
import type { Creation } from '../../engine/check/known-pets.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Untested, type Wrong } from '../../engine/check/outcome.ts'
import { altered, keys } from '../authentication/spoil.ts'
import { shuffled } from '../pets/arbitraries.ts'
import { adopt, bodyAt } from '../pets/carried.ts'
import { ofMembers } from '../pets/claims.ts'
import { isPastRemoval } from '../pets/removal-date.ts'
import {
  createPet,
  getPet,
  getUnknown,
  type ListQuery,
  listPets,
  nameless,
  offer,
} from '../pets/requests.ts'
import { changedPet, type Misfit, otherEcho, otherId, otherList } from './judge-own-response.ts'

export interface Specimen {
  readonly name: string
  /** Creates a new request each time: no two creations have the same name. */
  readonly request: (context: Context) => ApiRequest
  readonly statuses: readonly number[]
}

const specimen = (
  name: string,
  statuses: readonly number[],
  request: Specimen['request'],
): Specimen => ({ name, statuses, request })

export const creation = (status?: string): Specimen => {
  const which = status === undefined ? 'without status' : `with status ${status}`
  return specimen(`a valid POST /pets ${which}`, [201], ({ newPet }) =>
    createPet(newPet(status === undefined ? {} : { status })),
  )
}

/** A specimen that carries the claims of other checks. */
const carryingAt = (plain: Specimen, place: number, status = 'available'): Specimen => ({
  ...plain,
  request: (context) => createPet(bodyAt(context, place, { status })),
})

export const list = (query: ListQuery): Specimen => {
  const request = listPets(query)
  return specimen(`GET ${request.path}`, [200], () => request)
}

const fetched = ({ id, exchange }: Creation): Specimen =>
  specimen('a GET of an existing pet', [200], () => takeKeyFrom(getPet(id), exchange))

export const unknown = specimen('a GET of an unknown id', [404], getUnknown)

export const invalid = specimen('a POST /pets without a name', [400], (context) =>
  createPet(nameless(context)),
)

/**
 * A server may take the missing member from an earlier creation; and since the body has more bytes
 * than characters, it may be cut at the wrong place.
 */
export const incomplete = specimen('a POST /pets without categoryId', [400], ({ names }) =>
  createPet({ name: `${names.fresh()} zarezervováno 🐾` }),
)

/** Above 1 MiB, the limit of many servers. */
const padding = ' '.repeat(1_250_000)

export const oversized = specimen(
  'a POST /pets of more than 1 MiB without a name',
  [400, 413],
  (context) => createPet(printJson(nameless(context)).replace('{', `{${padding}`)),
)

/** A server may refuse the method before it has read the body. */
export const replaced = specimen(
  'a PUT /pets',
  [...Array.from({ length: 100 }, (_, at) => 400 + at), 501],
  ({ newPet }) => ({ ...createPet(newPet()), method: 'PUT' }),
)

const keyless = specimen('a list without a key', [401], () => unauthorized(listPets({ limit: 1 })))

export const otherKey = specimen(
  'a POST /pets with a key that was never issued',
  [401],
  (context) => altered(keys.extended)(createPet(context.newPet()), context),
)

/** What checks of their own are about as well. */
export const offered: ReadonlySet<Specimen> = new Set([unknown, invalid, incomplete, replaced])

const isFetch = (response: AnsweredExchange): boolean => recognizeOperation(response) === 'get'

const notShaped = (expected: string, response: AnsweredExchange): Misfit => {
  return { expected, actual: describeResponse(response), wrong: { aspect: 'body', kind: expected } }
}

const contentMisfit = (context: Context, response: AnsweredExchange): Misfit | undefined => {
  const operation = recognizeOperation(response)
  if (operation === 'list') {
    if (!isValidList(response)) return notShaped('a list', response)
    return otherList(response, context)
  }
  if (!usableObject(response)) return notShaped('a pet', response)
  if (operation === 'create') return otherEcho(response)
  return otherId(response) ?? changedPet(response, context.knownPets)
}

/**
 * How a response does not fit its request, if it does not.
 * @throws Untested (blocked) for a 5xx, which violates another requirement
 */
export const findMisfit = (
  context: Context,
  { statuses }: Specimen,
  response: AnsweredExchange,
): Misfit | undefined => {
  const status = statusCode(response)
  if (status >= 500 && !statuses.includes(status))
    throw new Untested('blocked', `a request got ${describeResponse(response)}`, [response])
  if (isFetch(response) && isPastRemoval(response)) return undefined
  // Another success than the interface names fails its own check.
  const isUsual = isSuccess(response) && statuses.some((each) => each < 300)
  if (!isUsual && !statuses.includes(status)) {
    const expected = statuses.length > 2 ? 'a refusal' : `status ${statuses.join(' or ')}`
    return { expected, actual: describeResponse(response), wrong: { aspect: 'status' } }
  }
  return status < 300 ? contentMisfit(context, response) : undefined
}

/** Whatever is wrong with the response. */
export const unlikeAlone: Wrong = { aspect: 'behaviour', kind: 'unlike alone' }

/** Sends one request with nothing else in flight, on a new connection. */
const sendAlone = (context: Context, specimen: Specimen, like: AnsweredExchange) => {
  const request = specimen.request(context)
  const keyed = request.authorization === 'valid' ? takeKeyFrom(request, like) : request
  return context.call({ ...keyed, fresh: true })
}

/** Right after a refusal, which may clear state of an accepted request. */
const sendAfterRefusal = async (context: Context, specimen: Specimen, like: AnsweredExchange) => {
  const refused = context.allow.includes('write') ? invalid : unknown
  await sendAlone(context, refused, like)
  return sendAlone(context, specimen, like)
}

/**
 * Judges a response that does not fit its request. If the request alone does not get a valid
 * response either, that is another fault, which other checks report.
 * @param when what was sent before, or was in flight
 * @throws Violation if the request alone gets a valid response; Untested (blocked) if not
 */
export const judgeMisfit = async (
  context: Context,
  specimen: Specimen,
  response: AnsweredExchange,
  misfit: Misfit,
  when: string,
  before: readonly AnsweredExchange[] = [],
): Promise<never> => {
  let control = await sendAlone(context, specimen, response)
  if (findMisfit(context, specimen, control)) {
    control = await sendAfterRefusal(context, specimen, response)
  }
  if (findMisfit(context, specimen, control)) {
    const message = `${specimen.name} gets a wrong response when sent alone too`
    throw new Untested('blocked', `${message}, so no mix-up can be seen`, [control])
  }
  const expected = `${misfit.expected} for ${specimen.name}, as for the same request alone`
  const actual = `${misfit.actual}, ${when}`
  return violateAs(unlikeAlone, expected, actual, control, ...before, response)
}

export interface Sent {
  readonly specimen: Specimen
  readonly response: AnsweredExchange
}

/** Those without a place are equal; the others carry claims of other checks. */
const sentTogether: readonly (readonly [status: string | undefined, place?: number | undefined])[] =
  [
    ['available'],
    ['pending', ofMembers[0]],
    ['sold', ofMembers[1]],
    ['available'],
    ['sold', ofMembers[2]],
    [undefined],
  ]

export const carrying = new Map<Specimen, number>()

const creations = sentTogether.map(([status, place]) => {
  const plain = creation(status)
  if (place === undefined) return plain
  const carried = carryingAt(plain, place, status)
  carrying.set(carried, place)
  return carried
})

const equal = creations.filter(({ name }) => name.endsWith(' available'))

/** Similar requests are sent next to each other, since they are most easily mixed up. */
const lists = [list({ status: 'sold', limit: 1 }), list({ status: 'pending', limit: 100 })]
const refusals = [keyless, otherKey, invalid, unknown]

/** Two GETs, since a server may batch them and mix them up. */
const fetchesOf = ({ knownPets }: Context): Specimen[] => knownPets.creations.slice(-2).map(fetched)

export const mixed: Needs = {
  sharesEach: [
    ...[...carrying.values()].map((place) => `creation ${place}`),
    ...[invalid.name, unknown.name],
  ],
  stage: 'creations',
  keyed: creations.length + 6,
  anonymous: 2,
  allow: ['write'],
}

/** An empty list fits any query, so there must be a pet with each of these statuses. */
const listed = ['sold', 'pending']

/** Creations that are sent first, since no pet with their status is known. */
const firstOf = ({ knownPets }: Context): readonly Specimen[] =>
  listed
    .filter((status) => knownPets.count(status) === 0)
    .flatMap((status) => creations.find(({ name }) => name.endsWith(` ${status}`)) ?? [])

/** Two of the creations are equal, and must create two pets. */
const requestsOf = (specimens: readonly Specimen[], context: Context): readonly ApiRequest[] => {
  const requests = specimens.map(({ request }) => request(context))
  const [original, copy] = equal.map((specimen) => specimens.indexOf(specimen))
  const body = requests[original ?? 0]?.body ?? null
  return requests.map((request, at) => (at === copy ? { ...request, body } : request))
}

const sendAll = async (context: Context, seed: number): Promise<readonly Sent[]> => {
  const first = firstOf(context)
  const before = await Promise.all(first.map(({ request }) => context.call(request(context))))
  const [one, ...rest] = creations.filter((specimen) => !first.includes(specimen))
  const groups = [rest, lists, fetchesOf(context)].map((group) => shuffled(group, seed))
  const mixed = [...refusals, ...shuffled(groups, seed).flat()]
  // If the quota is used up, the first request waits for the reset, and the others follow it.
  const specimens = one ? [one, ...mixed] : mixed
  const responses = await context.together(requestsOf(specimens, context))
  const all = [...before, ...responses]
  const sent = [...first, ...specimens].map((specimen, at) => ({
    specimen,
    response: all[at] as AnsweredExchange,
  }))
  for (const { specimen, response } of sent) {
    const place = carrying.get(specimen)
    if (place !== undefined) await adopt(context, place, response)
    if (offered.has(specimen)) await offer(context, specimen.name, response)
  }
  return sent
}

export const mixture = async (context: Context): Promise<readonly Sent[]> => {
  await context.control('create')
  return sendAll(context, context.seed)
}
