// Requests with the response that each must get: alone, in a row or in a mixture. A wrong response
// is compared with that to the same request alone.

import { usableObject } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { isValidList } from '../../engine/check/control-request.ts'
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
import { bodyAt } from '../pets/carried.ts'
import { isPastRemoval } from '../pets/removal-date.ts'
import {
  createPet,
  getPet,
  getUnknown,
  type ListQuery,
  listPets,
  nameless,
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
export const carryingAt = (plain: Specimen, place: number, status = 'available'): Specimen => ({
  ...plain,
  request: (context) => createPet(bodyAt(context, place, { status })),
})

export const list = (query: ListQuery): Specimen => {
  const request = listPets(query)
  return specimen(`GET ${request.path}`, [200], () => request)
}

export const fetched = ({ id, exchange }: Creation): Specimen =>
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

export const keyless = specimen('a list without a key', [401], () =>
  unauthorized(listPets({ limit: 1 })),
)

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
