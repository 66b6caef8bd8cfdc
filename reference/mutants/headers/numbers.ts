// Wrong numbers in the rate-limit headers.
import { plans } from '../../../spec/plans.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { perServer, replacing } from '../../variant.ts'
import {
  everyResponse,
  rateLimitNames,
  rewritingHeader,
  withHeaders,
} from '../../wrappers/middleware.ts'
import { charging, deciding, decidingBy } from '../../wrappers/rate-limits.ts'

export const headerNumberMutants: readonly Mutant[] = [
  ...caughtBy('header-limit-of-plan', {
    'header-limit-of-other-plan': [
      'X-RateLimit-Limit is that of Pro for every key.',
      rewritingHeader('Limit', () => String(plans.pro.perMinute)),
    ],
    'header-limit-per-second': [
      'X-RateLimit-Limit is calls per second.',
      rewritingHeader('Limit', (limit) => String(Math.max(1, Math.round(limit / 60)))),
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
      rewritingHeader('Remaining', (left) =>
        String(left + plans.free.perDay - plans.free.perMinute),
      ),
    ],
  }),
  ...caughtBy('header-remaining-counts', {
    'header-remaining-before-counting': [
      'X-RateLimit-Remaining is written before the call is counted.',
      rewritingHeader('Remaining', (left) => String(Math.min(left + 1, plans.free.perMinute))),
    ],
    'header-remaining-constant': [
      'X-RateLimit-Remaining is constant: the counter is read under the wrong name.',
      rewritingHeader('Remaining', () => String(plans.free.perMinute)),
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
    ],
  }),
  ...caughtBy('header-reset-unix-seconds', {
    'header-reset-delta': [
      'X-RateLimit-Reset is seconds from now, not Unix time.',
      rewritingHeader('Reset', (reset, nowMs) => String(Math.ceil(reset - nowMs / 1000))),
    ],
    'header-reset-milliseconds': [
      'X-RateLimit-Reset is in milliseconds.',
      rewritingHeader('Reset', (reset) => String(reset * 1000)),
    ],
    'header-reset-zero': [
      'X-RateLimit-Reset is 0 until the limit is reached.',
      rewritingHeader('Reset', () => '0'),
    ],
  }),
  ...caughtBy('header-reset-ahead', {
    'header-reset-of-last-window': [
      'X-RateLimit-Reset is the start of the window.',
      rewritingHeader('Reset', (reset) => String(reset - 120)),
    ],
    'header-reset-in-local-time': [
      'X-RateLimit-Reset is in local time instead of UTC.',
      rewritingHeader('Reset', (reset) => String(reset + 2 * 3_600)),
    ],
    'header-reset-a-day-ahead': [
      'X-RateLimit-Limit is of the minute, X-RateLimit-Reset of the day.',
      rewritingHeader('Reset', (_reset, nowMs) => String(Math.ceil(nowMs / 1000) + 86_400)),
    ],
  }),
]

/** Faults that the suites of the contract see. */
export const remainingMutants: readonly Mutant[] = [
  ...caughtBy('remaining-falls-by-one', {
    'creations-counted-twice': [
      'A POST /pets is counted twice.',
      charging(({ method }) => (method === 'GET' ? 1 : 2)),
    ],
    'calls-counted-three-times': [
      'Each call is counted three times: by key, by plan and by route.',
      charging(() => 3),
    ],
  }),
  ...caughtBy('remaining-falls-after-pause', {
    'remaining-falls-by-two': [
      'X-RateLimit-Remaining falls by two per call.',
      deciding((decision) => ({
        ...decision,
        remaining: Math.max(0, 2 * decision.remaining - decision.limit),
      })),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('remaining-rises-at-reset', {
    'remaining-stuck': [
      'X-RateLimit-Remaining never changes.',
      rewritingHeader('Remaining', () => '59'),
    ],
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
  ...caughtBy('quota-free-not-more', {
    'remaining-shows-used': [
      'X-RateLimit-Remaining shows the calls used.',
      deciding((decision) => ({
        ...decision,
        remaining: decision.limit - decision.remaining - 1,
      })),
    ],
    'remaining-one-too-low': [
      'X-RateLimit-Remaining is one too low.',
      deciding((decision) => ({
        ...decision,
        remaining: Math.max(0, decision.remaining - 1),
      })),
    ],
  }),
]
