// Every mutant and every legal variant, joined from the lists of their headings.
import { animalVariants } from './legal/of-animals.ts'
import { limiterVariants } from './legal/of-limits.ts'
import { serviceVariants } from './legal/of-service.ts'
import type { LegalVariant, Mutant } from './mutant.ts'
import { animalMutants } from './mutants/of-animals.ts'
import { limiterMutants } from './mutants/of-limits.ts'
import { serviceMutants } from './mutants/of-service.ts'

export const mutants: readonly Mutant[] = [...animalMutants, ...serviceMutants, ...limiterMutants]

export const legalVariants: readonly LegalVariant[] = [
  ...animalVariants,
  ...serviceVariants,
  ...limiterVariants,
]
