// Faults of the status filter, and of what a list shows of an animal.

import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import { parseJson, printJson } from '../json.ts'
import type { Mutant } from '../mutant.ts'
import type { PetStatus } from '../store.ts'
import { answering, everyPet, inStore, listing, type Members, onAnswer } from './over-animals.ts'

const defaultPage = 20

const filteringAs = (asked: PetStatus, taken: PetStatus | undefined): Variant =>
  listing((pets, { status, limit, store }) => (status === asked ? store.list(taken, limit) : pets))

/** Shows the animals of a list, and of no other answer, otherwise. */
const showingInLists = (change: (pet: Members) => Members): Variant =>
  onAnswer('listPets', 200, (answer) => {
    const pets = parseJson(answer.body)?.value as Members[]
    return { ...answer, body: printJson(pets.map(change)) }
  })

const ofFilter: readonly Mutant[] = [
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

const oldest = (pets: readonly { id: bigint }[]) =>
  pets.reduce((least, { id }) => (id < least ? id : least), pets[0]?.id ?? 0n)

const ofWhatIsFound: readonly Mutant[] = [
  {
    id: 'filter-available-misses-default',
    breaks: 'list.status.complete',
    caughtBy: 'list-status-available-all',
    fault: 'The default is applied when an animal is shown, and not where the filter looks.',
    parts: ({ store, readNewPet }) => {
      const given = new WeakSet<object>()
      const unset = new Set<bigint>()
      return {
        readNewPet: (request) => {
          const reading = readNewPet(request)
          if ('value' in reading && String(request.body).includes('"status"'))
            given.add(reading.value)
          return reading
        },
        store: {
          ...store,
          add: (fields) => {
            const pet = store.add(fields)
            if (!given.has(fields)) unset.add(pet.id)
            return pet
          },
          list: (status, limit) =>
            store.list(status, limit).filter(({ id }) => status === undefined || !unset.has(id)),
        },
      }
    },
  },
  {
    id: 'filter-sold-misses-oldest',
    breaks: 'list.status.complete',
    caughtBy: 'list-status-sold-all',
    fault: 'The first animal sold has the index 0, and 0 counts as absent.',
    ...listing((pets, { status, store }) => {
      if (status !== 'sold') return pets
      const first = oldest(store.list('sold', everyPet))
      return pets.filter(({ id }) => id !== first)
    }),
  },
  {
    id: 'list-cached',
    breaks: 'list.status.complete',
    caughtBy: 'list-status-pending-all',
    fault: 'The answer to a query is kept and given again.',
    ...inStore((store) => {
      const kept = new Map<string, ReturnType<typeof store.list>>()
      return {
        list: (status, limit) => {
          const query = `${status} ${limit}`
          const pets = kept.get(query) ?? store.list(status, limit)
          kept.set(query, pets)
          return pets
        },
      }
    }),
  },
  {
    id: 'list-misses-newest',
    breaks: 'list.current',
    caughtBy: 'list-new-animal-found',
    fault: 'The list ends before the last animal.',
    ...inStore((store) => {
      let newest = 0n
      return {
        add: (fields) => {
          const pet = store.add(fields)
          newest = pet.id
          return pet
        },
        list: (status, limit) => store.list(status, limit).filter(({ id }) => id !== newest),
      }
    }),
  },
  {
    id: 'list-lags-ten-seconds',
    breaks: 'list.current',
    caughtBy: 'list-new-animal-found',
    fault: 'Lists come from a replica that is ten seconds behind.',
    ...inStore((store, clock) => {
      const since = new Map<bigint, number>()
      return {
        add: (fields) => {
          const pet = store.add(fields)
          since.set(pet.id, clock.now() + 10_000)
          return pet
        },
        list: (status, limit) =>
          store.list(status, limit).filter(({ id }) => (since.get(id) ?? 0) <= clock.now()),
      }
    }),
  },
]

const ofWhatIsShown: readonly Mutant[] = [
  {
    id: 'list-shows-short-names',
    breaks: 'list.faithful',
    caughtBy: 'list-animal-as-created',
    fault: 'A list shows 12 characters of a name.',
    ...showingInLists((pet) => ({ ...pet, name: String(pet.name).slice(0, 12) })),
  },
  {
    id: 'list-lacks-status',
    breaks: 'list.faithful',
    caughtBy: 'list-animal-as-created',
    fault: 'A list shows animals without their status.',
    ...showingInLists(({ status, ...pet }) => pet),
  },
  {
    id: 'list-lacks-category',
    breaks: 'pet.fields',
    caughtBy: 'pet-fields',
    fault: 'A list shows a summary of each animal, without its category.',
    ...showingInLists(({ categoryId, ...pet }) => pet),
  },
  {
    id: 'list-rounds-categories',
    breaks: 'list.faithful',
    caughtBy: 'list-animal-as-created',
    fault: 'A list is written through doubles.',
    ...showingInLists((pet) => ({ ...pet, categoryId: BigInt(Number(pet.categoryId)) })),
  },
]

export const filterMutants: readonly Mutant[] = [...ofFilter, ...ofWhatIsFound, ...ofWhatIsShown]
