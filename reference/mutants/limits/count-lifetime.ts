// Faults in how long a count lasts: a response resets it, or its window does not end.

import { ceilToSecond, fromFirstCall, legalMeters } from '../../legal-meters.ts'
import { createLimiter, dayMs, type Limiter, type MakeMeter, minuteMs } from '../../limiter.ts'
import type { ApiRequest, ApiResponse } from '../../message.ts'
import { caughtBy, family, type Mutant, type Variant } from '../../variant.ts'
import { onErrors, withHeaders } from '../../wrappers/middleware.ts'
import { decidingBy, limitedBy, minutesBy } from '../../wrappers/rate-limiting.ts'

interface Giving extends Limiter {
  readonly give: (key: string, calls: number) => void
}

interface Forgetful extends Limiter {
  /** Without a key, the count of the latest one. */
  readonly forget: (key: string | undefined) => void
}

const firstCall = legalMeters['window-from-first-call']

const createForgetful = (): Forgetful => {
  const limiter = createLimiter(firstCall)
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

/** A limiter that learns of each response to a key. */
const informed = <Own extends Limiter>(
  make: () => Own,
  learn: (own: Own, key: string | undefined, response: ApiResponse, request: ApiRequest) => void,
): Variant => ({
  ...limitedBy(make),
  handle:
    (honest, { limiter, authenticate }) =>
    async (request) => {
      const response = await honest(request)
      learn(limiter as Own, authenticate(request)?.key, response, request)
      return response
    },
})

/** Such a response resets the count of its key; without a key, that of the latest key. */
const clearingAfter = (clears: (response: ApiResponse, request: ApiRequest) => boolean): Variant =>
  informed(createForgetful, (counts, key, response, request) => {
    if (clears(response, request)) counts.forget(key)
  })

const clearing = family((status: number) => clearingAfter((response) => response.status === status))

/** A minute from the first call, in which calls can be given back. */
const createGiving = (): Giving => {
  const minutes = new Map<string, { used: number; endsAtMs: number }>()
  return {
    take: (key, { perMinute: limit }, nowMs) => {
      let own = minutes.get(key)
      if (!own || nowMs >= own.endsAtMs) own = { used: 0, endsAtMs: ceilToSecond(nowMs + minuteMs) }
      minutes.set(key, own)
      const granted = own.used < limit
      if (granted) own.used += 1
      const decision = { granted, limit, remaining: limit - own.used, resetAtMs: own.endsAtMs }
      return granted ? decision : { ...decision, retryAfterMs: own.endsAtMs - nowMs }
    },
    give: (key, calls) => {
      const own = minutes.get(key)
      if (own) own.used = Math.max(0, own.used - calls)
    },
  }
}

/** Each refused body gives back two calls, one more than it took. */
const refunding = informed(createGiving, (giving, key, { status }) => {
  if (key && status === 400) giving.give(key, 2)
})

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

const hourMs = 3_600_000

const unlimitedAfterMidnight: Variant = decidingBy(() => {
  let firstDay: number | undefined
  return (decision, nowMs) => {
    firstDay ??= Math.floor(nowMs / dayMs)
    return nowMs < (firstDay + 1) * dayMs ? decision : { ...decision, granted: true }
  }
})

export const keptMutants: readonly Mutant[] = [
  ...clearing.caughtBy('remaining-rises-at-reset', {
    'refused-body-clears-count': ['A 400 for a body resets the count of its key.', 400],
    'unknown-id-clears-count': ['A 404 resets the count of its key.', 404],
    'unknown-method-clears-count': ['A 405 resets the count of its key.', 405],
    'wrong-key-clears-count': ['A 401 resets the count of the latest key.', 401],
    'creation-clears-count': ['A creation resets the count of its key.', 201],
  }),
  ...caughtBy('remaining-rises-at-reset', {
    'head-clears-count': [
      'A HEAD request resets the count of its key.',
      clearingAfter((_response, { method }) => method === 'HEAD'),
    ],
    'errors-show-other-count': [
      'Error responses show the count of the client address instead of that of the key.',
      onErrors((response) => {
        if (response.status !== 400 && response.status !== 404) return response
        const limit = Number(response.headers['X-RateLimit-Limit'])
        return withHeaders({ 'X-RateLimit-Remaining': String(limit - 1) })(response)
      }),
    ],
  }),
  ...caughtBy('day-quota', {
    'refused-body-gives-two-back': [
      'A 400 for a body gives two calls back.',
      refunding,
      { suite: 'days' },
    ],
  }),
  ...caughtBy('window-steady-served', {
    'window-renewed-by-each-call': [
      'Each call restarts the window, so steady calls are refused for ever.',
      minutesBy(fromFirstCall(ceilToSecond, 'calls')),
    ],
  }),
  ...caughtBy('limit-not-below-quota', {
    'count-by-minute-of-hour': [
      'A count is stored by minute of the hour, and continues an hour later.',
      minutesBy(cyclic(hourMs)),
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
      unlimitedAfterMidnight,
    ],
  }),
]
