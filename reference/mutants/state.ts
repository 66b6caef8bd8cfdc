// Faults that show only after other requests: animals that are lost, late, or changed.

import type { Variant } from '../compose.ts'
import type { Mutant } from '../mutant.ts'
import { makePet, type Pet } from '../store.ts'
import { answering, everyPet, inStore } from './over-animals.ts'

/** The animals of a store that may be hidden, or shown in another state. */
const seenThrough = (look: (pet: Pet, newest: bigint, nowMs: number) => Pet | undefined): Variant =>
  inStore((store, clock) => {
    const see = (pet: Pet) => look(pet, store.list(undefined, 1)[0]?.id ?? 0n, clock.now())
    return {
      get: (id) => {
        const pet = store.get(id)
        return pet && see(pet)
      },
      list: (status, limit) =>
        store
          .list(undefined, everyPet)
          .flatMap((pet) => see(pet) ?? [])
          .filter((pet) => status === undefined || pet.status === status)
          .slice(0, limit),
    }
  })

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
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-no-fewer',
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

const changed: readonly Mutant[] = [
  {
    id: 'pending-released-over-night',
    breaks: 'pet.stays',
    caughtBy: 'pet-stays-over-time',
    fault: 'Whatever is not sold becomes sold at midnight, as a nightly job has it.',
    ...inStore((store, clock) => {
      const day = () => Math.floor(clock.now() / 86_400_000)
      const startDay = day()
      const age = (pet: Pet) =>
        day() === startDay ? pet : makePet(pet.id, { ...pet, status: 'sold' })
      return {
        get: (id) => {
          const pet = store.get(id)
          return pet && age(pet)
        },
        list: (status, limit) =>
          store
            .list(undefined, everyPet)
            .map(age)
            .filter((pet) => status === undefined || pet.status === status)
            .slice(0, limit),
      }
    }),
  },
  {
    id: 'fetched-becomes-pending',
    breaks: 'pet.stays',
    caughtBy: 'pet-stays-oldest',
    fault: 'Whoever fetches an available animal reserves it.',
    ...inStore((store) => {
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
  },
  {
    id: 'neighbour-renamed',
    breaks: 'pet.stays',
    caughtBy: 'pet-stays-oldest',
    fault: 'A creation writes its name into the animal before it too.',
    ...seenThrough((pet, newest) =>
      pet.id === newest ? pet : makePet(pet.id, { ...pet, name: `${pet.name} II` }),
    ),
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
  {
    id: 'refused-creation-kept-without-key',
    breaks: 'create.refused-no-trace',
    caughtBy: 'create-refused-no-trace',
    fault: 'The key is looked at when the animal has been stored.',
    handle: (honest, parts) => async (request) => {
      const answer = await honest(request)
      if (answer.status !== 401 || request.method !== 'POST') return answer
      const reading = parts.readNewPet(request)
      if ('value' in reading) parts.store.add(reading.value)
      return answer
    },
  },
]

/** At the moment a fetch is asked for, `isOff` tells whether it fails. */
const failingAt = (isOff: (count: number) => boolean): Variant => {
  return {
    parts: (honest) => {
      let count = 0
      return answering('getPet', (answer, _call, { error }) => {
        count += 1
        return isOff(count) ? error(404, 'not_found', 'There is no such animal.') : answer
      }).parts?.(honest) as Record<string, never>
    },
  }
}

const flaky: readonly Mutant[] = [
  {
    id: 'fetch-fails-after-ten',
    breaks: 'get.faithful',
    caughtBy: 'get-animal-as-created',
    fault: 'After ten fetches the pool of connections is empty, and nothing is found.',
    ...failingAt((count) => count > 10),
  },
]

export const stateMutants: readonly Mutant[] = [...lost, ...changed, ...late, ...flaky]
