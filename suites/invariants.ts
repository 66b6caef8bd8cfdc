// Invariants: requirements about every response. They judge the responses that other checks caused,
// and send no requests.

import { type AnyCheck, observe } from '../engine/declare.ts'
import { allKeys } from '../engine/quota/limits.ts'
import { rateHeaders, windowOf } from '../engine/quota/rate-headers.ts'
import { bodies } from './invariants/bodies.ts'
import { dates } from './invariants/dates.ts'
import { granted } from './invariants/granted.ts'
import { ownRequests } from './invariants/own-requests.ts'
import { rateLimitHeaders } from './invariants/rate-limit-headers.ts'
import { remaining } from './invariants/remaining.ts'
import { controlFailed } from './requests.ts'
import { deprecation } from './versioning.ts'

const window = observe({
  id: 'headers-window',
  requirement: 'headers.window',
  needs: { stage: 'reads', keyed: 0, anonymous: 0 },
  sends: 'No requests: it looks at the valid `GET /pets`.',
  records: 'Whether X-RateLimit-Limit is the number of the minute, of the day, or neither.',
  inconclusive: controlFailed.list,
  run: async ({ control, limits }) => {
    const exchange = await control('list')
    const key = allKeys(limits).find(({ label }) => label === exchange.key)
    const limit = rateHeaders(exchange)?.limit
    if (limit === undefined) return 'none'
    return (key && windowOf(limit, key.quota)) || 'unknown'
  },
})

export const invariants: readonly AnyCheck[] = [
  ...rateLimitHeaders,
  ...granted,
  ...remaining,
  ...dates,
  ...bodies,
  ...ownRequests,
  ...deprecation,
  window,
]
