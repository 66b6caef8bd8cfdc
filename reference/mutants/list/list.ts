// Faults of the list: its limit, its default, its form, the status filter, what it finds, and what
// it shows of a pet.

import { defaultLimit } from '../../routes.ts'
import { caughtBy, each, family, replacing, type Variant } from '../../variant.ts'
import { receiving } from '../../wrappers/middleware.ts'
import {
  allPets,
  listing,
  type Members,
  onBody,
  onCall,
  onResponse,
  refusingCalls,
  rewritingPets,
  rounding,
} from '../../wrappers/pet-store.ts'

/** Reads the limit in another way; undefined keeps what the reference reads. */
const readingLimit = (change: (text: string | undefined) => number | undefined): Variant =>
  replacing('readLimit', ({ readLimit }, values) => {
    const value = change(values[0])
    return value === undefined ? readLimit(values) : { value }
  })

const refusingLimit = (limit: string): Variant =>
  refusingCalls('listPets', 400, ({ query }) => query.get('limit') === limit)

/** Lists are kept for ten seconds, by their limit alone; a creation empties the cache. */
const cachedByLimit: Variant = {
  handle: (honest, { clock }) => {
    const held = new Map<string, { body: string; untilMs: number }>()
    return async (request) => {
      if (request.method === 'POST') held.clear()
      const limit = /^\/v1\/pets(?:\?(?:.*&)?limit=(\d+))?/.exec(request.target)?.[1] ?? ''
      const isList = request.method === 'GET' && /^\/v1\/pets(?:\?|$)/.test(request.target)
      const known = held.get(limit)
      const response = await honest(request)
      if (!isList || response.status !== 200) return response
      if (known && clock.now() < known.untilMs) return { ...response, body: known.body }
      held.set(limit, { body: response.body, untilMs: clock.now() + 10_000 })
      return response
    }
  },
}

const unlimitedFor = (wrong: RegExp): Variant =>
  readingLimit((text) => (text !== undefined && wrong.test(text) ? allPets : undefined))

const emptyBody = '[]'

const whenEmpty204 = onResponse('listPets', 200, (response) =>
  response.body === emptyBody ? { ...response, status: 204, body: '' } : response,
)

const printed = family((change: (body: string) => string) => onBody('listPets', change), 'A list')

const listed = family(
  (change: (pet: Members) => Members) => onResponse('listPets', 200, rewritingPets(change)),
  'Lists',
)

