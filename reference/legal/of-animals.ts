// The legal variants of animals: lists, creations, fetches, and the removal.
import type { LegalVariant } from '../mutant.ts'
import { legalAnimals } from './animals.ts'
import { legalBodies } from './bodies.ts'
import { legalLists } from './lists.ts'
import { legalOwners } from './owners.ts'
import { legalRemovals } from './removal.ts'

export const animalVariants: readonly LegalVariant[] = [
  ...legalLists,
  ...legalBodies,
  ...legalAnimals,
  ...legalOwners,
  ...legalRemovals,
]
