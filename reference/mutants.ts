// Every mutant and every legal variant, joined from the lists of their headings.
import { animalVariants } from './legal/of-animals.ts'
import { serviceVariants } from './legal/of-service.ts'
import type { LegalVariant, Mutant } from './mutant.ts'
import { animalMutants } from './mutants/of-animals.ts'
import { serviceMutants } from './mutants/of-service.ts'

export const mutants: readonly Mutant[] = [...animalMutants, ...serviceMutants]

export const legalVariants: readonly LegalVariant[] = [...animalVariants, ...serviceVariants]
