// The key comes too late: something else is looked at, and refused, before it.
import type { Variant } from '../compose.ts'
import type { Reading } from '../errors.ts'
import type { ApiRequest } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import type { Parts } from '../parts.ts'
import type { OperationId } from '../routes.ts'
import { onStatus, operationOf, petIdOf, replacedBy } from './over.ts'
import { bodyOf, queryOf } from './recognising-keys.ts'

type Read = (request: ApiRequest, parts: Parts) => Reading<unknown> | undefined

/** Looks at something of a request before its key, and refuses it for that. */
const before = (operation: OperationId, read: Read): Variant =>
  onStatus(401, (answer, request, parts) => {
    const found = operationOf(request, parts) === operation ? read(request, parts) : undefined
    if (found === undefined || !('refusal' in found)) return answer
    const { status, code, message } = found.refusal
    return replacedBy(status, code, message)(answer, request, parts)
  })

/** Refuses where the test finds a fault. */
const fault = (test: (request: ApiRequest) => boolean, status: number): Read => {
  const refusal = { status, code: 'bad_request', message: 'The request is not sound.' } as const
  return (request) => (test(request) ? { refusal } : undefined)
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const early = (what: string, operation: string, why: string, variant: Variant): Mutant => ({
  id: `auth-after-${what}`,
  breaks: 'auth.first',
  caughtBy: `auth-first-${what}-401`,
  fault: `${why} before the key of ${operation}.`,
  ...variant,
})

export const lateKeyMutants: readonly Mutant[] = [
  early(
    'limit-zero',
    'a list',
    'The limit is validated',
    before('listPets', (request, { readLimit }) => readLimit(queryOf(request).getAll('limit'))),
  ),
  early(
    'status-unknown',
    'a list',
    'The filter is validated',
    before('listPets', (request, { readStatus }) => readStatus(queryOf(request).getAll('status'))),
  ),
  early(
    'name-missing',
    'a creation',
    'The schema of the body is validated',
    before('createPet', (request, { readNewPet }) => readNewPet(request)),
  ),
  early(
    'json-truncated',
    'a creation',
    'The body is parsed by a middleware that runs',
    before(
      'createPet',
      fault((request) => !isJson(bodyOf(request)), 400),
    ),
  ),
  early(
    'body-missing',
    'a creation',
    'An empty body is refused',
    before(
      'createPet',
      fault((request) => bodyOf(request) === '', 400),
    ),
  ),
  early(
    'media-type-text',
    'a creation',
    'The media type is looked at',
    before(
      'createPet',
      fault(({ header }) => !/json/.test(header('content-type') ?? ''), 415),
    ),
  ),
  early(
    'id-unknown',
    'a fetch',
    'The animal is loaded by the router',
    before('getPet', (request, { readPetId, store }) => {
      const id = readPetId(petIdOf(request))
      if ('refusal' in id || store.get(id.value) !== undefined) return undefined
      return { refusal: { status: 404, code: 'not_found', message: 'There is no such animal.' } }
    }),
  ),
  early(
    'id-no-integer',
    'a fetch',
    'The route only matches digits, and so is looked for',
    before(
      'getPet',
      fault((request) => !/^\d+$/.test(petIdOf(request)), 404),
    ),
  ),
  early(
    'id-beyond-int64',
    'a fetch',
    'The id is converted',
    before('getPet', (request, { readPetId }) => readPetId(petIdOf(request))),
  ),
]
