// Faults in the numbers of the rate-limit headers: well-formed, and wrong.
import { plans } from '../../../spec/plans.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { charging, deciding } from '../../seams/limits.ts'
import { everyResponse, rewritingHeader } from '../../seams/responses.ts'

export const headerNumberMutants: readonly Mutant[] = [
  ...caughtBy('header-limit-of-plan', [
    [
      'header-limit-of-other-plan',
      'Every key is shown the limit of Pro.',
      rewritingHeader('Limit', () => String(plans.pro.perMinute)),
    ],
    [
      'header-limit-per-second',
      'Limit is the pace in calls a second.',
      rewritingHeader('Limit', (limit) => String(Math.max(1, Math.round(limit / 60)))),
    ],
  ]),
  ...caughtBy('header-remaining-bounds', [
    [
      'header-limit-and-remaining-swapped',
      'Two variables are swapped.',
      everyResponse((answer) => {
        const { 'X-RateLimit-Limit': limit = '', 'X-RateLimit-Remaining': remaining = '' } =
          answer.headers
        const swapped = { 'X-RateLimit-Limit': remaining, 'X-RateLimit-Remaining': limit }
        return { ...answer, headers: { ...answer.headers, ...swapped } }
      }),
    ],
    [
      'header-remaining-of-the-day',
      'Limit speaks of the minute, Remaining of the day.',
      rewritingHeader('Remaining', (left) =>
        String(left + plans.free.perDay - plans.free.perMinute),
      ),
    ],
  ]),
  ...caughtBy('header-remaining-counts', [
    [
      'header-remaining-before-counting',
      'Remaining is written before the call is counted.',
      rewritingHeader('Remaining', (left) => String(Math.min(left + 1, plans.free.perMinute))),
    ],
    [
      'header-remaining-constant',
      'The counter is asked under another name than it is kept under.',
      rewritingHeader('Remaining', () => String(plans.free.perMinute)),
    ],
  ]),
  {
    id: 'calls-not-counted',
    caughtBy: 'window-served-most',
    fault: 'Two processes that round Reset differently share a counter that nobody raises.',
    parts: ({ limiter }) => {
      let calls = 0
      return {
        charge: ({ plan, quota }, _request, nowMs) => {
          calls++
          // A key that nobody calls with: every call is the first of its window.
          const first = limiter.take(`${plan}-${calls}`, quota, nowMs)
          return { ...first, resetAtMs: first.resetAtMs + 1000 * (calls % 2) }
        },
      }
    },
  },
  ...caughtBy('header-reset-unix-seconds', [
    [
      'header-reset-delta',
      'Reset counts the seconds from now.',
      rewritingHeader('Reset', (reset, nowMs) => String(Math.ceil(reset - nowMs / 1000))),
    ],
    [
      'header-reset-milliseconds',
      'Reset is in milliseconds.',
      rewritingHeader('Reset', (reset) => String(reset * 1000)),
    ],
    [
      'header-reset-zero',
      'Reset is filled in only once the limit is reached.',
      rewritingHeader('Reset', () => '0'),
    ],
  ]),
  ...caughtBy('header-reset-ahead', [
    [
      'header-reset-of-last-window',
      'Reset is when the window began.',
      rewritingHeader('Reset', (reset) => String(reset - 120)),
    ],
    [
      'header-reset-in-local-time',
      'Reset is made of a local time that is taken for UTC.',
      rewritingHeader('Reset', (reset) => String(reset + 2 * 3_600)),
    ],
    [
      'header-reset-a-day-ahead',
      'Limit speaks of the minute, Reset of the day.',
      rewritingHeader('Reset', (_reset, nowMs) => String(Math.ceil(nowMs / 1000) + 86_400)),
    ],
  ]),
]

/** What the suites of the contract see. */
export const remainingMutants: readonly Mutant[] = [
  ...caughtBy('remaining-falls-by-one', [
    [
      'creations-counted-twice',
      'The limiter is mounted twice on the route of creations.',
      charging(({ method }) => (method === 'GET' ? 1 : 2)),
    ],
    [
      'calls-counted-three-times',
      'The key, the plan and the route each charge the same count.',
      charging(() => 3),
    ],
  ]),
  {
    id: 'remaining-falls-by-two',
    caughtBy: 'remaining-falls-after-pause',
    fault: 'The call is subtracted where it is counted, and again where it is shown.',
    shownBy: 'whole run',
    ...deciding((decision) => ({
      ...decision,
      remaining: Math.max(0, 2 * decision.remaining - decision.limit),
    })),
  },
  {
    id: 'remaining-stuck',
    caughtBy: 'remaining-rises-at-reset',
    fault: 'Remaining is worked out once, when the server starts.',
    ...rewritingHeader('Remaining', () => '59'),
  },
  {
    id: 'remaining-of-two-replicas',
    caughtBy: 'refills-minute-apart',
    fault: 'Every other answer comes from a replica that served nobody else.',
    parts: ({ charge }) => {
      let calls = 0
      return {
        charge: (key, request, nowMs) => {
          const decision = charge(key, request, nowMs)
          const isOther = calls++ % 2 === 1
          return isOther ? { ...decision, remaining: decision.limit - 1 } : decision
        },
      }
    },
  },
]

/** What a burst, or a row of calls by the test clock, shows. */
export const shownMutants: readonly Mutant[] = [
  {
    id: 'remaining-before-creation',
    caughtBy: 'remaining-shows-own-call',
    fault: 'The headers of a creation are written before it is counted.',
    ...deciding((decision, _nowMs, _key, { method }) =>
      decision.granted && method === 'POST'
        ? { ...decision, remaining: decision.remaining + 1 }
        : decision,
    ),
  },
  ...caughtBy('quota-free-not-more', [
    [
      'remaining-shows-used',
      'Remaining shows how many calls were made.',
      deciding((decision) => ({
        ...decision,
        remaining: decision.limit - decision.remaining - 1,
      })),
    ],
    [
      'remaining-one-too-low',
      'The call is subtracted from what remains after it.',
      deciding((decision) => ({
        ...decision,
        remaining: Math.max(0, decision.remaining - 1),
      })),
    ],
  ]),
]
