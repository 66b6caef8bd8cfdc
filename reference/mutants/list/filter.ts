// Faults of the status filter, of what a list finds, and of what it shows of a pet.

import { refuse } from '../../message.ts'
import { defaultLimit } from '../../routes.ts'
import type { Pet } from '../../store.ts'
import { each, family, replacing, type Variant } from '../../variant.ts'
import {
  allPets,
  inStore,
  knowingBare,
  listing,
  type Members,
  onCall,
  onResponse,
  rewritingPets,
  rounding,
  storeWith,
} from '../../wrappers/pet-store.ts'

/** Applies another limit than the one that was sent. */
const limitedTo = (limit: number, isMeant: (query: URLSearchParams) => boolean): Variant =>
  onCall('listPets', (response, { query }, { store, readStatus, printPet }) => {
    const status = readStatus(query.getAll('status'))
    if (response.status !== 200 || !isMeant(query)) return response
    const pets = 'value' in status ? store.list(status.value, limit) : []
    return { ...response, body: `[${pets.map(printPet).join(',')}]` }
  })

/** Changes the pets in lists only. */
const listed = family(
  (change: (pet: Members) => Members) => onResponse('listPets', 200, rewritingPets(change)),
  'Lists',
)

const shortName = (pet: Members) => ({ ...pet, name: String(pet.name).slice(0, 12) })

export const filterMutants = [
  ...each({
    'filter-ignored': [
      'list-each-filtered',
      'The status filter is validated and then ignored.',
      listing((_pets, { limit, store }) => store.list(undefined, limit)),
    ],
    'filter-pending-lets-sold-through': [
      'list-each-filtered',
      'status=pending also lists sold pets.',
      listing((pets, { status, limit, store }) =>
        status === 'pending'
          ? store
              .list(undefined, allPets)
              .filter((pet) => pet.status !== 'available')
              .slice(0, limit)
          : pets,
      ),
    ],
    'filter-sold-pending-swapped': [
      'list-each-filtered',
      'status=sold and status=pending are swapped.',
      listing((pets, { status, limit, store }) => {
        if (status === 'sold') return store.list('pending', limit)
        return status === 'pending' ? store.list('sold', limit) : pets
      }),
    ],
    'filter-after-limit': [
      'list-limit-no-fewer',
      'The limit is applied before the filter, so filtered pages are short.',
      listing((_pets, { status, limit, store }) =>
        store.list(undefined, limit).filter((pet) => status === undefined || pet.status === status),
      ),
    ],
    'list-limit-second-unchecked': [
      'list-length-most',
      'Of two limits the first is validated, and the last is used.',
      onCall('listPets', (response, { query }, { store, printPet }) => {
        const [first, last] = query.getAll('limit').map(Number)
        if (first === undefined || last === undefined || first < 1 || first > 100) return response
        const pets = store.list(undefined, last)
        return { ...response, status: 200, body: `[${pets.map(printPet).join(',')}]` }
      }),
    ],
    'filter-drops-limit': [
      'walk-valid-served',
      'With a filter the limit is ignored.',
      listing((pets, { status, store }) => (status ? store.list(status, defaultLimit) : pets)),
    ],
    'filter-drops-default': [
      'list-limit-default',
      'With a filter the default limit of 20 is not applied.',
      limitedTo(allPets, (query) => query.has('status') && !query.has('limit')),
    ],
    'filter-hides-limit-behind-it': [
      'list-limit-most',
      'limit is only read as the first query parameter.',
      limitedTo(defaultLimit, (query) => [...query.keys()].indexOf('limit') > 0),
    ],
    'filter-of-pending-one-more': [
      'list-limit-most',
      'With status=pending one pet too many is listed.',
      listing((pets, { status, limit, store }) =>
        status === 'pending' ? store.list(status, limit + 1) : pets,
      ),
    ],
    'filter-refused-with-limit': [
      'list-sound-200',
      'limit and status together are refused.',
      onCall('listPets', (response, { query }, { error }) =>
        query.size > 1
          ? error(400, 'invalid_parameter', 'Only one parameter is allowed.')
          : response,
      ),
    ],
    'filter-pending-refused': [
      'list-status-pending-200',
      'status=pending is refused.',
      replacing('readStatus', ({ readStatus }, values) =>
        values[0] === 'pending'
          ? refuse(400, 'invalid_parameter', 'status is none of the values.')
          : readStatus(values),
      ),
    ],
    'filter-available-misses-default': [
      'list-limit-no-fewer',
      'status=available misses pets that were created without a status.',
      knowingBare((isBare, { store }) => ({
        store: storeWith(store, {
          list: (status, limit) =>
            store.list(status, limit).filter((pet) => status === undefined || !isBare(pet)),
        }),
      })),
    ],
    'filter-sold-misses-oldest': [
      'list-limit-no-fewer',
      'status=sold misses the first sold pet.',
      listing((pets, { status, store }) => {
        if (status !== 'sold') return pets
        const first = ((pets: readonly { id: bigint }[]) =>
          pets.reduce((least, { id }) => (id < least ? id : least), pets[0]?.id ?? 0n))(
          store.list('sold', allPets),
        )
        return pets.filter(({ id }) => id !== first)
      }),
    ],
    'list-cached': [
      'list-limit-no-fewer',
      'Lists are cached and never updated.',
      inStore((store) => {
        const kept = new Map<string, readonly Pet[]>()
        return {
          list: (status, limit) => {
            const query = `${status} ${limit}`
            const pets = kept.get(query) ?? store.list(status, limit)
            kept.set(query, pets)
            return pets
          },
        }
      }),
    ],
    'list-default-shows-short-names': [
      'list-each-as-created',
      'GET /pets without parameters is cached with names cut to 12 characters.',
      onCall('listPets', (response, { query }) =>
        query.size > 0 ? response : rewritingPets(shortName)(response),
      ),
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
