// Faults of the day: not counted, counted wrongly, or refused in the words of the minute.
import { plans } from '../../../spec/plans.ts'
import type { Variant } from '../../compose.ts'
import { clockWindow, type Decision, minuteMs } from '../../limiter.ts'
import type { Mutant } from '../../mutant.ts'

import { onStatus, replacedBy, without } from '../over.ts'
import { dayCountMutants } from './day-counts.ts'

import { daysBy, enforcing } from './over.ts'

const perDay = (change: (calls: number) => number) =>
  enforcing((quota) => ({ ...quota, perDay: change(quota.perDay) }))

const counts: readonly Mutant[] = [
  {
    id: 'day-not-enforced',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-more',
    fault: 'Only the minute is limited.',
    ...perDay(() => 10_000_000),
  },
  {
    id: 'day-one-call-more',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-more',
    fault: 'The day is compared before the call is counted.',
    ...perDay((calls) => calls + 1),
  },
  {
    id: 'day-one-call-fewer',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-fewer',
    fault: 'The day is compared after the call is counted.',
    ...perDay((calls) => calls - 1),
  },
  {
    id: 'day-of-1024-calls',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-more',
    fault: 'A thousand calls are 1,024.',
    ...perDay((calls) => Math.ceil(calls * 1.024)),
  },
  {
    id: 'day-that-starts-each-ten-minutes',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-more',
    fault: 'The count of the day lies in a cache that forgets it every ten minutes.',
    ...daysBy((limit, windowMs) => {
      const told = clockWindow(limit, windowMs)
      const kept = clockWindow(limit, 10 * minuteMs)
      return {
        ...kept,
        look: (nowMs) => ({ ...kept.look(nowMs), resetAtMs: told.look(nowMs).resetAtMs }),
      }
    }),
  },
]

/** Other words for the refusals that the day draws, and not the minute. */
const refusedDays = (change: (refusal: Decision, nowMs: number) => Decision): Variant => ({
  parts: ({ charge }) => ({
    charge: (key, request, nowMs) => {
      const decision = charge(key, request, nowMs)
      const isOfDay = decision.limit === key.quota.perDay
      return decision.granted || !isOfDay ? decision : change(decision, nowMs)
    },
  }),
})

const nextMinuteMs = (nowMs: number) => (Math.floor(nowMs / minuteMs) + 1) * minuteMs

const words: readonly Mutant[] = [
  {
    id: 'day-refused-without-retry-after',
    breaks: 'retry-after.present',
    caughtBy: 'retry-after-present',
    fault: 'Only the limiter of the minute states how long to wait.',
    ...onStatus(429, (answer, request, parts) =>
      answer.headers['X-RateLimit-Limit'] === `${plans.free.perDay}`
        ? without('Retry-After')(answer, request, parts)
        : answer,
    ),
  },
  {
    id: 'day-refused-as-minute',
    breaks: 'headers.agree',
    caughtBy: 'day-refusal-own-window',
    fault: 'Every refusal is written by the limiter of the minute.',
    ...refusedDays((refusal, nowMs) => ({
      ...refusal,
      limit: 60,
      resetAtMs: nextMinuteMs(nowMs),
      retryAfterMs: nextMinuteMs(nowMs) - nowMs,
    })),
  },
  {
    id: 'day-refused-for-thirty-seconds',
    breaks: 'headers.agree',
    caughtBy: 'day-refusal-own-window',
    fault: 'Retry-After is a constant that fits the minute.',
    ...refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
  },
  {
    id: 'day-refused-two-seconds-short',
    breaks: 'headers.agree',
    caughtBy: 'day-refusal-own-window',
    fault: 'Two seconds are subtracted for the time on the network.',
    ...refusedDays((refusal) => ({
      ...refusal,
      retryAfterMs: Math.max(1_000, (refusal.retryAfterMs ?? 0) - 2_000),
    })),
  },
  {
    id: 'day-refused-with-calls-of-minute',
    breaks: 'headers.agree',
    caughtBy: 'refusal-remaining-zero',
    fault: 'The refusal of the day shows what is left of the minute.',
    ...refusedDays((refusal, nowMs) => ({
      ...refusal,
      limit: 60,
      remaining: 41,
      resetAtMs: nextMinuteMs(nowMs),
    })),
  },
]

const excess: readonly Mutant[] = [
  {
    id: 'day-excess-answered-402',
    breaks: 'errors.429',
    caughtBy: 'day-excess-429',
    fault: 'More than a day has to be paid for.',
    ...onStatus(429, (answer, request, parts) =>
      answer.headers['X-RateLimit-Limit'] === '1000'
        ? replacedBy(402, 'payment_required', 'The day is spent.')(answer, request, parts)
        : answer,
    ),
  },
]

const onEnterprise = (change: (calls: number) => number): Variant =>
  enforcing((quota, plan) =>
    plan === 'enterprise' ? { ...quota, perDay: change(quota.perDay) } : quota,
  )

const agreed: readonly Mutant[] = [
  {
    id: 'enterprise-day-not-enforced',
    breaks: 'limits.enterprise',
    caughtBy: 'day-quota-enterprise-not-more',
    fault: 'The day that was agreed is not written down anywhere.',
    keys: ['enterprise'],
    ...onEnterprise(() => 10_000_000),
  },
  {
    id: 'enterprise-day-a-tenth-short',
    breaks: 'limits.enterprise',
    caughtBy: 'day-quota-enterprise-not-fewer',
    fault: 'Where a day was agreed, a tenth of it is missing.',
    keys: ['enterprise'],
    ...onEnterprise((calls) => Math.floor(calls * 0.9)),
  },
  {
    id: 'enterprise-day-refused-for-thirty-seconds',
    breaks: 'headers.agree',
    caughtBy: 'day-refusal-enterprise-own-window',
    fault: 'Retry-After is a constant that fits the minute, whatever was agreed.',
    keys: ['enterprise'],
    ...refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
  },
]

export const dayMutants: readonly Mutant[] = [
  ...counts,
  ...dayCountMutants,
  ...words,
  ...excess,
  ...agreed,
]
