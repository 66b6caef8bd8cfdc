// What holds for every answer: judged over all that the other checks caused, at no request.

import type { Question } from '../engine/check.ts'
import { observe } from '../engine/check.ts'
import { rateHeaders, windowOf } from '../engine/quota/rate-headers.ts'
import { plans } from '../spec/plans.ts'
import { bodies } from './invariants/bodies.ts'
import { dates } from './invariants/dates.ts'
import { deprecation } from './invariants/deprecation.ts'
import { limits } from './invariants/limits.ts'
import { ownRequests } from './invariants/own.ts'
import { rateLimitHeaders } from './invariants/rate-limit-headers.ts'

const isPlan = (name: string): name is keyof typeof plans => name in plans

const window = observe(
  'headers-window',
  'headers.window',
  { stage: 'reads', keyed: 0, anonymous: 0 },
  async ({ control }) => {
    const exchange = await control('list')
    const plan = (exchange.key ?? '').replace(/-\d+$/, '')
    const limit = rateHeaders(exchange)?.limit
    if (limit === undefined) return 'none'
    return (isPlan(plan) && windowOf(limit, plans[plan])) || 'unknown'
  },
)

export const list: readonly Question[] = [
  ...rateLimitHeaders,
  ...limits,
  ...dates,
  ...bodies,
  ...ownRequests,
  ...deprecation,
  window,
]
