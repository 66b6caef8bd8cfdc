// Faults of the status filter.
import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import type { Mutant } from '../mutant.ts'
import { defaultLimit } from '../parameters.ts'
import type { PetStatus } from '../store.ts'
import { answering, everyPet, listing } from './over-animals.ts'

const defaultPage = 20

const filteringAs = (asked: PetStatus, taken: PetStatus | undefined): Variant =>
  listing((pets, { status, limit, store }) => (status === asked ? store.list(taken, limit) : pets))

/** Lists all pets of a status, where no limit was given. */
const withoutLimit = (isMeant: (query: URLSearchParams) => boolean): Variant =>
  answering('listPets', (answer, { query }, { store, readStatus, printPet }) => {
    const status = readStatus(query.getAll('status'))
    if (answer.status !== 200 || query.has('limit') || !isMeant(query)) return answer
    const pets = 'value' in status ? store.list(status.value, everyPet) : []
    return { ...answer, body: `[${pets.map(printPet).join(',')}]` }
  })

export const filterMutants: readonly Mutant[] = [
  {
    id: 'filter-ignored',
    breaks: 'list.status.filter',
    caughtBy: 'list-status-sold-only',
    fault: 'The status is validated, and then not used.',
    ...listing((_pets, { limit, store }) => store.list(undefined, limit)),
  },
  {
    id: 'filter-available-is-none',
    breaks: 'list.status.filter',
    caughtBy: 'list-status-available-only',
    fault: 'The first value of the enum is 0, and 0 counts as no filter.',
    ...filteringAs('available', undefined),
  },
  {
    id: 'filter-pending-lets-sold-through',
    breaks: 'list.status.filter',
    caughtBy: 'list-status-pending-only',
    fault: 'pending is read as: everything that is not available.',
    ...listing((pets, { status, limit, store }) =>
      status === 'pending'
        ? store
            .list(undefined, everyPet)
            .filter((pet) => pet.status !== 'available')
            .slice(0, limit)
        : pets,
    ),
  },
  {
    id: 'filter-sold-pending-swapped',
    breaks: 'list.status.filter',
    caughtBy: 'list-status-pending-only',
    fault: 'sold and pending are exchanged.',
    ...listing((pets, { status, limit, store }) => {
      if (status === 'sold') return store.list('pending', limit)
      return status === 'pending' ? store.list('sold', limit) : pets
    }),
  },
  {
    id: 'filter-after-limit',
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-status-no-fewer',
    fault: 'A page is cut first and filtered then, so it comes out short.',
    ...listing((_pets, { status, limit, store }) =>
      store.list(undefined, limit).filter((pet) => status === undefined || pet.status === status),
    ),
  },
  {
    id: 'filter-loses-last-of-exact-limit',
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-status-no-fewer',
    fault: 'One row more is read, and the last one dropped, where just as many match as asked for.',
    keys: ['pro'],
    ...listing((pets, { status, limit, store }) =>
      limit > 1 && status !== undefined && store.list(status, everyPet).length === limit
        ? pets.slice(0, -1)
        : pets,
    ),
  },
  {
    id: 'list-limit-second-unchecked',
    breaks: 'list.limit.maximum',
    caughtBy: 'list-length-most',
    fault: 'Of two limits the first is validated, and the last counts.',
    ...answering('listPets', (answer, { query }, { store, printPet }) => {
      const [first, last] = query.getAll('limit').map(Number)
      if (first === undefined || last === undefined || first < 1 || first > 100) return answer
      const pets = store.list(undefined, last)
      return { ...answer, status: 200, body: `[${pets.map(printPet).join(',')}]` }
    }),
  },
  {
    id: 'filter-drops-limit',
    breaks: 'service.operations',
    caughtBy: 'stateful-list-add-fetch',
    fault: 'With a filter the limit is forgotten.',
    ...listing((pets, { status, store }) => (status ? store.list(status, defaultPage) : pets)),
  },
  {
    id: 'filter-drops-default',
    breaks: 'list.limit.default',
    caughtBy: 'list-status-default',
    fault: 'The query with a filter was written anew, and has no default of 20.',
    ...withoutLimit((query) => query.has('status')),
  },
  {
    id: 'filter-drops-default-for-pending',
    breaks: 'list.limit.default',
    caughtBy: 'list-each-within-default',
    fault: 'Pending pets come from a view of their own, which has no default of 20.',
    ...withoutLimit((query) => query.get('status') === 'pending'),
  },
  {
    id: 'filter-hides-limit-behind-it',
    breaks: 'list.limit.most',
    caughtBy: 'list-each-within-limit',
    fault: 'The pattern of the limit wants it right behind the question mark.',
    ...answering('listPets', (answer, { query }, { store, readStatus, printPet }) => {
      if (answer.status !== 200 || [...query.keys()].indexOf('limit') < 1) return answer
      const status = readStatus(query.getAll('status'))
      const pets = 'value' in status ? store.list(status.value, defaultLimit) : []
      return { ...answer, body: `[${pets.map(printPet).join(',')}]` }
    }),
  },
  {
    id: 'filter-of-pending-one-more',
    breaks: 'list.limit.most',
    caughtBy: 'list-each-within-limit',
    fault: 'The view of pending pets ends after the limit, not at it.',
    ...listing((pets, { status, limit, store }) =>
      status === 'pending' ? store.list(status, limit + 1) : pets,
    ),
  },
  {
    id: 'filter-fills-page',
    breaks: 'list.status.filter',
    caughtBy: 'list-each-filtered',
    fault: 'A page of 100 that the filter leaves short is filled up with other pets.',
    ...listing((pets, { status, limit, store }) =>
      status && limit === 100 && pets.length > 30
        ? [...new Set([...pets, ...store.list(undefined, limit)])].slice(0, limit)
        : pets,
    ),
  },
  {
    id: 'filter-refused-with-limit',
    breaks: 'list.success',
    caughtBy: 'list-sound-200',
    fault: 'A query may hold one parameter.',
    ...answering('listPets', (answer, { query }, { error }) =>
      query.size > 1 ? error(400, 'invalid_parameter', 'Only one parameter is allowed.') : answer,
    ),
  },
  {
    id: 'filter-pending-refused',
    breaks: 'list.success',
    caughtBy: 'list-sound-200',
    fault: 'pending was forgotten where the parameter is validated.',
    parts: ({ readStatus }) => ({
      readStatus: (values) =>
        values[0] === 'pending'
          ? refuse(400, 'invalid_parameter', 'status is none of the values.')
          : readStatus(values),
    }),
  },
]
