// Legal limiters that are not built from one meter: what they count, and what the headers show.

import { ceilToSecond, fromFirstCall, legalMeters } from '../legal-meters.ts'
import {
  clockWindow,
  createLimiter,
  type MakeMeter,
  minuteMs,
  usualBan,
  withBans,
} from '../limiter.ts'
import { type LegalVariant, legal, perServer } from '../variant.ts'
import { everyResponseBy, replacedBy, withHeaders, without } from '../wrappers/middleware.ts'
import { limitedBy, minuteOf, minutesBy, resetting } from '../wrappers/rate-limiting.ts'

/** Calls per minute of a client address without a valid key. */
const maxKeylessCalls = 30

const limitingAddress = everyResponseBy(({ authenticate, clock, retryAfter, rateLimitHeaders }) => {
  const window = clockWindow(maxKeylessCalls, minuteMs)
  const message = 'Too many requests without a key from this address.'
  const refused = replacedBy(429, 'rate_limited', message)
  return (response, request) => {
    if (authenticate(request)) return response
    const nowMs = clock.now()
    const { nextAtMs, resetAtMs } = window.look(nowMs)
    if (nextAtMs <= nowMs) {
      window.count(nowMs)
      return response
    }
    const shown = { granted: false, limit: maxKeylessCalls, remaining: 0, resetAtMs }
    const wait = { 'Retry-After': retryAfter(resetAtMs - nowMs, nowMs) }
    const headers = { ...rateLimitHeaders(shown), ...wait }
    return withHeaders(headers)(refused(without('WWW-Authenticate')(response)))
  }
})

/** The minute, until the day is used up. */
const minuteFirst = () =>
  createLimiter(clockWindow, (minute, day, nowMs, granted) =>
    !granted && day.look(nowMs).nextAtMs > nowMs ? day : minute,
  )

/** The day, until half of the minute of a Free key is used. */
const dayFirst =
  (makeMeter: MakeMeter = clockWindow) =>
  () =>
    createLimiter(makeMeter, (minute, day, nowMs) =>
      minute.look(nowMs).remaining < 30 && day.look(nowMs).remaining > 0 ? minute : day,
    )

/** A log of calls in which refused ones count, too; the latest of a window at most. */
const loggingRefusals: MakeMeter = (limit, windowMs) => {
  let log: number[] = []
  const add = (nowMs: number) => {
    log = [...log, nowMs].slice(-limit)
  }
  return {
    look: (nowMs) => {
      log = log.filter((atMs) => atMs + windowMs > nowMs)
      const remaining = limit - log.length
      const nextAtMs = remaining > 0 ? nowMs : (log[0] ?? nowMs) + windowMs
      return { remaining, resetAtMs: nowMs + windowMs, nextAtMs }
    },
    count: add,
    refuse: add,
  }
}

export const limiterVariants: readonly LegalVariant[] = [
  ...legal(['limit-not-below-quota', 'remaining-rises-at-reset', 'day-quota'], {
    'limiter-headers-of-the-day': [
      'The headers describe the day until half of the minute is used.',
      limitedBy(dayFirst()),
    ],
    'limiter-headers-of-the-day-of-a-log': [
      'The same with logs of calls; Reset is when the oldest one expires.',
      limitedBy(dayFirst(legalMeters['log-reset-oldest'])),
    ],
    'limiter-headers-of-the-day-of-a-bucket': [
      'The same with token buckets; Reset is when the next token is back.',
      limitedBy(dayFirst(legalMeters['bucket-reset-next-one'])),
    ],
  }),
  ...legal(['header-limit-of-plan', 'headers-window', 'day-quota'], {
    'limiter-headers-of-the-minute': [
      'The headers describe the minute until the day is used up.',
      limitedBy(() => withBans(minuteFirst(), usualBan)),
    ],
  }),
  ...legal(['count-of-any-call', 'quota-free', 'limit-not-early', 'retry-after-each-served'], {
    'limiter-refusals-logged': [
      'A log of all calls in which refused ones count, too.',
      minutesBy(loggingRefusals),
    ],
    'limiter-refusal-begins-anew': [
      'Each refusal restarts the minute, and its headers say so.',
      limitedBy(() => createLimiter(minuteOf(fromFirstCall(ceilToSecond, 'refusals')))),
    ],
  }),
  ...legal(['reset-not-moved-back', 'quota-free', 'isolation-invalid-key-free'], {
    'limiter-reset-flips-by-a-second': [
      'Two replicas round the same Reset, one up and one down.',
      perServer(() => {
        let responses = 0
        return resetting((seconds) => Math.ceil(seconds) + (responses++ % 2))
      }),
    ],
    'keyless-calls-limited': [
      'A client address gets 429 after thirty requests without a valid key in a minute.',
      limitingAddress,
    ],
  }),
]
