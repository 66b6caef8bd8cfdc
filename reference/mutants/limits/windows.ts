// Faults in when the quota of a minute comes back, in what a refusal states about that, and in how
// long a count lasts: a response resets it, or its window does not end.
import { ceilToSecond, fromFirstCall, legalMeters } from '../../legal-meters.ts'
import {
  clockWindow,
  createLimiter,
  dayMs,
  type Limiter,
  type MakeMeter,
  minuteMs,
} from '../../limiter.ts'
import { caughtBy, family } from '../../variant.ts'
import { everyResponseBy, onErrors, withHeaders } from '../../wrappers/middleware.ts'
import {
  decidingBy,
  limitedBy,
  losingCounts,
  minutesBy,
  refusingWith,
  withResetOf,
} from '../../wrappers/rate-limiting.ts'

/** A window of another length, with true headers. */
const lasting = family((seconds: number) =>
  minutesBy((limit) => clockWindow(limit, seconds * 1000)),
)

/** A window that keeps its count at its end, if `staysUsed`. */
const ending =
  (staysUsed: (usedUp: boolean) => boolean): MakeMeter =>
  (limit, windowMs) => {
    let used = 0
    let resetAtMs = 0
    const look = (nowMs: number) => {
      if (nowMs >= resetAtMs && !staysUsed(used >= limit)) used = 0
      resetAtMs = (Math.floor(nowMs / windowMs) + 1) * windowMs
      return { remaining: limit - used, resetAtMs, nextAtMs: used < limit ? nowMs : resetAtMs }
    }
    const count = () => {
      used++
    }
    return { look, count }
  }

/** A limiter that can forget the count of a key; without a key, that of the latest one. */
interface Forgetful extends Limiter {
  readonly forget: (key: string | undefined) => void
}

const createForgetful = (): Forgetful => {
  const limiter = createLimiter(legalMeters['window-from-first-call'])
  const lives = new Map<string, number>()
  let latest = ''
  return {
    take: (key, quota, nowMs) => {
      latest = key
      return limiter.take(`${key} ${lives.get(key)}`, quota, nowMs)
    },
    forget: (key = latest) => lives.set(key, (lives.get(key) ?? 0) + 1),
  }
}

/** A response with the status resets the count of its key. */
const clearing = family((status: number) => ({
  ...limitedBy(createForgetful),
  ...everyResponseBy(({ limiter, authenticate }) => (response, request) => {
    const { forget } = limiter as Forgetful
    if (response.status === status) forget(authenticate(request)?.key)
    return response
  }),
}))

