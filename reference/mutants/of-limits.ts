// The faulty limiters, in one list: the rate-limit suites are there to find them.
import type { Mutant } from '../mutant.ts'
import { banMutants } from './limiters/bans.ts'
import { conditionDayMutants, conditionMutants } from './limiters/conditions.ts'
import { dayMutants } from './limiters/days.ts'
import { keptMutants } from './limiters/kept.ts'
import { nameMutants } from './limiters/names.ts'
import { promiseMutants } from './limiters/promises.ts'
import { quotaMutants } from './limiters/quotas.ts'
import { raceMutants } from './limiters/races.ts'
import { refusalMutants } from './limiters/refusals.ts'
import { shownMutants } from './limiters/remaining.ts'
import { resetMutants } from './limiters/resets.ts'
import { secondKeyMutants } from './limiters/second-keys.ts'
import { waitMutants } from './limiters/waits.ts'
import { windowMutants } from './limiters/windows.ts'

const faulty: readonly Mutant[] = [
  ...quotaMutants,
  ...secondKeyMutants,
  ...windowMutants,
  ...promiseMutants,
  ...nameMutants,
  ...shownMutants,
  ...resetMutants,
  ...raceMutants,
  ...waitMutants,
  ...keptMutants,
  ...conditionMutants,
  ...refusalMutants,
  ...banMutants,
]

export const limiterMutants: readonly Mutant[] = [
  ...faulty.map((mutant) => ({ ...mutant, suite: 'limits' as const })),
  ...[...dayMutants, ...conditionDayMutants].map((mutant) => ({
    ...mutant,
    suite: 'days' as const,
  })),
]
