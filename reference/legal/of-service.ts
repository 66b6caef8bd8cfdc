// The legal variants of headers, errors, addresses and the description, in one list.
import type { LegalVariant } from '../mutant.ts'
import { connectionVariants } from './connections.ts'
import { descriptionVariants } from './descriptions.ts'
import { headerVariants } from './headers.ts'
import { refusalVariants } from './refusals.ts'

export const serviceVariants: readonly LegalVariant[] = [
  ...headerVariants,
  ...refusalVariants,
  ...connectionVariants,
  ...descriptionVariants,
]
