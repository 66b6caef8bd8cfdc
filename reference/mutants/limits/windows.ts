// Faults in when the quota of a minute comes back, in what a refusal states about that, and in how
// long a count lasts: a response resets it, or its window does not end.
import { plans } from '../../../spec/plans.ts'
import {
  ceilToSecond,
  fromFirstCall,
  legalMeters,
  logOfAllCalls,
  toTheMillisecond,
} from '../../legal-meters.ts'
import { clockWindow, dayMs, hourMs, type MakeMeter, type Meter, minuteMs } from '../../limiter.ts'
import { caughtBy, each, family, together, type Variant } from '../../variant.ts'
import { everyResponseBy, onErrors, withHeaders } from '../../wrappers/middleware.ts'
import {
  countedAs,
  daysBy,
  decidingBy,
  minutesBy,
  neverServedAfter,
} from '../../wrappers/rate-limiting.ts'

/** A window of another length, with true headers. */
const lasting = family((seconds: number) =>
  minutesBy((limit) => clockWindow(limit, seconds * 1000)),
)

/** Counts and refuses by one meter, and shows the Reset of another. */
const withResetOf = (shown: Meter, real: Meter): Meter => ({
  ...real,
  look: (nowMs) => ({ ...real.look(nowMs), resetAtMs: shown.look(nowMs).resetAtMs }),
  count: (nowMs) => {
    shown.count(nowMs)
    real.count(nowMs)
  },
})

/** Counts by one meter; Reset and Retry-After are those of another. */
const statedBy = (makeShown: MakeMeter, makeReal: MakeMeter): Variant =>
  minutesBy((limit, windowMs) => {
    const shown = makeShown(limit, windowMs)
    const meter = withResetOf(shown, makeReal(limit, windowMs))
    const look = (nowMs: number) => {
      const seen = meter.look(nowMs)
      // A refusal states at least the time of one call.
      const statedMs = Math.max(shown.look(nowMs).nextAtMs, nowMs + Math.ceil(windowMs / limit))
      return seen.nextAtMs > nowMs ? { ...seen, nextAtMs: statedMs } : seen
    }
    return { ...meter, look }
  })

/** A count that begins once; each window is announced as if it began anew. */
const counterForEver: MakeMeter = (limit, windowMs) => {
  const shown = clockWindow(limit, windowMs)
  let used = 0
  return {
    look: (nowMs) => {
      const { resetAtMs } = shown.look(nowMs)
      return { remaining: limit - used, resetAtMs, nextAtMs: used < limit ? nowMs : resetAtMs }
    },
    count: () => {
      used++
    },
  }
}

/** A response with the status resets the count of its key; without a key, of the latest one. */
const clearing = family((status: number) => {
  const lives = new Map<string, number>()
  let latest = ''
  return together(
    minutesBy(legalMeters['window-from-first-call']),
    countedAs(({ key }) => {
      latest = key
      return `${key} ${lives.get(key)}`
    }),
    everyResponseBy(({ authenticate }) => (response, request) => {
      const key = authenticate(request)?.key ?? latest
      if (response.status === status) lives.set(key, (lives.get(key) ?? 0) + 1)
      return response
    }),
  )
})

/** A count for each window of a longer cycle, which continues in the next cycle. */
const cyclic =
  (slotAt: (nowMs: number) => number): MakeMeter =>
  (limit, windowMs) => {
    const counts = new Map<number, number>()
    const usedAt = (nowMs: number) => counts.get(slotAt(nowMs)) ?? 0
    return {
      look: (nowMs) => {
        const resetAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
        const remaining = limit - usedAt(nowMs)
        return { remaining, resetAtMs, nextAtMs: remaining > 0 ? nowMs : resetAtMs }
      },
      count: (nowMs) => {
        counts.set(slotAt(nowMs), usedAt(nowMs) + 1)
      },
    }
  }

/** From the first call, with its end as a time of day: open at midnight, it lasts a day longer. */
const endingByTimeOfDay: MakeMeter = (limit, windowMs) => {
  let [openedMs, used] = [-windowMs, 0]
  const endAt = (nowMs: number) => {
    const endMs = openedMs + windowMs
    const isAcross = Math.floor(openedMs / dayMs) < Math.floor(endMs / dayMs)
    const isNextDay = Math.floor(nowMs / dayMs) > Math.floor(openedMs / dayMs)
    return isAcross && isNextDay ? endMs + dayMs : endMs
  }
  const enter = (nowMs: number) => {
    if (nowMs >= endAt(nowMs)) [openedMs, used] = [nowMs, 0]
  }
  return {
    look: (nowMs) => {
      enter(nowMs)
      const resetAtMs = endAt(nowMs)
      return { remaining: limit - used, resetAtMs, nextAtMs: used < limit ? nowMs : resetAtMs }
    },
    count: (nowMs) => {
      enter(nowMs)
      used += 1
    },
  }
}

const minuteOf = (cycleMs: number) => cyclic((nowMs) => Math.floor((nowMs % cycleMs) / minuteMs))

