// Every mutant and every legal variant, joined from the lists of their headings.
import type { LegalVariant, Mutant } from './mutant.ts'
import { filterMutants } from './mutants/filter.ts'
import { listMutants } from './mutants/list.ts'

export const mutants: readonly Mutant[] = [...listMutants, ...filterMutants]

export const legalVariants: readonly LegalVariant[] = []
