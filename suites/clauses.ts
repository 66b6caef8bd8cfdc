// Clauses: requirements about every response. They judge the responses that other checks caused,
// and send no requests.

import { type AnyCheck, observe } from '../engine/check/declare.ts'
import { allKeys } from '../engine/check/spendable-keys.ts'
import { rateHeaders } from '../history/rate-headers.ts'
import { createdClauses } from '../model/created.ts'
import { errorClauses } from '../model/errors.ts'
import { formClauses } from '../model/form.ts'
import { keyClauses } from '../model/keys.ts'
import { rateLimitHeaders } from '../model/limiter/headers.ts'
import { limiterClauses } from '../model/limiter/limits.ts'
import { shownClauses } from '../model/shown.ts'
import { dates, deprecation } from '../model/time.ts'
import { controlFailed } from './pets/requests.ts'

const window = observe({
  id: 'headers-window',
  requirement: 'headers.window',
  // Late, as a response may speak of the window that has the fewest calls left.
  needs: { stage: 'days' },
  sends: 'No requests: it looks at all responses to valid keys.',
  records:
    'Whether X-RateLimit-Limit is the number of the minute, of the day, of either by turns, or ' +
    'neither.',
  inconclusive: controlFailed.list,
  run: async ({ control, limits }) => {
    await control('list')
    const windows = allKeys(limits).flatMap(({ label }) =>
      limits.responsesTo(label).flatMap((exchange) => {
        const said = rateHeaders(exchange)
        return said ? [said.window ?? 'unknown'] : []
      }),
    )
    return [...new Set(windows)].sort().reverse().join(' or ') || 'none'
  },
})

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
  window,
]
