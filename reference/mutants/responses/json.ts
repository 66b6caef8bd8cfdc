// Faults in what every response must be: JSON of pets, and never a server error.

import type { ApiRequest } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { caughtBy, each, family, type Variant } from '../../variant.ts'
import {
  type Change,
  everyResponse,
  findOperation,
  onOperation,
  onStatus,
  readBody,
  readQuery,
  rewritingBody,
  serverError,
  withHeaders,
} from '../../wrappers/middleware.ts'
import { showing } from '../../wrappers/pet-store.ts'

/** Changes the successful responses of an operation. */
const served = (operation: OperationId, change: Change): Variant =>
  onOperation(operation, (response, request, parts) =>
    response.status < 300 ? change(response, request, parts) : response,
  )

/** Responds 500 to requests that pass the test. */
const failing = (test: (request: ApiRequest) => boolean): Variant =>
  everyResponse((response, request, parts) => {
    const isReached = response.status !== 401 && findOperation(request, parts) !== undefined
    return isReached && test(request) ? serverError(response) : response
  })

export const answerMutants = [
  ...caughtBy('body-media-type-json', {
    'answer-list-as-text': [
      'A list is sent as text/plain.',
      served('listPets', withHeaders({ 'Content-Type': 'text/plain; charset=utf-8' })),
    ],
    'answer-pet-in-vendor-type': [
      'A pet is sent as application/vnd.pet+json.',
      served('getPet', withHeaders({ 'Content-Type': 'application/vnd.pet+json' })),
    ],
    'answer-creation-without-type': [
      'A 201 has no Content-Type.',
      onStatus(201, (response) => {
        const { 'Content-Type': _type, ...headers } = response.headers
        return { ...response, headers }
      }),
    ],
  }),
  ...caughtBy('body-strict-json', {
    'answer-with-byte-order-mark': [
      'Bodies begin with a byte order mark.',
      served(
        'getPet',
        rewritingBody((body) => `\uFEFF${body}`),
      ),
    ],
    'answer-in-latin-1': [
      'Bodies are sent in Latin-1, not in UTF-8.',
      everyResponse((response) => ({ ...response, encoding: 'latin1' })),
    ],
    'answer-with-trailing-comma': [
      'The JSON of a pet has a trailing comma.',
      served(
        'getPet',
        rewritingBody((body) => body.replace(/}$/, ',}')),
      ),
    ],
  }),
  ...each({
    'answer-list-with-null': [
      'list-body-array',
      'A list with fewer pets than its limit is padded with null.',
      served('listPets', (response, request) =>
        readQuery(request).get('limit') === '100'
          ? rewritingBody((body) => body.replace(/([^[])\]$/, '$1,null]'))(response)
          : response,
      ),
    ],
    'answer-pet-status-reserved': [
      'pet-status-listed',
      'A fourth status, reserved, is used.',
      showing((pet) => ({ ...pet, status: pet.status === 'pending' ? 'reserved' : pet.status })),
    ],
  }),
  ...family(failing).caughtBy('answer-no-5xx', {
    'answer-500-for-huge-limit': [
      'A limit beyond int64 overflows the column type and gets 500.',
      (request) => /^\d{19,}$/.test(readQuery(request).get('limit') ?? ''),
    ],
    'answer-500-for-negative-limit': [
      'A negative limit reaches the database, which rejects it, and gets 500.',
      (request) => (readQuery(request).get('limit') ?? '').startsWith('-'),
    ],
    'answer-500-for-unknown-status': [
      'An unknown status fails the enum lookup and gets 500.',
      (request) => {
        const status = readQuery(request).get('status')
        return status !== null && !['available', 'pending', 'sold'].includes(status)
      },
    ],
    'answer-500-for-repeated-parameter': [
      'A repeated query parameter arrives as an array where a string is expected, and gets 500.',
      (request) =>
        [...new Set(readQuery(request).keys())].some(
          (name) => readQuery(request).getAll(name).length > 1,
        ),
    ],
    'answer-500-for-nul-in-name': [
      'A NUL character in a name is rejected by the database and gets 500.',
      (request) => readBody(request).includes('\\u0000'),
    ],
    'answer-500-for-media-type': [
      'A body of another media type is not parsed, and reading it gets 500.',
      (request) => {
        const isJson = (request.header('content-type') ?? '').includes('json')
        return request.method === 'POST' && !isJson
      },
    ],
    'answer-500-for-list-body': [
      'A JSON array as the body is read like an object and gets 500.',
      (request) => readBody(request).startsWith('['),
    ],
    'answer-500-for-id-no-integer': [
      'A petId that is not an integer makes the conversion throw, and gets 500.',
      ({ target }) => /\/pets\/[a-z]/.test(target),
    ],
  }),
  ...family(failing).caughtBy('list-query-other-answered', {
    'answer-500-for-escape-in-query': [
      'A percent-escape in the query makes hand-written decoding throw, and gets 500.',
      ({ target }) => /^[^?]*\/pets\?.*%/.test(target),
    ],
  }),
]
