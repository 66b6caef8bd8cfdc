// Wrong numbers in the rate-limit headers.
import { plans } from '../../../spec/plans.ts'
import type { Decision } from '../../limiter.ts'
import { caughtBy, family, type Mutant } from '../../mutant.ts'
import { perServer, replacing } from '../../variant.ts'
import {
  everyResponse,
  rateLimitNames,
  rewritingHeader,
  withHeaders,
} from '../../wrappers/middleware.ts'
import { charging, deciding, decidingBy } from '../../wrappers/rate-limiting.ts'
import { wrongLimit, wrongRemaining, wrongReset } from './headers.ts'

const shownRemaining = family(
  (remaining: (decision: Decision) => number) =>
    deciding((decision) => ({ ...decision, remaining: Math.max(0, remaining(decision)) })),
  'X-RateLimit-Remaining',
)

export const headerNumberMutants: readonly Mutant[] = [
  ...wrongLimit.caughtBy('header-limit-of-plan', {
    'header-limit-of-other-plan': ['is that of Pro for every key', () => plans.pro.perMinute],
    'header-limit-per-second': [
      'is calls per second',
      (limit) => Math.max(1, Math.round(limit / 60)),
    ],
  }),
  ...caughtBy('header-remaining-bounds', {
    'header-limit-and-remaining-swapped': [
      'X-RateLimit-Limit and X-RateLimit-Remaining are swapped.',
      everyResponse((response) => {
        const [limit = '', remaining = ''] = rateLimitNames.map((name) => response.headers[name])
        const swapped = { 'X-RateLimit-Limit': remaining, 'X-RateLimit-Remaining': limit }
        return withHeaders(swapped)(response)
      }),
    ],
    'header-remaining-of-the-day': [
      'X-RateLimit-Limit is of the minute, X-RateLimit-Remaining of the day.',
      rewritingHeader('Remaining', (left) => left + plans.free.perDay - plans.free.perMinute),
    ],
  }),
  ...wrongRemaining.caughtBy('header-remaining-counts', {
    'header-remaining-before-counting': [
      'is written before the call is counted',
      (left) => Math.min(left + 1, plans.free.perMinute),
    ],
    'header-remaining-constant': [
      'is constant: the counter is read under the wrong name',
      () => plans.free.perMinute,
    ],
  }),
  ...caughtBy('window-served-most', {
    'calls-not-counted': [
      'Calls are not counted.',
      perServer(() => {
        let calls = 0
        return replacing('charge', ({ limiter }, { plan, quota }, _request, nowMs) => {
          calls++
          // A key that nobody calls with: every call is the first of its window.
          const first = limiter.take(`${plan}-${calls}`, quota, nowMs)
          return { ...first, resetAtMs: first.resetAtMs + 1000 * (calls % 2) }
        })
      }),
      { suite: 'both' },
    ],
  }),
  ...wrongReset.caughtBy('header-reset-unix-seconds', {
    'header-reset-delta': [
      'is seconds from now, not Unix time',
      (reset, nowMs) => Math.ceil(reset - nowMs / 1000),
    ],
    'header-reset-milliseconds': ['is in milliseconds', (reset) => reset * 1000],
    'header-reset-zero': ['is 0 until the limit is reached', () => 0],
  }),
  ...wrongReset.caughtBy('header-reset-ahead', {
    'header-reset-of-last-window': ['is the start of the window', (reset) => reset - 120],
    'header-reset-in-local-time': ['is in local time instead of UTC', (reset) => reset + 2 * 3_600],
  }),
  ...caughtBy('header-reset-ahead', {
    'header-reset-a-day-ahead': [
      'X-RateLimit-Limit is of the minute, X-RateLimit-Reset of the day.',
      rewritingHeader('Reset', (_reset, nowMs) => Math.ceil(nowMs / 1000) + 86_400),
    ],
  }),
]

/** Faults that the suites of the contract see. */
export const remainingMutants: readonly Mutant[] = [
  ...family(charging).caughtBy('remaining-falls-by-one', {
    'creations-counted-twice': [
      'A POST /pets is counted twice.',
      ({ method }) => (method === 'GET' ? 1 : 2),
    ],
    'calls-counted-three-times': [
      'Each call is counted three times: by key, by plan and by route.',
      () => 3,
    ],
  }),
  ...shownRemaining.caughtBy('remaining-falls-after-pause', {
    'remaining-falls-by-two': [
      'falls by two per call',
      ({ remaining, limit }) => 2 * remaining - limit,
      { shownBy: 'whole run' },
    ],
  }),
  ...wrongRemaining.caughtBy('remaining-rises-at-reset', {
    'remaining-stuck': ['never changes', () => 59],
  }),
  ...caughtBy('refills-minute-apart', {
    'remaining-of-two-replicas': [
      'X-RateLimit-Remaining of every other response comes from another replica.',
      decidingBy(() => {
        let calls = 0
        return (decision) =>
          calls++ % 2 === 1 ? { ...decision, remaining: decision.limit - 1 } : decision
      }),
    ],
  }),
]

/** Faults that only the rate-limit suites see. */
export const shownMutants: readonly Mutant[] = [
  ...caughtBy('remaining-shows-own-call', {
    'remaining-before-creation': [
      'The rate-limit headers of a creation are written before it is counted.',
      deciding((decision, _nowMs, _key, { method }) =>
        decision.granted && method === 'POST'
          ? { ...decision, remaining: decision.remaining + 1 }
          : decision,
      ),
    ],
  }),
  ...shownRemaining.caughtBy('quota-free-not-more', {
    'remaining-shows-used': [
      'shows the calls used',
      ({ limit, remaining }) => limit - remaining - 1,
    ],
    'remaining-one-too-low': ['is one too low', ({ remaining }) => remaining - 1],
  }),
]
