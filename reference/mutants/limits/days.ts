// Faults of the day: not counted, counted wrongly, or refused like the minute.

import { plans } from '../../../spec/plans.ts'
import type { Variant } from '../../compose.ts'
import { clockWindow, createLimiter, type Decision, minuteMs } from '../../limiter.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { daysBy, enforcing } from '../../seams/limits.ts'
import { onStatus, replacedBy, without } from '../../seams/responses.ts'

/** The count of a day is that of the clock, but for what makes it forget, or not count. */
const forgetting = (afterIdleMs: number): Variant =>
  daysBy((limit, windowMs) => {
    let day = clockWindow(limit, windowMs)
    let lastMs = 0
    const enter = (nowMs: number) => {
      if (nowMs - lastMs > afterIdleMs) day = clockWindow(limit, windowMs)
      return day
    }
    return {
      limit,
      look: (nowMs) => enter(nowMs).look(nowMs),
      count: (nowMs) => {
        enter(nowMs).count(nowMs)
        lastMs = nowMs
      },
    }
  })

/** Creations are counted in the minute alone. */
const skippingCreations = (): Variant => {
  let isCreation = false
  return {
    parts: () => {
      const limiter = createLimiter((limit, windowMs) => {
        const window = clockWindow(limit, windowMs)
        if (windowMs === minuteMs) return window
        return { ...window, count: (nowMs) => (isCreation ? undefined : window.count(nowMs)) }
      })
      return {
        charge: (key, { method }, nowMs) => {
          isCreation = method === 'POST'
          return limiter.take(key.key, key.quota, nowMs)
        },
      }
    },
  }
}

const perDay = (change: (calls: number) => number) =>
  enforcing((quota) => ({ ...quota, perDay: change(quota.perDay) }))

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

const onEnterprise = (change: (calls: number) => number): Variant =>
  enforcing((quota, plan) =>
    plan === 'enterprise' ? { ...quota, perDay: change(quota.perDay) } : quota,
  )

export const dayMutants: readonly Mutant[] = [
  ...caughtBy('day-quota-not-more', [
    [
      'day-forgotten-after-idle-hour',
      'The count of the day expires when it was not touched for an hour.',
      forgetting(60 * minuteMs),
    ],
    [
      'day-without-creations',
      'The limiter of the day is mounted on reads alone.',
      skippingCreations(),
    ],
    ['day-not-enforced', 'Only the minute is limited.', perDay(() => 10_000_000)],
    [
      'day-one-call-more',
      'The day is compared before the call is counted.',
      perDay((calls) => calls + 1),
    ],
    [
      'day-of-1024-calls',
      'A thousand calls are 1,024.',
      perDay((calls) => Math.ceil(calls * 1.024)),
    ],
    [
      'day-that-starts-each-ten-minutes',
      'The count of the day lies in a cache that forgets it every ten minutes.',
      daysBy((limit, windowMs) => {
        const told = clockWindow(limit, windowMs)
        const kept = clockWindow(limit, 10 * minuteMs)
        return {
          ...kept,
          look: (nowMs) => ({ ...kept.look(nowMs), resetAtMs: told.look(nowMs).resetAtMs }),
        }
      }),
    ],
  ]),
  {
    id: 'day-one-call-fewer',
    caughtBy: 'day-quota-not-fewer',
    fault: 'The day is compared after the call is counted.',
    ...perDay((calls) => calls - 1),
  },
  {
    id: 'day-refused-without-retry-after',
    caughtBy: 'retry-after-present',
    fault: 'Only the limiter of the minute states how long to wait.',
    ...onStatus(429, (answer, request, parts) =>
      answer.headers['X-RateLimit-Limit'] === `${plans.free.perDay}`
        ? without('Retry-After')(answer, request, parts)
        : answer,
    ),
  },
  ...caughtBy('day-refusal-own-window', [
    [
      'day-refused-as-minute',
      'Every refusal is written by the limiter of the minute.',
      refusedDays((refusal, nowMs) => ({
        ...refusal,
        limit: 60,
        resetAtMs: nextMinuteMs(nowMs),
        retryAfterMs: nextMinuteMs(nowMs) - nowMs,
      })),
    ],
    [
      'day-refused-for-thirty-seconds',
      'Retry-After is a constant that fits the minute.',
      refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
    ],
    [
      'day-refused-two-seconds-short',
      'Two seconds are subtracted for the time on the network.',
      refusedDays((refusal) => ({
        ...refusal,
        retryAfterMs: Math.max(1_000, (refusal.retryAfterMs ?? 0) - 2_000),
      })),
    ],
  ]),
  {
    id: 'day-refused-with-calls-of-minute',
    caughtBy: 'refusal-remaining-zero',
    fault: 'The refusal of the day shows what is left of the minute.',
    ...refusedDays((refusal, nowMs) => ({
      ...refusal,
      limit: 60,
      remaining: 41,
      resetAtMs: nextMinuteMs(nowMs),
    })),
  },
  {
    id: 'day-excess-answered-402',
    caughtBy: 'day-excess-429',
    fault: 'More than a day has to be paid for.',
    ...onStatus(429, (answer, request, parts) =>
      answer.headers['X-RateLimit-Limit'] === '1000'
        ? replacedBy(402, 'payment_required', 'The day is spent.')(answer, request, parts)
        : answer,
    ),
  },
  {
    id: 'enterprise-day-not-enforced',
    caughtBy: 'day-quota-enterprise-not-more',
    fault: 'The day that was agreed is not written down anywhere.',
    keys: ['enterprise'],
    ...onEnterprise(() => 10_000_000),
  },
  {
    id: 'enterprise-day-a-tenth-short',
    caughtBy: 'day-quota-enterprise-not-fewer',
    fault: 'Where a day was agreed, a tenth of it is missing.',
    keys: ['enterprise'],
    ...onEnterprise((calls) => Math.floor(calls * 0.9)),
  },
  {
    id: 'enterprise-day-refused-for-thirty-seconds',
    caughtBy: 'day-refusal-enterprise-own-window',
    fault: 'Retry-After is a constant that fits the minute, whatever was agreed.',
    keys: ['enterprise'],
    ...refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
  },
]
