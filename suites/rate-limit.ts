// The rate limit. The order matters: a check may use the state of a key that others left behind.

import type { AnyCheck, Check } from '../engine/check/declare.ts'
import { ban } from './rate-limit/ban.ts'
import { banEnds } from './rate-limit/ban-end.ts'
import { counts } from './rate-limit/counts.ts'
import { dayQuotas } from './rate-limit/day.ts'
import { isolation } from './rate-limit/isolation.ts'
import { quotaOfEachKey, quotas } from './rate-limit/quota.ts'
import { refusals } from './rate-limit/refusals.ts'
import { lastSecond, retryAfter } from './rate-limit/retry-after.ts'
import { windows } from './rate-limit/windows.ts'

/** By the test clock its minute is the first of the day that is spent next. */
const enterprise = [quotas.enterprise, windows.ofPlans.enterprise].map(
  (each): Check => ({ ...each, needs: { ...each.needs, stageByClock: 'days' } }),
)

export const rateLimit: readonly AnyCheck[] = [
  // These spend a part of a minute, and `windows.silence` spends the rest.
  ...counts,
  windows.steady,
  isolation.invalidKey,
  windows.silence,
  quotas.free,
  isolation.otherKeys, // While the cheapest key is exhausted.
  ...retryAfter,
  windows.ofPlans.free,
  ...refusals,
  ...[quotas.pro, windows.ofPlans.pro],
  ...[quotas.business, windows.ofPlans.business],
  ...ban,
  banEnds.again, // Right after a ban, before anything else is refused.
  lastSecond,
  windows.acrossMinute,
  quotaOfEachKey, // After the bans, since the key for bans has been exhausted by then.
  dayQuotas.free,
  ...enterprise,
  dayQuotas.enterprise,
]
