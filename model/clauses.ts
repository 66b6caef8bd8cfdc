// The clauses but those of the limiter, in the order of the interface.
import type { Clause } from './clause.ts'
import { createdClauses } from './created.ts'
import { errorClauses } from './errors.ts'
import { fetchedClauses } from './fetched.ts'
import { formClauses } from './form.ts'
import { keyClauses } from './keys.ts'
import { shownClauses } from './shown.ts'
import { statusDue } from './status.ts'
import { dates, deprecation } from './time.ts'

/** What a response is about: its status, and the pets that it shows. */
export const contentClauses: readonly Clause[] = [
  statusDue,
  ...createdClauses,
  ...shownClauses,
  ...fetchedClauses,
]

export const plainClauses: readonly Clause[] = [
  ...dates,
  ...formClauses,
  ...createdClauses,
  ...shownClauses,
  ...fetchedClauses,
  ...errorClauses,
  ...keyClauses,
  ...deprecation,
  statusDue, // After all others: it reports what none of them does.
]
