// The rate limit: its quotas, refusals, waits, bans and days. The order is part of the work.

import type { Question } from '../engine/declare.ts'
import { largerPlans } from '../spec/plans.ts'
import { afterBans } from './rate-limit/after-bans.ts'
import { ban } from './rate-limit/ban.ts'
import { calm } from './rate-limit/calm.ts'
import { counting } from './rate-limit/counting.ts'
import { day } from './rate-limit/day.ts'
import { eachKey } from './rate-limit/each-key.ts'
import { fingerprint } from './rate-limit/fingerprint.ts'
import { isolation } from './rate-limit/isolation.ts'
import { errorsNoBan, kept } from './rate-limit/kept-count.ts'
import { lastSecond } from './rate-limit/last-second.ts'
import { excessChecks, quotaOf, quotaOfOther } from './rate-limit/quota.ts'
import { refusal } from './rate-limit/refusal.ts'
import { rest } from './rate-limit/rest.ts'
import { present, retryAfter } from './rate-limit/retry-after.ts'
import { shownAtOnce } from './rate-limit/shown-at-once.ts'
import { acrossMinute, steadily } from './rate-limit/steady.ts'
import { strangersFree } from './rate-limit/strangers.ts'
import { windowLength, windowOfPlan } from './rate-limit/window-length.ts'

const [freeNotMore, freeNotFewer] = quotaOf('free')

const those = (...questions: (Question | undefined)[]): Question[] =>
  questions.filter((question) => question !== undefined)

export const rateLimit: readonly Question[] = [
  ...kept,
  ...steadily, // Across a midnight: what ends there for good shows in all that follows.
  // These begin to spend a minute, and the rest spends what is left of it.
  ...counting,
  ...shownAtOnce,
  ...calm,
  ...strangersFree,
  ...rest,
  ...those(freeNotMore),
  ...isolation, // While the one key is exhausted.
  ...excessChecks,
  ...retryAfter,
  ...windowLength, // Right after the stated wait.
  ...refusal,
  ...fingerprint,
  ...those(freeNotFewer), // It may exhaust a key once more.
  ...largerPlans.flatMap((plan) => [...quotaOfOther(plan), windowOfPlan(plan)]),
  ...ban,
  ...afterBans, // Right after a ban, when nothing else was refused since.
  ...lastSecond,
  ...acrossMinute,
  ...errorsNoBan,
  ...eachKey, // After the bans, as the key for bans has been exhausted by then.
  ...day,
  present,
]
