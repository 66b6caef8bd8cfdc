// Faults in what every answer must be: JSON of animals, and never a failure of the server.
import type { Variant } from '../compose.ts'
import type { ApiRequest } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import type { OperationId } from '../routes.ts'
import {
  type Change,
  everyAnswer,
  onOperation,
  onStatus,
  operationOf,
  replacedBy,
  withBody,
  withHeaders,
} from './over.ts'
import { everyPet, showing } from './over-animals.ts'
import { bodyOf, queryOf } from './recognising-keys.ts'

/** Changes what an operation answers where it is successful. */
const served = (operation: OperationId, change: Change): Variant =>
  onOperation(operation, (answer, request, parts) =>
    answer.status < 300 ? change(answer, request, parts) : answer,
  )

const json: readonly Mutant[] = [
  {
    id: 'answer-list-as-text',
    breaks: 'service.json',
    caughtBy: 'body-media-type-json',
    fault: 'A list is sent under the media type that the framework takes for strings.',
    ...served('listPets', withHeaders({ 'Content-Type': 'text/plain; charset=utf-8' })),
  },
  {
    id: 'answer-pet-in-vendor-type',
    breaks: 'service.json',
    caughtBy: 'body-media-type-json',
    fault: 'An animal is sent under a media type of its own.',
    ...served('getPet', withHeaders({ 'Content-Type': 'application/vnd.pet+json' })),
  },
  {
    id: 'answer-creation-without-type',
    breaks: 'service.json',
    caughtBy: 'body-media-type-json',
    fault: 'A creation is answered without a Content-Type.',
    ...onStatus(201, (answer) => {
      const { 'Content-Type': _type, ...headers } = answer.headers
      return { ...answer, headers }
    }),
  },
  {
    id: 'answer-with-byte-order-mark',
    breaks: 'service.json',
    caughtBy: 'body-strict-json',
    fault: 'The writer puts a byte order mark in front.',
    ...served('getPet', (answer) => ({ ...answer, body: `\uFEFF${answer.body}` })),
  },
  {
    id: 'answer-in-latin-1',
    breaks: 'service.json',
    caughtBy: 'body-strict-json',
    fault: 'Bodies are written in the encoding of the database.',
    ...everyAnswer((answer) => ({ ...answer, encoding: 'latin1' })),
  },
  {
    id: 'answer-with-trailing-comma',
    breaks: 'service.json',
    caughtBy: 'body-strict-json',
    fault: 'The animal is put together by a template that ends each member with a comma.',
    ...served('getPet', (answer) => ({ ...answer, body: answer.body.replace(/}$/, ',}') })),
  },
]

const animals: readonly Mutant[] = [
  {
    id: 'answer-list-enveloped',
    breaks: 'pets.array',
    caughtBy: 'list-body-array',
    fault: 'A page of the greatest length comes with its total around it.',
    ...served('listPets', (answer, request, parts) =>
      queryOf(request).get('limit') === '100'
        ? withBody('application/json', `{"items":${answer.body}}`)(answer, request, parts)
        : answer,
    ),
  },
  {
    id: 'answer-list-with-null',
    breaks: 'pets.array',
    caughtBy: 'list-body-array',
    fault: 'A page that is not full is filled up with nulls.',
    ...served('listPets', (answer, request) =>
      queryOf(request).get('limit') === '100'
        ? { ...answer, body: answer.body.replace(/([^[])\]$/, '$1,null]') }
        : answer,
    ),
  },
  {
    id: 'answer-list-unbounded',
    breaks: 'list.limit.maximum',
    caughtBy: 'list-length-most',
    fault: 'A limit beyond the maximum is taken as it is.',
    parts: ({ readLimit }) => ({
      readLimit: (values) =>
        Number(values[0]) > 100
          ? { value: Math.min(Number(values[0]), everyPet) }
          : readLimit(values),
    }),
  },
  {
    id: 'answer-pet-without-category',
    breaks: 'pet.fields',
    caughtBy: 'pet-fields',
    fault: 'An animal shows the name of its category only.',
    ...showing(({ categoryId, ...others }) => ({ ...others, category: `category ${categoryId}` })),
  },
  {
    id: 'answer-pet-id-text',
    breaks: 'pet.id.present',
    caughtBy: 'pet-id-int64',
    fault: 'Ids are strings, because scripts cannot hold them.',
    ...showing((pet) => ({ ...pet, id: String(pet.id) })),
  },
  {
    id: 'answer-pet-status-null',
    breaks: 'pet-status.values',
    caughtBy: 'pet-status-listed',
    fault: 'A status that is not for sale is shown as null.',
    ...showing((pet) => ({ ...pet, status: pet.status === 'sold' ? null : pet.status })),
  },
  {
    id: 'answer-pet-status-reserved',
    breaks: 'states.values',
    caughtBy: 'pet-state-known',
    fault: 'The shop knows a fourth state.',
    ...showing((pet) => ({ ...pet, status: pet.status === 'pending' ? 'reserved' : pet.status })),
  },
]

/** Fails where the test says so; the fault of a missing catch, a cast, a buffer. */
const failing = (test: (request: ApiRequest) => boolean): Variant =>
  everyAnswer((answer, request, parts) => {
    const isReached = answer.status !== 401 && operationOf(request, parts) !== undefined
    return isReached && test(request)
      ? replacedBy(500, 'internal', 'The service failed.')(answer, request, parts)
      : answer
  })

const failure = (what: string, fault: string, test: (request: ApiRequest) => boolean): Mutant => ({
  id: `answer-500-for-${what}`,
  breaks: 'service.no-server-error',
  caughtBy: 'answer-no-5xx',
  fault,
  ...failing(test),
})

const failures: readonly Mutant[] = [
  failure('huge-limit', 'A limit beyond int64 does not fit the column.', (request) =>
    /^\d{19,}$/.test(queryOf(request).get('limit') ?? ''),
  ),
  failure('negative-limit', 'The database refuses a negative LIMIT.', (request) =>
    (queryOf(request).get('limit') ?? '').startsWith('-'),
  ),
  failure('unknown-status', 'The name of an enum member is looked up and not found.', (request) => {
    const status = queryOf(request).get('status')
    return status !== null && !['available', 'pending', 'sold'].includes(status)
  }),
  failure('repeated-parameter', 'A list stands where a text was expected.', (request) =>
    [...new Set(queryOf(request).keys())].some((name) => queryOf(request).getAll(name).length > 1),
  ),
  {
    ...failure('escape-in-query', 'The query is decoded by hand, and that fails.', ({ target }) =>
      /^[^?]*\/pets\?.*%/.test(target),
    ),
    caughtBy: 'list-query-other-answered',
  },
  failure('nul-in-name', 'The database takes no NUL in a text.', (request) =>
    bodyOf(request).includes('\\u0000'),
  ),
  failure('deep-body', 'The parser recurses until the stack is spent.', (request) =>
    /[[{]{500}|("\w+":[[{]){500}/.test(bodyOf(request)),
  ),
  failure('media-type', 'Without a parser for the media type the body is undefined.', (request) => {
    const isJson = (request.header('content-type') ?? '').includes('json')
    return request.method === 'POST' && !isJson
  }),
  failure('list-body', 'The members of a list are read as those of an object.', (request) =>
    bodyOf(request).startsWith('['),
  ),
  failure('id-no-integer', 'The conversion of an id throws.', ({ target }) =>
    /\/pets\/[a-z]/.test(target),
  ),
]

export const answerMutants: readonly Mutant[] = [...json, ...animals, ...failures]
