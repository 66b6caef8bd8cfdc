// Legal times. Of windows: how calls are counted, when windows begin, and what the headers show; a
// Date that is wrong or cached; and the moment when GET by id is removed.

import { counterToNextCall, legalMeters, offset, toTheMillisecond } from '../legal-meters.ts'
import { clockWindow, createLimiter, hourMs, type MakeMeter } from '../limiter.ts'
import { keptFor } from '../mutants/headers.ts'
import { type LegalVariant, legal, together, type Variant } from '../variant.ts'
import { dated, isRefused } from '../wrappers/middleware.ts'
import { onResponse, refusingCalls } from '../wrappers/pet-store.ts'
import {
  daysBy,
  limitedBy,
  meteredBy,
  minutesBy,
  resetting,
  uncounted,
  waitingUntil,
} from '../wrappers/rate-limiting.ts'

const numbers = ['remaining-rises-at-reset', 'reset-not-moved-back', 'header-reset-ahead'] as const

const design = [...numbers, 'quota-free', 'retry-after-each-served', 'limiter-design'] as const

const does: Record<keyof typeof legalMeters, string> = {
  'window-from-first-call': 'A window starts with the first call after the previous one.',
  'log-reset-oldest':
    'A log of calls that expire after a window; Reset is when the oldest one expires.',
  'log-reset-newest':
    'A log of calls that expire after a window; Reset is when the newest one expires.',
  'sliding-counter': 'A sliding counter: the previous window counts less and less.',
  'bucket-reset-full': 'A token bucket; Reset is when it is full.',
  'bucket-reset-next': 'A token bucket that refills every second; Reset is the next refill.',
  'bucket-reset-next-one': 'A token bucket; Reset is when the next token is back.',
  'bucket-in-tenths': 'A token bucket that refills a tenth of its tokens every tenth of a window.',
  'bucket-in-sixths': 'A token bucket that refills a sixth of its tokens every sixth of a window.',
  'bucket-in-thirds': 'A token bucket that refills a third at once; Reset is the next refill.',
  'bucket-in-halves': 'A token bucket that refills half of its tokens every half of a window.',
}

const designs = (Object.entries(legalMeters) as [keyof typeof legalMeters, MakeMeter][]).map(
  ([name, meter]): LegalVariant => ({
    id: `limiter-${name}`,
    does: does[name],
    exercises: [...design, 'day-quota'],
    ...meteredBy(meter),
  }),
)

const rounding = (round: (seconds: number) => number): Variant =>
  together(meteredBy(toTheMillisecond), resetting(round))

export const windowVariants = [
  ...designs,
  ...legal(['answers-that-count', 'remaining-falls-by-one', 'quota-429-status'], {
    'limiter-refusals-free': ['Invalid requests do not count.', uncounted(isRefused)],
    'limiter-never-bans': ['There is no ban.', limitedBy(() => createLimiter(clockWindow))],
  }),
  ...legal(['retry-after-present', 'retry-after-each-served', 'retry-after-form'], {
    'limiter-retry-after-date': ['Retry-After is an HTTP-date.', waitingUntil(0)],
  }),
  ...legal(['day-quota', 'limit-not-late', 'limit-not-early'], {
    'limiter-day-of-another-zone': [
      'A clock minute, and a day that starts at midnight in Tokyo.',
      daysBy(offset(15 * 3_600_000)),
    ],
    'limiter-day-from-first-call': [
      'A clock minute, and a day that starts with its first call.',
      daysBy(toTheMillisecond),
    ],
    'limiter-bucket-and-day-of-clock': [
      'A token bucket for the minute, a clock day.',
      minutesBy(legalMeters['bucket-reset-full']),
    ],
  }),
  ...legal(design, {
    'limiter-minute-from-second-17': ['A minute starts at second 17.', meteredBy(offset(17_000))],
    'limiter-counter-reset-next-call': [
      'A sliding counter whose Reset is when the next call expires.',
      minutesBy(counterToNextCall),
    ],
  }),
  ...legal(['header-reset-ahead', 'retry-after-each-served', 'quota-free', 'limit-not-late'], {
    'limiter-reset-rounded-down': ['Reset is rounded down to the second.', rounding(Math.floor)],
    'limiter-reset-a-second-later': [
      'A window ends on its millisecond; Reset is always the second after.',
      rounding((seconds) => Math.floor(seconds) + 1),
    ],
  }),
]

export const dateVariants = [
  ...legal([...numbers, 'date-advances'], {
    'date-hours-behind': ['Date is hours behind.', dated(() => (nowMs) => nowMs - 7 * hourMs)],
    'date-minutes-ahead': ['Date is minutes ahead.', dated(() => (nowMs) => nowMs + hourMs / 15)],
    'date-kept-for-two-seconds': ['Date is updated every two seconds.', dated(keptFor(2_000))],
  }),
]

/** The removed operation gets this status. */
const removedAs = (status: number): Variant =>
  refusingCalls('getPet', status, (_call, response) => response.status === 410)

export const legalRemovals = legal(['get-after-removal-gone', 'get-last-evening-200'], {
  'removed-404': ['The removed operation gets 404.', removedAs(404)],
  'removed-501': ['The removed operation gets 501.', removedAs(501)],
  'removed-with-announcements': [
    'After the removal the response has none of its headers.',
    onResponse('getPet', 410, ({ status, body }) => ({ status, headers: {}, body })),
  ],
  'removed-at-the-end-of-the-day': [
    'The operation works until the end of its removal day.',
    { parts: () => ({ removalAtMs: Date.UTC(2030, 11, 5, 23, 59, 59) }) },
  ],
})
