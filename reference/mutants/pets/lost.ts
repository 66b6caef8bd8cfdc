// Faults that show only after other requests: pets that are missing, late, or changed.

import { caughtBy, type Mutant } from '../../mutant.ts'
import { makePet, type Pet, type Store } from '../../store.ts'
import type { Variant } from '../../variant.ts'
import { allPets, inStore } from '../../wrappers/pet-store.ts'

/** Hides pets of a store, or shows them changed. */
const seeing = (store: Store, see: (pet: Pet) => Pet | undefined): Pick<Store, 'get' | 'list'> => ({
  get: (id) => {
    const pet = store.get(id)
    return pet && see(pet)
  },
  list: (status, limit) =>
    store
      .list(undefined, allPets)
      .flatMap((pet) => see(pet) ?? [])
      .filter((pet) => status === undefined || pet.status === status)
      .slice(0, limit),
})

const seenThrough = (look: (pet: Pet, newest: bigint) => Pet | undefined): Variant =>
  inStore((store) => seeing(store, (pet) => look(pet, store.list(undefined, 1)[0]?.id ?? 0n)))

/** The size of a pool to which connections are never returned. */
const poolSize = 10

export const lostMutants: readonly Mutant[] = [
  ...caughtBy('list-status-available-all', {
    'every-seventh-write-lost': [
      'Every seventh creation gets 201 and is not stored.',
      seenThrough((pet) => (pet.id % 7n === 3n ? undefined : pet)),
    ],
    'fetched-leaves-lists': [
      'A pet disappears from lists once it was fetched by id.',
      inStore((store) => {
        const cleared = new Set<bigint>()
        return {
          get: (id) => {
            const pet = store.get(id)
            if (pet) cleared.add(id)
            return pet
          },
          lists: ({ id }) => !cleared.has(id),
        }
      }),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('stateful-list-add-fetch', {
    'write-after-filtered-list-lost': [
      'A creation right after a filtered list is lost: its transaction is read-only.',
      inStore((store) => {
        let isReading = false
        const lostIds = new Set<bigint>()
        return {
          added: ({ id }) => {
            if (isReading) lostIds.add(id)
            isReading = false
          },
          get: (id) => (lostIds.has(id) ? undefined : store.get(id)),
          list: (status, limit) => {
            isReading = status !== undefined
            return store
              .list(status, allPets)
              .filter(({ id }) => !lostIds.has(id))
              .slice(0, limit)
          },
        }
      }),
    ],
  }),
  ...caughtBy('pet-stays-oldest', {
    'oldest-pushed-out': [
      'Only the last 60 pets are kept.',
      seenThrough((pet, newest) => (pet.id > newest - 60n ? pet : undefined)),
      { shownBy: 'whole run' },
    ],
    'neighbour-renamed': [
      'A creation also renames the pet before it.',
      seenThrough((pet, newest) =>
        pet.id === newest ? pet : makePet(pet.id, { ...pet, name: `${pet.name} II` }),
      ),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('pet-stays-over-time', {
    'gone-after-an-hour': [
      'Pets expire from a cache after an hour.',
      inStore((store, clock) => {
        const sinceMs = new Map<bigint, number>()
        const isFresh = ({ id }: Pet) => clock.now() - (sinceMs.get(id) ?? 0) < 3_600_000
        return {
          added: ({ id }) => sinceMs.set(id, clock.now()),
          ...seeing(store, (pet) => (isFresh(pet) ? pet : undefined)),
        }
      }),
    ],
    'created-forgotten-after-an-hour': [
      'GET /pets/{petId} finds a created pet for an hour; imported pets stay.',
      inStore((store, clock) => {
        for (const name of ['Bello', 'Minka']) {
          store.add({ name, categoryId: 1n, status: 'available' })
        }
        const addedMs = new Map<bigint, number>()
        return {
          added: ({ id }) => addedMs.set(id, clock.now()),
          get: (id) => {
            const isForgotten = clock.now() - (addedMs.get(id) ?? clock.now()) > 3_600_000
            return isForgotten ? undefined : store.get(id)
          },
        }
      }),
    ],
    'fetch-fails-after-ten': [
      'After ten GET /pets/{petId} the connection pool is empty, and every pet gets 404.',
      inStore((store) => {
        let count = 0
        return { get: (id) => (++count > poolSize ? undefined : store.get(id)) }
      }),
      { shownBy: 'whole run' },
    ],
    'pending-released-over-night': [
      'A nightly job changes every pet to sold.',
      inStore((store, clock) => {
        const day = () => Math.floor(clock.now() / 86_400_000)
        const startDay = day()
        return seeing(store, (pet) =>
          day() === startDay ? pet : makePet(pet.id, { ...pet, status: 'sold' }),
        )
      }),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('get-new-animal-200', {
    'get-lags-two-seconds': [
      'GET /pets/{petId} reads from a replica that is two seconds behind.',
      inStore((store, clock) => {
        const fromMs = new Map<bigint, number>()
        return {
          added: ({ id }) => fromMs.set(id, clock.now() + 2_000),
          get: (id) => ((fromMs.get(id) ?? 0) <= clock.now() ? store.get(id) : undefined),
        }
      }),
    ],
    'first-fetch-404': [
      'The first GET of a pet by id gets 404: it only fills the cache.',
      inStore((store) => {
        const warm = new Set<bigint>()
        return {
          get: (id) => {
            if (warm.has(id)) return store.get(id)
            warm.add(id)
            return undefined
          },
        }
      }),
    ],
  }),
  ...caughtBy('get-asked-before-created-200', {
    'absence-cached': [
      'A cached 404 for an id is still served after the pet was created.',
      inStore((store) => {
        const absent = new Set<bigint>()
        return {
          get: (id) => {
            const pet = absent.has(id) ? undefined : store.get(id)
            if (pet === undefined) absent.add(id)
            return pet
          },
        }
      }),
    ],
  }),
  ...caughtBy('get-each-known-200', {
    'second-fetch-404': [
      'A pet gets 404 once it was fetched by id.',
      inStore((store) => {
        const fetched = new Set<bigint>()
        return {
          get: (id) => {
            const pet = fetched.has(id) ? undefined : store.get(id)
            fetched.add(id)
            return pet
          },
        }
      }),
    ],
  }),
  ...caughtBy('get-each-as-created', {
    'fetched-becomes-pending': [
      'GET /pets/{petId} changes an available pet to pending.',
      inStore((store) => {
        const reserved = new Set<bigint>()
        return {
          get: (id) => {
            const pet = store.get(id)
            if (pet === undefined || pet.status !== 'available') return pet
            const isReserved = reserved.has(id)
            reserved.add(id)
            return isReserved ? makePet(id, { ...pet, status: 'pending' }) : pet
          },
        }
      }),
      { shownBy: 'whole run' },
    ],
  }),
]
