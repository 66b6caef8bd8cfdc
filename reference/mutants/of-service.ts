// The mutants of keys, errors, addresses, headers, answers and the description, in one list.
import type { Mutant } from '../mutant.ts'
import { addressMutants } from './addresses.ts'
import { answerMutants } from './answers.ts'
import { authenticationMutants } from './authentication.ts'
import { dateMutants } from './dates.ts'
import { descriptionMutants } from './description.ts'
import { errorTextMutants } from './error-texts.ts'
import { errorMutants } from './errors.ts'
import { guardMutants } from './guard.ts'
import { headerNumberMutants } from './header-numbers.ts'
import { headerMutants } from './headers.ts'
import { inFlightMutants } from './in-flight.ts'
import { lateKeyMutants } from './late-keys.ts'
import { remainingMutants } from './limiters/remaining.ts'
import { onConnectionMutants } from './on-connection.ts'
import { removalHeaderMutants } from './removal-headers.ts'

export const serviceMutants: readonly Mutant[] = [
  ...authenticationMutants,
  ...lateKeyMutants,
  ...guardMutants,
  ...errorMutants,
  ...errorTextMutants,
  ...addressMutants,
  ...descriptionMutants,
  ...removalHeaderMutants,
  ...headerMutants,
  ...headerNumberMutants,
  ...remainingMutants,
  ...dateMutants,
  ...answerMutants,
  ...inFlightMutants,
  ...onConnectionMutants,
]
