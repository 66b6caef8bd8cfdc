// Invariants: requirements about every response. They judge the responses that other checks caused,
// and send no requests.

import { type AnyCheck, observe } from '../engine/check/declare.ts'
import { allKeys } from '../engine/check/spendable-keys.ts'
import { rateHeaders } from '../engine/quota/rate-headers.ts'
import { dates } from './invariants/date-headers.ts'
import { dayWindows, keptWaits } from './invariants/days-and-waits.ts'
import { granted } from './invariants/granted.ts'
import { ownRequests } from './invariants/own-requests.ts'
import { rateLimitHeaders } from './invariants/rate-limit-headers.ts'
import { refusedBelow } from './invariants/refused-below.ts'
import { remaining } from './invariants/remaining.ts'
import { bodies } from './invariants/response-bodies.ts'
import { controlFailed } from './pets/requests.ts'
import { strangeRequests } from './strange/twins.ts'
import { deprecation } from './versioning.ts'

const window = observe({
  id: 'headers-window',
  requirement: 'headers.window',
  // Late, as a response may speak of the window that has the fewest calls left.
  needs: { stage: 'days', keyed: 0, anonymous: 0 },
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

export const invariants: readonly AnyCheck[] = [
  ...rateLimitHeaders,
  ...granted,
  ...dayWindows,
  ...remaining,
  ...dates,
  ...bodies,
  ...keptWaits,
  ...refusedBelow,
  ...ownRequests,
  ...strangeRequests,
  ...deprecation,
  window,
]