const shortName = (pet: Members) => ({ ...pet, name: String(pet.name).slice(0, 12) })

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
    'list-default-100': [
      'The default limit is 100 instead of 20.',
      readingLimit((text) => (text === undefined ? 100 : undefined)),
    ],
    'filter-hides-limit-behind-it': [
      'limit is only read as the first query parameter.',
      receiving(({ target }) => ({ target: target.replace(/&limit=\d+/, '') })),
    ],
  }),
  ...caughtBy('list-limit-no-fewer', {
    'list-limit-one-short': [
      'The last pet of a list is missing.',
      listing((pets, { limit }) => (pets.length === limit && limit > 1 ? pets.slice(0, -1) : pets)),
    ],
    'list-limit-capped-at-50': ['No list exceeds 50 pets.', listing((pets) => pets.slice(0, 50))],
    'list-page-repeats-an-animal': [
      'The last pet of a list repeats the first one.',
      listing((pets) => (pets.length > 1 ? [...pets.slice(0, -1), ...pets.slice(0, 1)] : pets)),
    ],
    'list-limit-1-empty': [
      'limit=1 returns an empty list.',
      listing((pets, { limit }) => (limit === 1 ? [] : pets)),
    ],
    'filter-after-limit': [
      'The limit is applied before the filter, so filtered pages are short.',
      listing((_pets, { status, limit, store }) =>
        store.list(undefined, limit).filter((pet) => status === undefined || pet.status === status),
      ),
    ],
    'filter-sold-misses-oldest': [
      'status=sold misses the first sold pet.',
      listing((pets, { status, store }) => {
        const oldest = store.list('sold', allPets).at(-1)
        return status === 'sold' ? pets.filter((pet) => pet !== oldest) : pets
      }),
    ],
  }),
  ...caughtBy('list-limit-bounds-200', {
    'list-limit-1-refused': ['limit=1 is refused.', refusingLimit('1')],
    'list-limit-100-refused': ['limit=100 is refused.', refusingLimit('100')],
  }),
  ...caughtBy('list-valid-200', {
    'list-partial-content': [
      'A list with a limit gets 206 instead of 200.',
      onCall('listPets', (response, { query }) =>
        query.has('limit') && response.status === 200 ? { ...response, status: 206 } : response,
      ),
    ],
    'filter-refused-with-limit': [
      'limit and status together are refused.',
      refusingCalls('listPets', 400, ({ query }) => query.size > 1),
      { condition: 'with a limit and a status' },
    ],
  }),
  ...family(unlimitedFor).caughtBy('list-limit-most', {
    'list-limit-zero-is-all': ['limit=0 lists all pets.', /^0$/],
    'list-limit-negative-is-all': ['A negative limit lists all pets.', /^-[1-9]\d*$/],
    'list-limit-101-taken': ['limit=101 is accepted.', /^101$/],
    'list-limit-text-is-all': ['A limit that is not a number lists all pets.', /^[a-z]+$/i],
    'list-limit-blank-is-all': ['A blank limit lists all pets.', /^$/],
  }),
  ...printed.caughtBy('list-body-array', {
    'list-in-envelope': ['is wrapped in an object', (body) => `{"data":${body}}`],
    'list-of-one-without-array': [
      'of one pet is printed without the array',
      (body) => body.replace(/^\[(\{[^{}]*\})\]$/, '$1'),
    ],
    'list-null-when-empty': ['is null if it is empty', (body) => body.replace(/^\[\]$/, 'null')],
    'answer-list-with-null': ['ends with null', (body) => body.replace(/([^[])\]$/, '$1,null]')],
  }),
  ...each({
    'list-204-when-empty @ status-due': ['An empty list gets 204 instead of 200.', whenEmpty204],
    'filter-drops-limit @ list-limit-most': [
      'With a filter the limit is ignored.',
      listing((pets, { status, store }) => (status ? store.list(status, defaultLimit) : pets)),
    ],
    'filter-pending-refused @ list-status-pending-200': [
      'status=pending is refused.',
      refusingCalls('listPets', 400, ({ query }) => query.get('status') === 'pending'),
    ],
    'list-default-shows-short-names @ list-each-as-created': [
      'GET /pets without parameters is cached with names cut to 12 characters.',
      onCall('listPets', (response, { query }) =>
        query.size > 0 ? response : rewritingPets(shortName)(response),
      ),
    ],
    'list-206-when-cut @ list-no-query-200': [
      'A list without a query that the default limit cuts gets 206 instead of 200.',
      onCall('listPets', (response, { query }) =>
        query.size === 0 && JSON.parse(response.body).length === defaultLimit
          ? { ...response, status: 206 }
          : response,
      ),
    ],
    'list-any-media-type-refused @ list-accept-several-200': [
      'Of Accept only `application/json` is understood, not a range that includes it.',
      refusingCalls(
        'listPets',
        406,
        ({ request }) => !/^$|application\/json/.test(request.header('accept') ?? ''),
      ),
    ],
    'list-404-when-empty @ smoke-list-200': [
      'An empty list gets 404 instead of 200.',
      refusingCalls('listPets', 404, (_call, { body }) => body === emptyBody),
    ],
    'lists-cached-by-limit @ list-each-filtered': [
      'Lists are kept for ten seconds by their limit, whatever their filter is.',
      cachedByLimit,
      { condition: 'whose body it repeats' },
    ],
  }),
  ...family(listing, 'The status filter').caughtBy('list-each-filtered', {
    'filter-ignored': ['is ignored', (_pets, { limit, store }) => store.list(undefined, limit)],
    'filter-pending-lets-sold-through': [
      'lets sold pets through for status=pending',
      (pets, { status, limit, store }) => {
        if (status !== 'pending') return pets
        const others = store.list(undefined, allPets).filter((pet) => pet.status !== 'available')
        return others.slice(0, limit)
      },
    ],
    'filter-sold-pending-swapped': [
      'takes sold for pending, and pending for sold',
      (pets, { status, limit, store }) => {
        if (status === 'sold') return store.list('pending', limit)
        return status === 'pending' ? store.list('sold', limit) : pets
      },
    ],
  }),
  ...listed.caughtBy('list-each-as-created', {
    'list-shows-short-names': ['cut names to 12 characters', shortName],
    'list-lacks-status': ['leave out the status', ({ status, ...pet }) => pet],
    'list-rounds-categories': ['round categoryId to a double', rounding('categoryId')],
  }),
  ...listed.caughtBy('pet-fields', {
    'list-lacks-category': ['leave out categoryId', ({ categoryId, ...pet }) => pet],
  }),
]
