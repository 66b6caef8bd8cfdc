// The animals: what a store has to do, and the one that keeps them in memory.
import { printJson } from './json.ts'

const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

export const isPetStatus = (value: unknown): value is PetStatus =>
  petStatuses.some((status) => status === value)

export interface NewPet {
  name: string
  categoryId: bigint
  status: PetStatus
}

export interface Pet extends NewPet {
  id: bigint
  /** The animal as it is answered, written once: a list is then only a join of texts. */
  json: string
}

export interface Store {
  add: (pet: NewPet) => Pet
  get: (id: bigint) => Pet | undefined
  /** The newest come first, so that without paging an animal just created is seen at once. */
  list: (status: PetStatus | undefined, limit: number) => readonly Pet[]
  close: () => void
}

/** 2^53 + 1: a client that reads ids as doubles is found out by the first animal. */
export const firstId = 9_007_199_254_740_993n

export const makePet = (id: bigint, { name, categoryId, status }: NewPet): Pet => ({
  id,
  name,
  categoryId,
  status,
  json: printJson({ id, name, categoryId, status }),
})

/** How many animals it holds is bounded by the quotas of the keys, as nothing removes one. */
export const memoryStore = (): Store => {
  const byId = new Map<bigint, Pet>()
  const all: Pet[] = []
  const byStatus: Record<PetStatus, Pet[]> = { available: [], pending: [], sold: [] }
  // The same question is answered with the very same list until an animal is added.
  const lists = new Map<string, readonly Pet[]>()
  const listAnew = (status: PetStatus | undefined, limit: number): readonly Pet[] =>
    (status ? byStatus[status] : all).slice(-limit).reverse()
  return {
    add: (fields) => {
      const pet = makePet(firstId + BigInt(all.length), fields)
      byId.set(pet.id, pet)
      all.push(pet)
      byStatus[pet.status].push(pet)
      lists.clear()
      return pet
    },
    get: (id) => byId.get(id),
    list: (status, limit) => {
      const question = `${status} ${limit}`
      const list = lists.get(question) ?? listAnew(status, limit)
      lists.set(question, list)
      return list
    },
    close: () => {},
  }
}
