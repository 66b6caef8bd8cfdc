// The rate limit: quotas, refusals, waits, bans and days. The order matters: a check may use the
// state of a key that earlier checks left behind.

import type { AnyCheck, Check } from '../engine/check/declare.ts'
import type { Plan } from '../spec/plans.ts'
import { ban } from './rate-limit/ban.ts'
import { afterBans } from './rate-limit/ban-again.ts'
import { countWalk } from './rate-limit/count-walk.ts'
import { counting } from './rate-limit/counting.ts'
import { day } from './rate-limit/day/checks.ts'
import { isolation } from './rate-limit/isolation.ts'
import { keptCount } from './rate-limit/kept-count.ts'
import { checkQuota, eachKey } from './rate-limit/quota.ts'
import { overLimit, refusals } from './rate-limit/refusals.ts'
import { remainingFalls } from './rate-limit/remaining-falls.ts'
import { lastSecond, retryAfter, retryAfterPresent } from './rate-limit/retry-after.ts'
import { servedAfterRest, servedAfterSilence } from './rate-limit/window-ends.ts'
import { acrossMinute, windowLength, windowOfPlan } from './rate-limit/window-length.ts'
import { servedMuchLater, servedSteadily } from './rate-limit/window-steady.ts'

const free = checkQuota('free')

const ofPlan = (plan: Plan): readonly Check[] => {
  const { notMore, notFewer } = checkQuota(plan)
  return [notMore, notFewer, servedAfterRest(plan), windowOfPlan(plan)]
}

/** By the test clock its minute is the first of the day that is spent next. */
const enterprise = ofPlan('enterprise').map((check): Check => {
  const needs = { ...check.needs, stageByClock: 'days' } as const
  return { ...check, needs }
})

export const rateLimit: readonly AnyCheck[] = [
  // These spend a part of a minute, and `servedAfterSilence` spends the rest.
  ...counting,
  countWalk,
  ...remainingFalls,
  servedSteadily,
  servedMuchLater, // A day later: what is lost by then affects all later checks.
  keptCount,
  isolation.invalidKey,
  servedAfterSilence,
  free.notMore,
  ...isolation.otherKeys, // While the cheapest key is exhausted.
  overLimit,
  ...retryAfter,
  windowLength, // Right after the wait in Retry-After.
  ...refusals,
  free.notFewer, // It may exhaust a key once more.
  ...ofPlan('pro'),
  ...ofPlan('business'),
  ...ban,
  ...afterBans, // Right after a ban, before anything else is refused.
  lastSecond,
  acrossMinute,
  ...eachKey, // After the bans, since the key for bans has been exhausted by then.
  ...day.free,
  ...enterprise,
  ...day.enterprise,
  retryAfterPresent,
]
