// Invariants: requirements about every response. They judge the responses that other checks caused,
// and send no requests.

import { type AnyCheck, observe } from '../engine/declare.ts'
import { rateHeaders, windowOf } from '../engine/quota/rate-headers.ts'
import { plans } from '../spec/plans.ts'
import { bodies } from './invariants/bodies.ts'
import { dates } from './invariants/dates.ts'
import { granted } from './invariants/granted.ts'
import { ownRequests } from './invariants/own-requests.ts'
import { rateLimitHeaders } from './invariants/rate-limit-headers.ts'
import { remaining } from './invariants/remaining.ts'
import { controlFailed } from './requests.ts'
import { deprecation } from './versioning.ts'

const isPlan = (name: string): name is keyof typeof plans => name in plans

const window = observe({
  id: 'headers-window',
  requirement: 'headers.window',
  needs: { stage: 'reads', keyed: 0, anonymous: 0 },
  sends: 'No requests: it looks at the valid `GET /pets`.',
  records: 'Whether X-RateLimit-Limit is the number of the minute, of the day, or neither.',
  inconclusive: controlFailed.list,
  run: async ({ control }) => {
    const exchange = await control('list')
    const plan = (exchange.key ?? '').replace(/-\d+$/, '')
    const limit = rateHeaders(exchange)?.limit
    if (limit === undefined) return 'none'
    return (isPlan(plan) && windowOf(limit, plans[plan])) || 'unknown'
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
