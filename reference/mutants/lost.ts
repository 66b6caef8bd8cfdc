// Faults that show only after other requests: animals that are lost, or late.
import type { Mutant } from '../mutant.ts'
import type { Pet } from '../store.ts'
import { everyPet, inStore, seenThrough } from './over-animals.ts'

const lost: readonly Mutant[] = [
  {
    id: 'every-seventh-write-lost',
    breaks: 'list.status.complete',
    caughtBy: 'list-status-available-all',
    fault: 'Every seventh animal is answered 201 and never stored.',
    ...seenThrough((pet) => (pet.id % 7n === 3n ? undefined : pet)),
  },
  {
    id: 'write-after-filtered-list-lost',
    breaks: 'service.operations',
    caughtBy: 'stateful-list-add-fetch',
    fault: 'A connection left in a read-only transaction swallows the next write.',
    ...inStore((store) => {
      let isReading = false
      const lostIds = new Set<bigint>()
      return {
        add: (fields) => {
          const pet = store.add(fields)
          if (isReading) lostIds.add(pet.id)
          isReading = false
          return pet
        },
        get: (id) => (lostIds.has(id) ? undefined : store.get(id)),
        list: (status, limit) => {
          isReading = status !== undefined
          return store
            .list(status, everyPet)
            .filter(({ id }) => !lostIds.has(id))
            .slice(0, limit)
        },
      }
    }),
  },
  {
    id: 'oldest-pushed-out',
    breaks: 'pet.stays',
    caughtBy: 'pet-stays-oldest',
    fault: 'Only the last 60 animals are kept.',
    ...seenThrough((pet, newest) => (pet.id > newest - 60n ? pet : undefined)),
  },
  {
    id: 'fetched-leaves-lists',
    breaks: 'list.status.complete',
    caughtBy: 'list-status-available-all',
    fault: 'An animal that was fetched counts as taken, and leaves the lists.',
    ...inStore((store) => {
      const cleared = new Set<bigint>()
      return {
        get: (id) => {
          const pet = store.get(id)
          if (pet) cleared.add(id)
          return pet
        },
        list: (status, limit) =>
          store
            .list(status, everyPet)
            .filter(({ id }) => !cleared.has(id))
            .slice(0, limit),
      }
    }),
  },
  {
    id: 'gone-after-an-hour',
    breaks: 'pet.stays',
    caughtBy: 'pet-stays-over-time',
    fault: 'Animals lie in a cache that forgets after an hour.',
    ...inStore((store, clock) => {
      const sinceMs = new Map<bigint, number>()
      const isFresh = (pet: Pet | undefined) =>
        pet !== undefined && clock.now() - (sinceMs.get(pet.id) ?? 0) < 3_600_000
      return {
        add: (fields) => {
          const pet = store.add(fields)
          sinceMs.set(pet.id, clock.now())
          return pet
        },
        get: (id) => {
          const pet = store.get(id)
          return isFresh(pet) ? pet : undefined
        },
        list: (status, limit) => store.list(status, everyPet).filter(isFresh).slice(0, limit),
      }
    }),
  },
]

const late: readonly Mutant[] = [
  {
    id: 'get-lags-two-seconds',
    breaks: 'get.success',
    caughtBy: 'get-new-animal-200',
    fault: 'Fetches come from a replica that is two seconds behind.',
    ...inStore((store, clock) => {
      const fromMs = new Map<bigint, number>()
      return {
        add: (fields) => {
          const pet = store.add(fields)
          fromMs.set(pet.id, clock.now() + 2_000)
          return pet
        },
        get: (id) => ((fromMs.get(id) ?? 0) <= clock.now() ? store.get(id) : undefined),
      }
    }),
  },
  {
    id: 'absence-cached',
    breaks: 'get.success',
    caughtBy: 'get-asked-before-created-200',
    fault: 'A cache keeps what was not found, and a creation does not clear it.',
    ...inStore((store) => {
      const absent = new Set<bigint>()
      return {
        get: (id) => {
          const pet = absent.has(id) ? undefined : store.get(id)
          if (pet === undefined) absent.add(id)
          return pet
        },
      }
    }),
  },
  {
    id: 'first-fetch-404',
    breaks: 'get.success',
    caughtBy: 'get-new-animal-200',
    fault: 'The first fetch of an animal only fills the cache.',
    ...inStore((store) => {
      const warm = new Set<bigint>()
      return {
        get: (id) => {
          if (warm.has(id)) return store.get(id)
          warm.add(id)
          return undefined
        },
      }
    }),
  },
]

/** The pool of a server that forgets to give connections back. */
const poolSize = 10

const flaky: readonly Mutant[] = [
  {
    id: 'second-fetch-404',
    breaks: 'get.success',
    caughtBy: 'get-each-known-200',
    fault: 'A pet that was fetched once counts as handed out.',
    ...inStore((store) => {
      const fetched = new Set<bigint>()
      return {
        get: (id) => {
          const pet = fetched.has(id) ? undefined : store.get(id)
          fetched.add(id)
          return pet
        },
      }
    }),
  },
  {
    id: 'fetch-fails-after-ten',
    breaks: 'pet.stays',
    caughtBy: 'pet-stays-over-time',
    fault: 'After ten fetches the pool of connections is empty, and nothing is found.',
    ...inStore((store) => {
      let count = 0
      return { get: (id) => (++count > poolSize ? undefined : store.get(id)) }
    }),
  },
]

export const lostMutants: readonly Mutant[] = [...lost, ...late, ...flaky]
