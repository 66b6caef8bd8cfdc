// Every mutant and every legal variant.
import { banVariants } from './legal/bans.ts'
import { bodyVariants } from './legal/bodies.ts'
import { dateVariants, legalRemovals } from './legal/dates.ts'
import { descriptionVariants } from './legal/descriptions.ts'
import { errorVariants } from './legal/errors.ts'
import { headerVariants } from './legal/headers.ts'
import { limiterVariants } from './legal/limiters.ts'
import { legalLists } from './legal/lists.ts'
import { legalOwners, petVariants } from './legal/pets.ts'
import { refusalVariants } from './legal/refusals.ts'
import { windowVariants } from './legal/windows.ts'
import type { LegalVariant, Mutant } from './mutant.ts'
import { authenticationMutants } from './mutants/auth/accepted-keys.ts'
import { guardMutants } from './mutants/auth/guard.ts'
import { inFlightMutants } from './mutants/concurrency/in-flight.ts'
import { intermittentMutants } from './mutants/concurrency/intermittent.ts'
import { bodyMutants } from './mutants/create/bodies.ts'
import { creationMutants } from './mutants/create/creation.ts'
import { fieldMutants } from './mutants/create/fields.ts'
import { nameMutants } from './mutants/create/names.ts'
import { firstVersionLimits, firstVersionMutants } from './mutants/first-versions.ts'
import { getMutants } from './mutants/get/get-by-id.ts'
import { removalMutants } from './mutants/get/removal.ts'
import { dateMutants, headerMutants } from './mutants/headers/headers.ts'
import { headerNumberMutants, remainingMutants, shownMutants } from './mutants/headers/numbers.ts'
import { banMutants } from './mutants/limits/bans.ts'
import {
  conditionDayMutants,
  conditionMutants,
  erroneousMutants,
} from './mutants/limits/conditions.ts'
import { keptMutants } from './mutants/limits/count-lifetime.ts'
import { countMutants } from './mutants/limits/counting.ts'
import { dayLengthMutants, dayMutants } from './mutants/limits/days.ts'
import { quotaMutants, removalQuotaMutants } from './mutants/limits/quotas.ts'
import { refusalMutants } from './mutants/limits/refusals.ts'
import { windowMutants } from './mutants/limits/windows.ts'
import { filterMutants } from './mutants/list/filter.ts'
import { listMutants } from './mutants/list/list-limit.ts'
import { idMutants } from './mutants/pets/ids.ts'
import { lostMutants } from './mutants/pets/lost-pets.ts'
import { reportedRequestMutants } from './mutants/reported/reported-requests.ts'
import { addressMutants } from './mutants/responses/addresses.ts'
import { descriptionMutants } from './mutants/responses/description.ts'
import { errorMutants } from './mutants/responses/errors.ts'
import { answerMutants } from './mutants/responses/json.ts'
import { sequenceMutants } from './mutants/sequences.ts'

const contract: readonly Mutant[] = [
  ...listMutants,
  ...filterMutants,
  ...creationMutants,
  ...nameMutants,
  ...fieldMutants,
  ...bodyMutants,
  ...idMutants,
  ...getMutants,
  ...lostMutants,
  ...removalMutants,
  ...authenticationMutants,
  ...guardMutants,
  ...errorMutants,
  ...addressMutants,
  ...descriptionMutants,
  ...headerMutants,
  ...headerNumberMutants,
  ...remainingMutants,
  ...dateMutants,
  ...answerMutants,
  ...inFlightMutants,
  ...intermittentMutants,
  ...sequenceMutants,
  ...firstVersionMutants,
  ...reportedRequestMutants,
  ...erroneousMutants,
]

const limits: readonly Mutant[] = [
  ...quotaMutants,
  ...windowMutants,
  ...countMutants,
  ...shownMutants,
  ...keptMutants,
  ...conditionMutants,
  ...refusalMutants,
  ...banMutants,
  ...firstVersionLimits,
]

export const mutants: readonly Mutant[] = [
  ...contract,
  ...limits.map((mutant): Mutant => ({ ...mutant, suite: 'limits' })),
  ...[...dayMutants, ...conditionDayMutants].map(
    (mutant): Mutant => ({ ...mutant, suite: 'days' }),
  ),
  ...[...removalQuotaMutants, ...dayLengthMutants].map(
    (mutant): Mutant => ({ ...mutant, suite: 'both' }),
  ),
]

const limiters: readonly LegalVariant[] = [
  ...windowVariants,
  ...banVariants,
  ...refusalVariants,
  ...limiterVariants,
  ...dateVariants,
]

export const legalVariants: readonly LegalVariant[] = [
  ...legalLists,
  ...bodyVariants,
  ...petVariants,
  ...legalOwners,
  ...legalRemovals,
  ...headerVariants,
  ...errorVariants,
  ...descriptionVariants,
  ...limiters.map((legal): LegalVariant => ({ ...legal, suite: 'both' })),
]
