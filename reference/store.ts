// The store of pets, in memory.

import { printJson } from './json.ts'

export const petStatuses = ['available', 'pending', 'sold'] as const
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
  /** The pet as JSON, written once: a list is then only a join of texts. */
  json: string
}

export interface Store {
  add: (pet: NewPet) => Pet
  get: (id: bigint) => Pet | undefined
  /** The newest come first, so that without paging a pet just created is seen at once. */
  list: (status: PetStatus | undefined, limit: number) => readonly Pet[]
}

/** 2^53 + 1: the first pet exposes a client that reads ids as doubles. */
export const usualFirstId = 9_007_199_254_740_993n

export const makePet = (id: bigint, { name, categoryId, status }: NewPet): Pet => ({
  id,
  name,
  categoryId,
  status,
  json: printJson({ id, name, categoryId, status }),
})

/** The quotas of the keys bound how many pets it holds, as nothing removes one. */
export const memoryStore = (makeId = (position: bigint) => usualFirstId + position): Store => {
  const byId = new Map<bigint, Pet>()
  const all: Pet[] = []
  const byStatus: Record<string, Pet[]> = { available: [], pending: [], sold: [] }
  return {
    add: (fields) => {
      const pet = makePet(makeId(BigInt(all.length)), fields)
      byId.set(pet.id, pet)
      all.push(pet)
      // A variant may leave the status out.
      byStatus[pet.status]?.push(pet)
      return pet
    },
    get: (id) => byId.get(id),
    list: (status, limit) => (status ? (byStatus[status] ?? []) : all).slice(-limit).reverse(),
  }
}
