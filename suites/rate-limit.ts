// The rate limit: programs that spend a key's minute or day, and what is observed of it.

import type { AnyCheck } from '../engine/check/declare.ts'
import { bans } from './rate-limit/bans.ts'
import { quotas } from './rate-limit/bursts.ts'
import { counts, steady } from './rate-limit/counts.ts'
import { dayQuotas } from './rate-limit/day.ts'
import { afterBan, observed } from './rate-limit/observed.ts'

export const rateLimit: readonly AnyCheck[] = [
  ...counts,
  ...quotas,
  ...observed,
  steady,
  ...bans.first,
  afterBan,
  bans.again,
  ...dayQuotas,
  // Last, as it leaves out keys that were exhausted.
]
