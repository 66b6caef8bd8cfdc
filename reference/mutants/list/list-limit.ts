// Faults of the list: its limit, its default, its form.

import { refuse } from '../../message.ts'
import { defaultLimit } from '../../routes.ts'
import { caughtBy, family, type Mutant, replacing, type Variant } from '../../variant.ts'
import { everyResponse, replacedBy } from '../../wrappers/middleware.ts'
import { allPets, listing, onCall, onResponse } from '../../wrappers/pet-store.ts'

/** Reads the limit in another way; undefined keeps what the reference reads. */
const readingLimit = (change: (text: string | undefined) => number | undefined): Variant =>
  replacing('readLimit', ({ readLimit }, values) => {
    const value = change(values[0])
    return value === undefined ? readLimit(values) : { value }
  })

const refusingLimit = (limit: string): Variant =>
  replacing('readLimit', ({ readLimit }, values) =>
    values[0] === limit
      ? refuse(400, 'invalid_parameter', 'limit is out of bounds.')
      : readLimit(values),
  )

/** An invalid limit that lists all pets. */
const unlimitedFor = (wrong: RegExp): Variant =>
  readingLimit((text) => (text !== undefined && wrong.test(text) ? allPets : undefined))

const emptyBody = '[]'

/** Changes the response with an empty list. */
const whenEmpty = (status: number, body: string): Variant =>
  onResponse('listPets', 200, (response) =>
    response.body === emptyBody ? { ...response, status, body } : response,
  )

export const listMutants = [
  ...caughtBy('list-limit-most', {
    'list-limit-one-more': [
      'One pet more than the limit is listed.',
      listing((_pets, { status, limit, store }) => store.list(status, limit + 1)),
    ],
    'list-limit-ignored': [
      'The limit is validated and then ignored.',
      listing((_pets, { status, store }) => store.list(status, defaultLimit)),
    ],
  }),
  ...caughtBy('list-limit-no-fewer', {
    'list-limit-one-short': [
      'The last pet of a list is missing.',
      listing((pets, { limit }) => (pets.length === limit && limit > 1 ? pets.slice(0, -1) : pets)),
    ],
    'list-limit-capped-at-50': [
      'A list never has more than 50 pets, whatever `limit` says.',
      listing((pets) => pets.slice(0, 50)),
    ],
    'list-page-repeats-an-animal': [
      'The last pet of a list repeats the first one.',
      listing((pets) => (pets.length > 1 ? [...pets.slice(0, -1), ...pets.slice(0, 1)] : pets)),
    ],
    'list-limit-1-empty': [
      'limit=1 returns an empty list.',
      listing((pets, { limit }) => (limit === 1 ? [] : pets)),
    ],
  }),
  ...caughtBy('list-limit-bounds-200', {
    'list-limit-1-refused': ['limit=1 is refused.', refusingLimit('1')],
    'list-limit-100-refused': ['limit=100 is refused.', refusingLimit('100')],
  }),
  ...caughtBy('list-no-query-200', {
    'list-206-when-cut': [
      'A list without a query that the default limit cuts gets 206 instead of 200.',
      onCall('listPets', (response, { query }) =>
        query.size === 0 && JSON.parse(response.body).length === defaultLimit
          ? { ...response, status: 206 }
          : response,
      ),
    ],
  }),
  ...caughtBy('list-sound-200', {
    'list-partial-content': [
      'A list with a limit gets 206 instead of 200.',
      onCall('listPets', (response, { query }) =>
        query.has('limit') && response.status === 200 ? { ...response, status: 206 } : response,
      ),
    ],
    'list-204-when-empty': ['An empty list gets 204 instead of 200.', whenEmpty(204, '')],
  }),
  ...caughtBy('list-accept-several-200', {
    'list-any-media-type-refused': [
      'Of Accept only `application/json` is understood, not a range that includes it.',
      everyResponse((response, { header }) =>
        /^$|application\/json/.test(header('accept') ?? '')
          ? response
          : replacedBy(406, 'not_acceptable', 'Only JSON is available.')(response),
      ),
    ],
  }),
  ...[10, 19, 21, 50, 100].map(
    (limit): Mutant => ({
      id: `list-default-${limit}`,
      caughtBy: limit < 20 ? 'list-limit-no-fewer' : 'list-limit-default',
      fault: `The default limit is ${limit} instead of 20.`,
      ...readingLimit((text) => (text === undefined ? limit : undefined)),
    }),
  ),
  ...family(unlimitedFor).caughtBy('list-length-most', {
    'list-limit-zero-is-all': ['limit=0 lists all pets.', /^0$/],
    'list-limit-negative-is-all': ['A negative limit lists all pets.', /^-[1-9]\d*$/],
    'list-limit-101-taken': ['limit=101 is accepted.', /^101$/],
    'list-limit-text-is-all': ['A limit that is not a number lists all pets.', /^[a-z]+$/i],
    'list-limit-blank-is-all': ['A blank limit lists all pets.', /^$/],
  }),
  ...caughtBy('list-body-array', {
    'list-in-envelope': [
      'The list is wrapped in an object.',
      onResponse('listPets', 200, ({ body, ...response }) => ({
        ...response,
        body: `{"data":${body}}`,
      })),
    ],
    'list-of-one-without-array': [
      'A list of one pet is printed without the array.',
      onResponse('listPets', 200, (response) => {
        const one = /^\[(\{[^{}]*\})\]$/.exec(response.body)?.[1]
        return { ...response, body: one ?? response.body }
      }),
    ],
    'list-null-when-empty': ['An empty list is printed as null.', whenEmpty(200, 'null')],
  }),
  ...caughtBy('smoke-list-200', {
    'list-404-when-empty': [
      'An empty list gets 404 instead of 200.',
      onResponse('listPets', 200, (response, { error }) =>
        response.body === emptyBody ? error(404, 'not_found', 'There are no pets.') : response,
      ),
    ],
  }),
]
