// The rate limit. The order matters: a check may use the state of a key that others left behind.

import type { AnyCheck, Check } from '../engine/check/declare.ts'
import type { Plan } from '../spec/plans.ts'
import { ban } from './rate-limit/ban.ts'
import { banEnds } from './rate-limit/ban-end.ts'
import { counts } from './rate-limit/counts.ts'
import { day } from './rate-limit/day.ts'
import { isolation } from './rate-limit/isolation.ts'
import { quotaOf, quotaOfEachKey } from './rate-limit/quota.ts'
import { refusals } from './rate-limit/refusals.ts'
import { lastSecond, retryAfter } from './rate-limit/retry-after.ts'
import { windows } from './rate-limit/windows.ts'

const ofPlan = (plan: Plan): readonly Check[] => [
  quotaOf(plan),
  windows.windowOf(plan, `window-${plan}-not-shorter`),
]

/** By the test clock its minute is the first of the day that is spent next. */
const enterprise = ofPlan('enterprise').map((check): Check => {
  const needs = { ...check.needs, stageByClock: 'days' } as const
  return { ...check, needs }
})

export const rateLimit: readonly AnyCheck[] = [
  // These spend a part of a minute, and `windows.silence` spends the rest.
  ...counts,
  windows.steady,
  isolation.invalidKey,
  windows.silence,
  quotaOf('free'),
  isolation.otherKeys, // While the cheapest key is exhausted.
  ...retryAfter,
  windows.windowOf('free', 'window-not-shorter'),
  ...refusals,
  ...ofPlan('pro'),
  ...ofPlan('business'),
  ...ban,
  banEnds.again, // Right after a ban, before anything else is refused.
  lastSecond,
  windows.acrossMinute,
  quotaOfEachKey, // After the bans, since the key for bans has been exhausted by then.
  day.free,
  ...enterprise,
  day.enterprise,
]
