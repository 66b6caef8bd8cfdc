// Faults in the numbers of the rate-limit headers: well-formed, and not true.
import { plans } from '../../spec/plans.ts'
import type { Mutant } from '../mutant.ts'
import { everyAnswer, rewritingHeader } from './over.ts'

const limits: readonly Mutant[] = [
  {
    id: 'header-limit-of-other-plan',
    breaks: 'headers.limit.plan',
    caughtBy: 'header-limit-of-plan',
    fault: 'Every key is shown the limit of Pro.',
    ...rewritingHeader('Limit', () => String(plans.pro.perMinute)),
  },
  {
    id: 'header-limit-per-second',
    breaks: 'headers.limit.plan',
    caughtBy: 'header-limit-of-plan',
    fault: 'Limit is the pace in calls a second.',
    ...rewritingHeader('Limit', (limit) => String(Math.max(1, Math.round(limit / 60)))),
  },
  {
    id: 'header-limit-and-remaining-swapped',
    breaks: 'headers.remaining.bounds',
    caughtBy: 'header-remaining-bounds',
    fault: 'Two variables are swapped.',
    ...everyAnswer((answer) => {
      const { 'X-RateLimit-Limit': limit = '', 'X-RateLimit-Remaining': remaining = '' } =
        answer.headers
      const swapped = { 'X-RateLimit-Limit': remaining, 'X-RateLimit-Remaining': limit }
      return { ...answer, headers: { ...answer.headers, ...swapped } }
    }),
  },
]

const remaining: readonly Mutant[] = [
  {
    id: 'header-remaining-of-the-day',
    breaks: 'headers.remaining.bounds',
    caughtBy: 'header-remaining-bounds',
    fault: 'Limit speaks of the minute, Remaining of the day.',
    ...rewritingHeader('Remaining', (left) =>
      String(left + plans.free.perDay - plans.free.perMinute),
    ),
  },
  {
    id: 'header-remaining-before-counting',
    breaks: 'headers.remaining.counts',
    caughtBy: 'header-remaining-counts',
    fault: 'Remaining is written before the call is counted.',
    ...rewritingHeader('Remaining', (left) => String(Math.min(left + 1, plans.free.perMinute))),
  },
  {
    id: 'header-remaining-constant',
    breaks: 'headers.remaining.counts',
    caughtBy: 'header-remaining-counts',
    fault: 'The counter is asked under another name than it is kept under.',
    ...rewritingHeader('Remaining', () => String(plans.free.perMinute)),
  },
  {
    id: 'calls-not-counted',
    breaks: 'service.counted',
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
]

const resets: readonly Mutant[] = [
  {
    id: 'header-reset-delta',
    breaks: 'headers.reset.seconds',
    caughtBy: 'header-reset-unix-seconds',
    fault: 'Reset counts the seconds from now.',
    ...rewritingHeader('Reset', (reset, nowMs) => String(Math.ceil(reset - nowMs / 1000))),
  },
  {
    id: 'header-reset-milliseconds',
    breaks: 'headers.reset.seconds',
    caughtBy: 'header-reset-unix-seconds',
    fault: 'Reset is in milliseconds.',
    ...rewritingHeader('Reset', (reset) => String(reset * 1000)),
  },
  {
    id: 'header-reset-of-last-window',
    breaks: 'headers.reset.ahead',
    caughtBy: 'header-reset-ahead',
    fault: 'Reset is when the window began.',
    ...rewritingHeader('Reset', (reset) => String(reset - 120)),
  },
  {
    id: 'header-reset-in-local-time',
    breaks: 'headers.reset.ahead',
    caughtBy: 'header-reset-ahead',
    fault: 'Reset is made of a local time that is taken for UTC.',
    ...rewritingHeader('Reset', (reset) => String(reset + 2 * 3_600)),
  },
  {
    id: 'header-reset-a-day-ahead',
    breaks: 'headers.reset.ahead',
    caughtBy: 'header-reset-ahead',
    fault: 'Limit speaks of the minute, Reset of the day.',
    ...rewritingHeader('Reset', (_reset, nowMs) => String(Math.ceil(nowMs / 1000) + 86_400)),
  },
  {
    id: 'header-reset-zero',
    breaks: 'headers.reset.seconds',
    caughtBy: 'header-reset-unix-seconds',
    fault: 'Reset is filled in only once the limit is reached.',
    ...rewritingHeader('Reset', () => '0'),
  },
]

export const headerNumberMutants: readonly Mutant[] = [...limits, ...remaining, ...resets]
