// Clauses: requirements about every response. They judge the responses that other checks caused,
// and send no requests.

import type { AnyCheck } from '../engine/check/declare.ts'
import { createdClauses } from '../model/created.ts'
import { errorClauses } from '../model/errors.ts'
import { formClauses } from '../model/form.ts'
import { keyClauses } from '../model/keys.ts'
import { rateLimitHeaders } from '../model/limiter/headers.ts'
import { limiterClauses } from '../model/limiter/relation.ts'
import { shownClauses } from '../model/shown.ts'
import { dates, deprecation } from '../model/time.ts'

export const clauses: readonly AnyCheck[] = [
  ...rateLimitHeaders,
  ...limiterClauses,
  ...dates,
  ...formClauses,
  ...createdClauses,
  ...shownClauses,
  ...errorClauses,
  ...keyClauses,
  ...deprecation,
]
