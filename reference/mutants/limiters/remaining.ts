// Faults in how Remaining moves from one answer to the next.
import type { Mutant } from '../../mutant.ts'
import { rewritingHeader } from '../over.ts'
import { deciding } from './over.ts'
import { charging } from './races.ts'

const falls: readonly Mutant[] = [
  {
    id: 'creations-counted-twice',
    breaks: 'headers.remaining.falls',
    caughtBy: 'remaining-falls-by-one',
    fault: 'The limiter is mounted twice on the route of creations.',
    ...charging(({ method }) => (method === 'GET' ? 1 : 2)),
  },
  {
    id: 'calls-counted-three-times',
    breaks: 'headers.remaining.falls',
    caughtBy: 'remaining-falls-by-one',
    fault: 'The key, the plan and the route each charge the same count.',
    ...charging(() => 3),
  },
  {
    id: 'remaining-falls-by-two',
    breaks: 'headers.remaining.falls',
    caughtBy: 'remaining-falls-after-pause',
    fault: 'The call is subtracted where it is counted, and again where it is shown.',
    ...deciding((decision) => ({
      ...decision,
      remaining: Math.max(0, 2 * decision.remaining - decision.limit),
    })),
  },
]

const resets: readonly Mutant[] = [
  {
    id: 'remaining-stuck',
    breaks: 'headers.remaining.rises',
    caughtBy: 'remaining-rises-at-reset',
    fault: 'Remaining is worked out once, when the server starts.',
    ...rewritingHeader('Remaining', () => '59'),
  },
  {
    id: 'remaining-of-two-replicas',
    breaks: 'limits.window-ends',
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

/** What the suites of the contract see. */
export const remainingMutants: readonly Mutant[] = [...falls, ...resets]

/** What a burst, or a row of calls by the test clock, shows. */
export const shownMutants: readonly Mutant[] = [
  {
    id: 'remaining-before-creation',
    breaks: 'headers.remaining.falls',
    caughtBy: 'remaining-shows-own-call',
    fault: 'The headers of a creation are written before it is counted.',
    ...deciding((decision, _nowMs, _key, { method }) =>
      decision.granted && method === 'POST'
        ? { ...decision, remaining: decision.remaining + 1 }
        : decision,
    ),
  },
  {
    id: 'remaining-shows-used',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'Remaining shows how many calls were made.',
    ...deciding((decision) => ({
      ...decision,
      remaining: decision.limit - decision.remaining - 1,
    })),
  },
  {
    id: 'remaining-one-too-low',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'The call is subtracted from what remains after it.',
    ...deciding((decision) => ({
      ...decision,
      remaining: Math.max(0, decision.remaining - 1),
    })),
  },
]
