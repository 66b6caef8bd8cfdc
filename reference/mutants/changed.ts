// Faults that show only after other requests: animals that change.
import type { Mutant } from '../mutant.ts'
import { makePet, type Pet } from '../store.ts'
import { everyPet, inStore, seenThrough } from './over-animals.ts'

export const changedMutants: readonly Mutant[] = [
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
    breaks: 'get.faithful',
    caughtBy: 'get-each-as-created',
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