/** A count for each minute of a longer cycle, which continues in the next cycle. */
const cyclic =
  (cycleMs: number): MakeMeter =>
  (limit, windowMs) => {
    const counts = new Map<number, number>()
    const slotAt = (nowMs: number) => Math.floor((nowMs % cycleMs) / windowMs)
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

export const keptMutants = [
  ...caughtBy('retry-after-each-served', {
    'window-never-ends': [
      'The counter of a window never expires.',
      minutesBy(ending(() => true)),
      { loadVerdicts: ['load-backoff-retry-true'] },
    ],
    'window-never-ends-once-spent': [
      'Once the limit is reached, the counter never expires.',
      minutesBy(ending((usedUp) => usedUp)),
    ],
    'window-prolonged-by-each-call': [
      'Each call extends the window, while Retry-After states its first end.',
      minutesBy((limit, windowMs) => {
        let used = 0
        let endsAtMs = 0
        let statedMs = 0
        return {
          look: (nowMs) => {
            if (nowMs >= endsAtMs) {
              return { remaining: limit, resetAtMs: nowMs + windowMs, nextAtMs: nowMs }
            }
            const nextAtMs = used < limit ? nowMs : Math.max(statedMs, nowMs + 1)
            return { remaining: limit - used, resetAtMs: Math.max(statedMs, nowMs), nextAtMs }
          },
          count: (nowMs) => {
            if (nowMs >= endsAtMs) {
              used = 0
              statedMs = nowMs + windowMs
            }
            used++
            endsAtMs = nowMs + windowMs
          },
        }
      }),
    ],
    'refusals-logged-untold': [
      'Refused calls count towards the window, and Retry-After does not say so.',
      limitedBy((): Limiter => {
        const logs = new Map<string, { atMs: number; granted: boolean }[]>()
        return {
          take: (key, { perMinute }, nowMs) => {
            const log = (logs.get(key) ?? []).filter(({ atMs }) => atMs + minuteMs > nowMs)
            const granted = log.length < perMinute
            const oldestMs = log.find((call) => call.granted)?.atMs ?? nowMs
            logs.set(key, [...log, { atMs: nowMs, granted }])
            const remaining = Math.max(0, perMinute - log.length - 1)
            const decision = { granted, limit: perMinute, remaining, resetAtMs: nowMs + minuteMs }
            return granted ? decision : { ...decision, retryAfterMs: oldestMs + minuteMs - nowMs }
          },
        }
      }),
    ],
    'bucket-refills-too-slowly': [
      'The token bucket refills only every ten minutes, while Retry-After follows the plan.',
      minutesBy((limit, windowMs) => {
        const shown = legalMeters['bucket-reset-full'](limit, windowMs)
        const meter = withResetOf(
          shown,
          legalMeters['window-from-first-call'](limit, 10 * windowMs),
        )
        return {
          ...meter,
          look: (nowMs) => {
            const seen = meter.look(nowMs)
            // A refusal states the rate of the plan.
            const soonMs = Math.max(shown.look(nowMs).nextAtMs, nowMs + Math.ceil(windowMs / limit))
            return seen.nextAtMs > nowMs ? { ...seen, nextAtMs: soonMs } : seen
          },
        }
      }),
    ],
    'window-ends-before-it-is-over': [
      'Retry-After and Reset are 30 seconds early.',
      refusingWith((refusal, nowMs) => ({
        ...refusal,
        retryAfterMs: Math.max(0, (refusal.retryAfterMs ?? 0) - 30_000),
        resetAtMs: Math.max(nowMs, refusal.resetAtMs - 30_000),
      })),
    ],
  }),
  ...lasting.caughtBy('limit-not-below-quota', {
    'window-of-two-minutes': ['A window lasts two minutes, not one.', 120],
    'window-of-ninety-seconds': ['A window lasts 90 seconds, not 60.', 90],
    'window-of-three-minutes': ['A window lasts three minutes, not one.', 180],
  }),
  ...lasting.caughtBy('refills-minute-apart', {
    'window-of-half-a-minute': ['A window lasts 30 seconds, not 60.', 30],
    'window-of-fifty-seconds': ['A window lasts 50 seconds, not 60.', 50],
    'window-of-ten-seconds': ['A window lasts 10 seconds, not 60.', 10],
  }),
  ...caughtBy('quota-free', {
    'bucket-refills-too-fast': [
      'The token bucket refills a thousand times too fast: milliseconds are taken for seconds.',
      minutesBy((limit) => legalMeters['bucket-reset-full'](limit, 60)),
    ],
  }),
  ...caughtBy('limit-not-late', {
    'refusal-clears-count': [
      'A refusal resets the count of its key.',
      losingCounts(clockWindow, () => (_key, latest) => latest?.granted === false),
    ],
  }),
  ...clearing.caughtBy('remaining-rises-at-reset', {
    'refused-body-clears-count': ['A 400 for a body resets the count of its key.', 400],
    'unknown-id-clears-count': ['A 404 resets the count of its key.', 404],
    'unknown-method-clears-count': ['A 405 resets the count of its key.', 405],
    'wrong-key-clears-count': ['A 401 resets the count of the latest key.', 401],
    'creation-clears-count': ['A creation resets the count of its key.', 201],
  }),
  ...caughtBy('remaining-rises-at-reset', {
    'errors-show-other-count': [
      'Error responses show the count of the client address instead of that of the key.',
      onErrors((response) => {
        if (response.status !== 400 && response.status !== 404) return response
        const limit = Number(response.headers['X-RateLimit-Limit'])
        return withHeaders({ 'X-RateLimit-Remaining': String(limit - 1) })(response)
      }),
    ],
  }),
  ...caughtBy('limit-not-below-quota', {
    'window-renewed-by-each-call': [
      'Each call restarts the window, so steady calls are refused for ever.',
      minutesBy(fromFirstCall(ceilToSecond, 'calls')),
    ],
    'count-by-minute-of-hour': [
      'A count is stored by minute of the hour, and continues an hour later.',
      minutesBy(cyclic(3_600_000)),
    ],
    'count-by-minute-of-day': [
      'Counts are stored by time of day, and never expire.',
      minutesBy(cyclic(dayMs)),
      { suite: 'both' },
    ],
  }),
  ...caughtBy('limit-not-late', {
    'unlimited-after-midnight': [
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
]
