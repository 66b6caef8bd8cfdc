// Faults of the daily quota: not enforced, counted wrongly, or refused like the minute.

import { plans } from '../../../spec/plans.ts'
import { clockWindow, type Decision, dayMs, type Meter, minuteMs } from '../../limiter.ts'
import type { ApiResponse } from '../../message.ts'
import { caughtBy, each, type Mutant, type Variant } from '../../variant.ts'
import { replacedBy, where, without } from '../../wrappers/middleware.ts'
import {
  daysBy,
  deciding,
  decidingFor,
  enforcing,
  remade,
  uncounted,
  withResetOf,
} from '../../wrappers/rate-limiting.ts'

/** A clock day whose count is lost after an idle time. */
const forgetting = (afterIdleMs: number): Variant =>
  daysBy(
    remade(clockWindow, () => {
      let lastMs = 0
      return (nowMs) => {
        const idleMs = nowMs - lastMs
        lastMs = nowMs
        return idleMs > afterIdleMs
      }
    }),
  )

const perDay = (change: (calls: number) => number) =>
  enforcing(({ quota }) => ({ perDay: change(quota.perDay) }))

/** Changes the refusals of the day, not those of the minute. */
const refusedDays = (change: (refusal: Decision, nowMs: number) => Decision): Variant =>
  deciding((decision, nowMs, { quota }) =>
    decision.granted || decision.limit !== quota.perDay ? decision : change(decision, nowMs),
  )

/** Shows some numbers of the day in place of those of the minute. */
const mixed = (show: (day: Decision) => Partial<Decision>): Variant =>
  decidingFor(
    (): { day?: Meter } => ({}),
    (decision, nowMs, own, { quota }) => {
      own.day ??= clockWindow(quota.perDay, dayMs)
      if (decision.granted) own.day.count(nowMs)
      if (decision.limit !== quota.perMinute) return decision
      return { ...decision, ...show({ ...decision, ...own.day.look(nowMs), limit: quota.perDay }) }
    },
  )

const nextMinuteMs = (nowMs: number) => (Math.floor(nowMs / minuteMs) + 1) * minuteMs

const onEnterprise = (change: (calls: number) => number): Variant =>
  enforcing(({ plan, quota }) => (plan === 'enterprise' ? { perDay: change(quota.perDay) } : {}))

const isDayRefusal = ({ status, headers }: ApiResponse): boolean =>
  status === 429 && headers['X-RateLimit-Limit'] === `${plans.free.perDay}`

export const dayMutants: readonly Mutant[] = [
  ...caughtBy('day-quota', {
    'day-forgotten-after-idle-hour': [
      'The count of the day expires after an idle hour.',
      forgetting(60 * minuteMs),
    ],
    'day-without-creations': [
      'POST /pets does not count towards the day.',
      uncounted(
        (windowMs) => windowMs > minuteMs,
        ({ method }) => method === 'POST',
      ),
    ],
    'day-not-enforced': ['The daily quota is not enforced.', perDay(() => 10_000_000)],
    'day-one-call-more': [
      'One call too many per day: the call is compared before it is counted.',
      perDay((calls) => calls + 1),
    ],
    'day-that-starts-each-ten-minutes': [
      'The count of the day is kept in a cache that expires every ten minutes.',
      daysBy((limit, windowMs) =>
        withResetOf(clockWindow(limit, windowMs), clockWindow(limit, 10 * minuteMs)),
      ),
    ],
    'day-one-call-fewer': [
      'One call too few per day: the call is counted before the comparison.',
      perDay((calls) => calls - 1),
    ],
  }),
  ...caughtBy('retry-after-each-served', {
    'day-refused-as-minute': [
      'A refusal of the day has the headers of the minute.',
      refusedDays((refusal, nowMs) => ({
        ...refusal,
        limit: 60,
        resetAtMs: nextMinuteMs(nowMs),
        retryAfterMs: nextMinuteMs(nowMs) - nowMs,
      })),
    ],
    'day-refused-for-thirty-seconds': [
      'Retry-After is always 30 seconds, even when the day is used up.',
      refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
    ],
  }),
  ...each({
    'day-refused-with-calls-of-minute': [
      'header-limit-of-plan',
      'A refusal of the day shows what is left of the minute.',
      refusedDays((refusal, nowMs) => ({
        ...refusal,
        limit: 60,
        remaining: 41,
        resetAtMs: nextMinuteMs(nowMs),
      })),
      { keys: ['enterprise'] },
    ],
    'header-limit-of-the-day': [
      'limit-not-below-quota',
      'X-RateLimit-Limit is of the day, the other two headers are of the minute.',
      mixed(({ limit }) => ({ limit })),
    ],
    'header-limit-and-remaining-of-the-day': [
      'limit-not-below-quota',
      'X-RateLimit-Reset is of the minute, the other two headers are of the day.',
      mixed(({ limit, remaining }) => ({ limit, remaining })),
    ],
    'day-excess-answered-402': [
      'quota-429-status',
      'Beyond the daily quota the response is 402 instead of 429.',
      where(isDayRefusal, replacedBy(402, 'payment_required', 'The day is spent.')),
    ],
    'enterprise-day-not-enforced': [
      'day-quota-enterprise',
      'The agreed daily quota of an Enterprise key is not enforced.',
      onEnterprise(() => 10_000_000),
      { keys: ['enterprise'] },
    ],
    'enterprise-day-a-tenth-short': [
      'day-quota-enterprise',
      'The agreed daily quota of an Enterprise key is a tenth short.',
      onEnterprise((calls) => Math.floor(calls * 0.9)),
      { keys: ['enterprise'] },
    ],
    'enterprise-day-refused-for-thirty-seconds': [
      'retry-after-each-served',
      'Retry-After is always 30 seconds, even when an Enterprise day is used up.',
      refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
      { keys: ['enterprise'] },
    ],
    'day-refused-without-retry-after': [
      'ban-retry-after',
      'A refusal of the day has no Retry-After.',
      where(isDayRefusal, without('Retry-After')),
    ],
  }),
]
