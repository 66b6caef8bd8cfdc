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
import { legal, perServer } from '../variant.ts'
import { everyResponseBy, replacedBy, withHeaders, without } from '../wrappers/middleware.ts'
import { limitedBy, minuteOf, minutesBy, resetting } from '../wrappers/rate-limiting.ts'
import { days, notFewer, notMore, waits } from './limit-checks.ts'

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

const daysShown = ['limit-not-below-quota', 'remaining-rises-at-reset'] as const

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

export const limiterVariants = legal({
  'limiter-headers-of-the-day': [
    'The headers describe the day until half of the minute is used.',
    [
      'header-limit-of-plan',
      'headers-window',
      'refusal-remaining-zero',
      'limit-not-early',
      ...daysShown,
      ...days,
    ],
    limitedBy(dayFirst()),
  ],
  'limiter-headers-of-the-day-of-a-log': [
    'The same with logs of calls; Reset is when the oldest one expires.',
    [...daysShown, ...days],
    limitedBy(dayFirst(legalMeters['log-reset-oldest'])),
  ],
  'limiter-headers-of-the-day-of-a-bucket': [
    'The same with token buckets; Reset is when the next token is back.',
    [...daysShown, ...days],
    limitedBy(dayFirst(legalMeters['bucket-reset-next-one'])),
  ],
  'limiter-refusals-logged': [
    'A log of all calls in which refused ones count, too.',
    ['answers-that-count', ...notFewer, ...waits],
    minutesBy(loggingRefusals),
  ],
  'keyless-calls-limited': [
    'A client address gets 429 after thirty requests without a valid key in a minute.',
    ['auth-missing-list-401', 'isolation-invalid-key-free'],
    limitingAddress,
  ],
  'limiter-refusal-begins-anew': [
    'Each refusal restarts the minute, and its headers say so.',
    ['reset-not-moved-back', 'count-of-any-call', ...notFewer],
    limitedBy(() => createLimiter(minuteOf(fromFirstCall(ceilToSecond, 'refusals')))),
  ],
  'limiter-headers-of-the-minute': [
    'The headers describe the minute until the day is used up.',
    ['header-limit-of-plan', 'headers-window', ...days],
    limitedBy(() => withBans(minuteFirst(), usualBan)),
  ],
  'limiter-reset-flips-by-a-second': [
    'Two replicas round the same Reset, one up and one down.',
    ['reset-not-moved-back', 'count-of-any-call', ...notMore],
    perServer(() => {
      let responses = 0
      return resetting((seconds) => Math.ceil(seconds) + (responses++ % 2))
    }),
  ],
})
