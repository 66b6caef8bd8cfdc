// Faults of what a list finds, and of what it shows of an animal.
import type { Variant } from '../compose.ts'
import { parseJson, printJson } from '../json.ts'
import type { Mutant } from '../mutant.ts'
import { answering, everyPet, inStore, listing, type Members, onAnswer } from './over-animals.ts'

/** Shows the animals of a list, and of no other answer, otherwise. */
const showingInLists = (change: (pet: Members) => Members): Variant =>
  onAnswer('listPets', 200, (answer) => {
    const pets = parseJson(answer.body)?.value as Members[]
    return { ...answer, body: printJson(pets.map(change)) }
  })

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

const shortNames = (body: string): string => {
  const pets = parseJson(body)?.value
  if (!Array.isArray(pets)) return body
  return printJson(pets.map((pet: Members) => ({ ...pet, name: String(pet.name).slice(0, 12) })))
}

const ofWhatIsShown: readonly Mutant[] = [
  {
    id: 'list-shows-short-names',
    breaks: 'list.faithful',
    caughtBy: 'list-animal-as-created',
    fault: 'A list shows 12 characters of a name.',
    ...showingInLists((pet) => ({ ...pet, name: String(pet.name).slice(0, 12) })),
  },
  {
    id: 'list-default-shows-short-names',
    breaks: 'list.faithful',
    caughtBy: 'list-each-as-created',
    fault: 'The first page comes from a cache that holds 12 characters of a name.',
    ...answering('listPets', (answer, { query }) =>
      query.size > 0 ? answer : { ...answer, body: shortNames(answer.body) },
    ),
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

export const listedMutants: readonly Mutant[] = [...ofWhatIsFound, ...ofWhatIsShown]
