// Faults of the status filter.
import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import type { Mutant } from '../mutant.ts'
import type { PetStatus } from '../store.ts'
import { answering, everyPet, listing } from './over-animals.ts'

const defaultPage = 20

const filteringAs = (asked: PetStatus, taken: PetStatus | undefined): Variant =>
  listing((pets, { status, limit, store }) => (status === asked ? store.list(taken, limit) : pets))

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
    id: 'filter-drops-limit',
    breaks: 'service.operations',
    caughtBy: 'stateful-list-add-fetch',
    fault: 'With a filter the limit is forgotten.',
    ...listing((pets, { status, store }) => (status ? store.list(status, defaultPage) : pets)),
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
