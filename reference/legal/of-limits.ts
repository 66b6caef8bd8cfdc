// The legal limiters, in one list: all suites have to be silent about them.
import type { LegalVariant } from '../mutant.ts'
import { banVariants } from './bans.ts'
import { callerVariants } from './callers.ts'
import { countingVariants } from './counting.ts'
import { dateVariants } from './dates.ts'
import { refusedVariants } from './refused.ts'
import { windowVariants } from './windows.ts'

const designs: readonly LegalVariant[] = [
  ...countingVariants,
  ...windowVariants,
  ...banVariants,
  ...refusedVariants,
  ...callerVariants,
  ...dateVariants,
]

export const limiterVariants = designs.map((legal): LegalVariant => ({ ...legal, suite: 'both' }))
