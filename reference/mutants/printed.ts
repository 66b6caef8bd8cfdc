// Faults of how an animal is printed: its id, and the names and types of its members.
import type { Mutant } from '../mutant.ts'
import { showing } from './over-animals.ts'

export const printedMutants: readonly Mutant[] = [
  {
    id: 'id-as-string',
    breaks: 'pet.id.present',
    caughtBy: 'pet-id-int64',
    fault: 'Ids are printed as strings, so that no client rounds them.',
    ...showing((pet) => ({ ...pet, id: String(pet.id) })),
  },
  {
    id: 'id-beyond-int64',
    breaks: 'pet.id.present',
    caughtBy: 'pet-id-int64',
    fault: 'Ids are unsigned.',
    ...showing((pet) => ({ ...pet, id: (pet.id as bigint) + 2n ** 63n })),
  },
  {
    id: 'id-named-otherwise',
    breaks: 'pet.id.present',
    caughtBy: 'pet-id-int64',
    fault: 'The id is shown as petId.',
    ...showing(({ id, ...pet }) => ({ petId: id, ...pet })),
  },
  {
    id: 'id-through-double',
    breaks: 'pet.id.unique',
    caughtBy: 'create-ids-all-distinct',
    fault: 'Ids are printed through doubles.',
    ...showing((pet) => ({ ...pet, id: BigInt(Number(pet.id)) })),
  },
  {
    id: 'category-as-string',
    breaks: 'pet.fields',
    caughtBy: 'pet-fields',
    fault: 'Categories are printed as strings, so that no client rounds them.',
    ...showing((pet) => ({ ...pet, categoryId: String(pet.categoryId) })),
  },
  {
    id: 'numeric-names-as-numbers',
    breaks: 'pet.fields',
    caughtBy: 'pet-fields',
    fault: 'A writer that guesses types prints a name of digits as a number.',
    ...showing((pet) =>
      /^\d+$/.test(String(pet.name)) ? { ...pet, name: Number(pet.name) } : pet,
    ),
  },
  {
    id: 'members-in-snake-case',
    breaks: 'pet.fields',
    caughtBy: 'pet-fields',
    fault: 'categoryId is shown as category_id.',
    ...showing(({ categoryId, ...pet }) => ({ ...pet, category_id: categoryId })),
  },
]
