// Legal limiters that are not built from one meter: what they count, and what the headers show.

import type { Quota } from '../../spec/plans.ts'
import { ceilToSecond, legalMeters } from '../legal-meters.ts'
import {
  clockWindow,
  createLimiter,
  type Decision,
  dayMs,
  type Limiter,
  type MakeMeter,
  type Meter,
  minuteMs,
  type Seen,
  usualBan,
  withBans,
} from '../limiter.ts'
import { legal, perServer } from '../variant.ts'
import { everyResponseBy, replacedBy, withHeaders, without } from '../wrappers/middleware.ts'
import { limitedBy, resetting } from '../wrappers/rate-limiting.ts'
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

/** Rounded up to a whole second, since Reset has no fractions. */
const minuteFrom = (nowMs: number) => ceilToSecond(nowMs + minuteMs)

/** As the reference decides: by the window that refuses first, the day on a tie. */
const decide = (
  granted: boolean,
  quota: Quota,
  minute: Seen,
  day: Seen,
  nowMs: number,
): Decision => {
  const [limit, { remaining, resetAtMs }] =
    day.remaining <= minute.remaining ? [quota.perDay, day] : [quota.perMinute, minute]
  const decision = { granted, limit, remaining, resetAtMs }
  if (granted) return decision
  return { ...decision, retryAfterMs: Math.max(minute.nextAtMs, day.nextAtMs) - nowMs }
}

/** A window from the first call on. Each refusal restarts it, without giving calls back. */
const restarting = (): Limiter => {
  const owners = new Map<string, { used: number; endsAtMs: number; day: Meter }>()
  return {
    take: (key, quota, nowMs) => {
      const day = clockWindow(quota.perDay, dayMs)
      const own = owners.get(key) ?? { used: 0, endsAtMs: 0, day }
      owners.set(key, own)
      if (nowMs >= own.endsAtMs) Object.assign(own, { used: 0, endsAtMs: minuteFrom(nowMs) })
      const granted = own.used < quota.perMinute && own.day.look(nowMs).nextAtMs <= nowMs
      if (granted) {
        own.used += 1
        own.day.count(nowMs)
      } else own.endsAtMs = minuteFrom(nowMs)
      const { endsAtMs } = own
      const remaining = quota.perMinute - own.used
      const minute = { remaining, resetAtMs: endsAtMs, nextAtMs: endsAtMs }
      return decide(granted, quota, minute, own.day.look(nowMs), nowMs)
    },
  }
}

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

const daysShown = ['header-day-own-window', 'remaining-rises-at-reset'] as const

/** A log of calls in which refused ones count, too; of each key, the latest of a minute at most. */
const loggingRefusals = (): Limiter => {
  const books = new Map<string, { log: number[]; readonly day: Meter }>()
  return {
    take: (key, quota, nowMs) => {
      const book = books.get(key) ?? { log: [], day: clockWindow(quota.perDay, dayMs) }
      books.set(key, book)
      const recent = book.log.filter((atMs) => atMs + minuteMs > nowMs)
      const granted = recent.length < quota.perMinute && book.day.look(nowMs).nextAtMs <= nowMs
      book.log = [...recent, nowMs].slice(-quota.perMinute)
      if (granted) book.day.count(nowMs)
      const remaining = quota.perMinute - book.log.length
      const nextAtMs = remaining > 0 ? nowMs : (book.log[0] ?? nowMs) + minuteMs
      const minute = { remaining, resetAtMs: nowMs + minuteMs, nextAtMs }
      return decide(granted, quota, minute, book.day.look(nowMs), nowMs)
    },
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
      'day-ends-apart',
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
  'limiter-headers-of-the-day-of-a-counter': [
    'The same with sliding counters.',
    [...daysShown, ...days],
    limitedBy(dayFirst(legalMeters['sliding-counter'])),
  ],
  'limiter-refusals-logged': [
    'A log of all calls in which refused ones count, too.',
    ['answers-that-count', ...notFewer, ...waits],
    limitedBy(() => withBans(loggingRefusals(), usualBan)),
  ],
  'keyless-calls-limited': [
    'A client address gets 429 after thirty requests without a valid key in a minute.',
    ['auth-missing-list-401', 'isolation-invalid-key-free'],
    limitingAddress,
  ],
  'limiter-refusal-begins-anew': [
    'Each refusal restarts the minute, and its headers say so.',
    ['reset-not-moved-back', 'count-of-any-call', ...notFewer],
    limitedBy(restarting),
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
