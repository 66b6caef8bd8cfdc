// Faults in what every response must be: JSON of pets, and never a server error.
import type { Variant } from '../../compose.ts'
import type { ApiRequest } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import type { OperationId } from '../../routes.ts'
import { allPets, showing } from '../../seams/pets.ts'
import {
  bodyOf,
  type Change,
  everyResponse,
  onOperation,
  onStatus,
  operationOf,
  queryOf,
  replacedBy,
  withBody,
  withHeaders,
} from '../../seams/responses.ts'

/** Changes what an operation answers where it is successful. */
const served = (operation: OperationId, change: Change): Variant =>
  onOperation(operation, (answer, request, parts) =>
    answer.status < 300 ? change(answer, request, parts) : answer,
  )

/** Fails where the test says so; the fault of a missing catch, a cast, a buffer. */
const failing = (test: (request: ApiRequest) => boolean): Variant =>
  everyResponse((answer, request, parts) => {
    const isReached = answer.status !== 401 && operationOf(request, parts) !== undefined
    return isReached && test(request)
      ? replacedBy(500, 'internal', 'The service failed.')(answer, request, parts)
      : answer
  })

const failure = (what: string, fault: string, test: (request: ApiRequest) => boolean): Mutant => ({
  id: `answer-500-for-${what}`,
  caughtBy: 'answer-no-5xx',
  fault,
  ...failing(test),
})

export const answerMutants: readonly Mutant[] = [
  ...caughtBy('body-media-type-json', [
    [
      'answer-list-as-text',
      'A list is sent under the media type that the framework takes for strings.',
      served('listPets', withHeaders({ 'Content-Type': 'text/plain; charset=utf-8' })),
    ],
    [
      'answer-pet-in-vendor-type',
      'An animal is sent under a media type of its own.',
      served('getPet', withHeaders({ 'Content-Type': 'application/vnd.pet+json' })),
    ],
    [
      'answer-creation-without-type',
      'A creation is answered without a Content-Type.',
      onStatus(201, (answer) => {
        const { 'Content-Type': _type, ...headers } = answer.headers
        return { ...answer, headers }
      }),
    ],
  ]),
  ...caughtBy('body-strict-json', [
    [
      'answer-with-byte-order-mark',
      'The writer puts a byte order mark in front.',
      served('getPet', (answer) => ({ ...answer, body: `\uFEFF${answer.body}` })),
    ],
    [
      'answer-in-latin-1',
      'Bodies are written in the encoding of the database.',
      everyResponse((answer) => ({ ...answer, encoding: 'latin1' })),
    ],
    [
      'answer-with-trailing-comma',
      'The animal is put together by a template that ends each member with a comma.',
      served('getPet', (answer) => ({ ...answer, body: answer.body.replace(/}$/, ',}') })),
    ],
  ]),
  ...caughtBy('list-body-array', [
    [
      'answer-list-enveloped',
      'A page of the greatest length comes with its total around it.',
      served('listPets', (answer, request, parts) =>
        queryOf(request).get('limit') === '100'
          ? withBody('application/json', `{"items":${answer.body}}`)(answer, request, parts)
          : answer,
      ),
    ],
    [
      'answer-list-with-null',
      'A page that is not full is filled up with nulls.',
      served('listPets', (answer, request) =>
        queryOf(request).get('limit') === '100'
          ? { ...answer, body: answer.body.replace(/([^[])\]$/, '$1,null]') }
          : answer,
      ),
    ],
  ]),
  {
    id: 'answer-list-unbounded',
    caughtBy: 'list-length-most',
    fault: 'A limit beyond the maximum is taken as it is.',
    parts: ({ readLimit }) => ({
      readLimit: (values) =>
        Number(values[0]) > 100
          ? { value: Math.min(Number(values[0]), allPets) }
          : readLimit(values),
    }),
  },
  {
    id: 'answer-pet-without-category',
    caughtBy: 'pet-fields',
    fault: 'An animal shows the name of its category only.',
    ...showing(({ categoryId, ...others }) => ({ ...others, category: `category ${categoryId}` })),
  },
  {
    id: 'answer-pet-id-text',
    caughtBy: 'pet-id-int64',
    fault: 'Ids are strings, because scripts cannot hold them.',
    ...showing((pet) => ({ ...pet, id: String(pet.id) })),
  },
  {
    id: 'answer-pet-status-null',
    caughtBy: 'pet-status-listed',
    fault: 'A status that is not for sale is shown as null.',
    ...showing((pet) => ({ ...pet, status: pet.status === 'sold' ? null : pet.status })),
  },
  {
    id: 'answer-pet-status-reserved',
    caughtBy: 'pet-state-known',
    fault: 'The shop knows a fourth state.',
    ...showing((pet) => ({ ...pet, status: pet.status === 'pending' ? 'reserved' : pet.status })),
  },
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