const cycling = family((cycleMs: number) => minutesBy(minuteOf(cycleMs)), 'The count of a minute')

export const keptMutants = [
  ...caughtBy('retry-after-each-served', {
    'window-never-ends': [
      'The counter of a window never expires.',
      minutesBy(minuteOf(minuteMs)),
      { loadVerdicts: ['load-backoff-retry-true'] },
    ],
    'window-never-ends-once-spent': [
      'Once the limit is reached, the counter never expires.',
      neverServedAfter(({ remaining }) => remaining === 0),
    ],
    'window-prolonged-by-each-call': [
      'Each call extends the window, while Retry-After states its first end.',
      statedBy(
        toTheMillisecond,
        fromFirstCall((timeMs) => timeMs, 'calls'),
      ),
    ],
    'refusals-logged-untold': [
      'Refused calls count towards the window, and Retry-After does not say so.',
      statedBy(legalMeters['log-reset-oldest'], logOfAllCalls),
    ],
    'bucket-refills-too-slowly': [
      'The token bucket refills only every ten minutes, while Retry-After follows the plan.',
      statedBy(legalMeters['bucket-reset-full'], (limit, windowMs) =>
        legalMeters['window-from-first-call'](limit, 10 * windowMs),
      ),
    ],
  }),
  ...lasting.caughtBy('limit-not-below-quota', {
    'window-of-ninety-seconds': ['A window lasts 90 seconds, not 60.', 90],
    'window-of-three-minutes': ['A window lasts three minutes, not one.', 180],
  }),
  ...lasting.caughtBy('refills-within-limit', {
    'window-of-fifty-seconds': ['A window lasts 50 seconds, not 60.', 50],
    'window-of-ten-seconds': ['A window lasts 10 seconds, not 60.', 10],
  }),
  ...each({
    'bucket-refills-too-fast @ quota-free': [
      'The token bucket refills a thousand times too fast: milliseconds are taken for seconds.',
      minutesBy((limit) => legalMeters['bucket-reset-full'](limit, 60)),
    ],
    'errors-show-other-count @ remaining-rises-at-reset': [
      'Error responses show the count of the client address instead of that of the key.',
      onErrors((response) => {
        if (response.status !== 400 && response.status !== 404) return response
        const limit = Number(response.headers['X-RateLimit-Limit'])
        return withHeaders({ 'X-RateLimit-Remaining': String(limit - 1) })(response)
      }),
    ],
    'pro-refilled-too-slowly @ limit-not-below-quota': [
      'The token bucket of a larger plan refills at the rate of the smallest plan.',
      // Reset is that of the plan.
      minutesBy((limit, windowMs) =>
        withResetOf(
          legalMeters['bucket-reset-full'](limit, windowMs),
          legalMeters['bucket-reset-full'](limit, (2 * windowMs * limit) / plans.free.perMinute),
        ),
      ),
      { keys: ['pro'] },
    ],
    'pro-window-of-forty-seconds @ refills-within-limit': [
      'The window of the larger plans lasts 40 seconds, not 60.',
      minutesBy((limit) => clockWindow(limit, limit > plans.free.perMinute ? 40_000 : minuteMs)),
      { keys: ['pro'] },
    ],
    'window-across-midnight @ header-reset-ahead': [
      'The end of a window is a time of day: one that is open at midnight lasts a day longer.',
      minutesBy(endingByTimeOfDay),
    ],
    'unlimited-after-midnight @ limit-not-late': [
      'After midnight the limit is no longer enforced.',
      decidingBy(() => {
        let firstDay: number | undefined
        return (decision, nowMs) => {
          firstDay ??= Math.floor(nowMs / dayMs)
          return nowMs < (firstDay + 1) * dayMs ? decision : { ...decision, granted: true }
        }
      }),
    ],
  }),
  ...clearing.caughtBy('remaining-rises-at-reset', {
    'unknown-id-clears-count': ['A 404 resets the count of its key.', 404],
    'wrong-key-clears-count': ['A 401 resets the count of the latest key.', 401],
    'creation-clears-count': ['A creation resets the count of its key.', 201],
  }),
  ...cycling.caughtBy('limit-not-below-quota', {
    'count-by-minute-of-hour': ['continues an hour later', hourMs, { suite: 'both' }],
    'count-by-minute-of-day': ['continues a day later', dayMs, { suite: 'both' }],
  }),
  ...each({
    'day-never-begins-anew @ retry-after-each-served': [
      'The count of a day begins once, and the quota of a day is one for ever.',
      daysBy(counterForEver),
      { suite: 'days' },
    ],
  }),
  ...caughtBy('limit-not-below-quota', {
    'day-counted-by-day-of-month': [
      'The calls of a day are counted by its number in the month, and go on in the next one.',
      daysBy(cyclic((nowMs) => new Date(nowMs).getUTCDate())),
      { suite: 'days' },
    ],
    'window-renewed-by-each-call': [
      'Each call restarts the window, so steady calls are refused for ever.',
      minutesBy(fromFirstCall(ceilToSecond, 'calls')),
      { suite: 'days' },
    ],
  }),
]
