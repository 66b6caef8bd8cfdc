// Every mutant and every legal variant, joined from the lists of their headings.
import { serviceVariants } from './legal/of-service.ts'
import type { LegalVariant, Mutant } from './mutant.ts'
import { filterMutants } from './mutants/filter.ts'
import { listMutants } from './mutants/list.ts'
import { serviceMutants } from './mutants/of-service.ts'

export const mutants: readonly Mutant[] = [...serviceMutants, ...listMutants, ...filterMutants]

export const legalVariants: readonly LegalVariant[] = [...serviceVariants]
