// The legal variants of limiters, headers, errors, addresses and the description, in one list.
import type { LegalVariant } from '../mutant.ts'
import { countingVariants } from './counting.ts'
import { descriptionVariants } from './descriptions.ts'
import { headerVariants } from './headers.ts'
import { refusalVariants } from './refusals.ts'

export const serviceVariants: readonly LegalVariant[] = [
  ...countingVariants,
  ...headerVariants,
  ...refusalVariants,
  ...descriptionVariants,
]
