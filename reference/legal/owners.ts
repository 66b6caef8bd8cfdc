// Keys that do not share their animals: how keys are scoped the interface does not say.
import type { Variant } from '../compose.ts'
import type { KeyRecord } from '../keys.ts'
import type { LegalVariant } from '../mutant.ts'
import { everyPet } from '../mutants/over-animals.ts'
import type { Call, Operation, Parts } from '../parts.ts'
import type { Store } from '../store.ts'

type Owners = Map<bigint, string>

/** The animals of one owner, in the store of all: so no id is given twice. */
const ownStore = (store: Store, owners: Owners, owner: string): Store => ({
  ...store,
  add: (fields) => {
    const pet = store.add(fields)
    owners.set(pet.id, owner)
    return pet
  },
  get: (id) => (owners.get(id) === owner ? store.get(id) : undefined),
  list: (status, limit) =>
    store
      .list(status, everyPet)
      .filter(({ id }) => owners.get(id) === owner)
      .slice(0, limit),
})

/** @param ownerOf whose the animals are that a key creates and is shown */
const owning = (ownerOf: (key: KeyRecord) => string): Variant => ({
  parts: ({ operations, store }) => {
    const owners: Owners = new Map()
    const own =
      (operation: Operation): Operation =>
      (call: Call, parts: Parts) =>
        operation(call, { ...parts, store: ownStore(store, owners, ownerOf(call.key)) })
    const { listPets, createPet, getPet } = operations
    return {
      operations: { listPets: own(listPets), createPet: own(createPet), getPet: own(getPet) },
    }
  },
})

export const legalOwners: readonly LegalVariant[] = [
  {
    id: 'animals-of-each-key',
    does: 'Each key has animals of its own, and is shown no others.',
    suite: 'both',
    ...owning(({ key }) => key),
  },
  {
    id: 'animals-of-each-plan',
    does: 'The keys of a plan share their animals, and are shown no others.',
    suite: 'both',
    ...owning(({ plan }) => plan),
  },
]
