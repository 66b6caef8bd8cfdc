// Legal limiters that are not built from one meter: what they count, and what the headers show.

import type { Quota } from '../../spec/plans.ts'
import { usualBan, withBans } from '../bans.ts'
import {
  clockWindow,
  createLimiter,
  dayMs,
  type Limiter,
  type MakeMeter,
  type Meter,
  minuteMs,
} from '../limiter.ts'
import { ceilToSecond, legalMeters } from '../limiters.ts'
import { legal } from '../mutant.ts'
import { perServer } from '../variant.ts'
import { everyResponseBy, replacedBy, withHeaders, without } from '../wrappers/middleware.ts'
import { limitedBy, resetting } from '../wrappers/rate-limits.ts'
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

/** A window from the first call on. Each refusal restarts it, without giving calls back. */
const restarting = (): Limiter => {
  const owners = new Map<string, { used: number; endsAtMs: number; day: Meter }>()
  return {
    take: (key, { perMinute, perDay }, nowMs) => {
      const day = clockWindow(perDay, dayMs)
      const own = owners.get(key) ?? { used: 0, endsAtMs: 0, day }
      owners.set(key, own)
      if (nowMs >= own.endsAtMs) Object.assign(own, { used: 0, endsAtMs: minuteFrom(nowMs) })
      const dayAtMs = own.day.look(nowMs).nextAtMs
      const granted = own.used < perMinute && dayAtMs <= nowMs
      if (granted) {
        own.used += 1
        own.day.count(nowMs)
      } else own.endsAtMs = minuteFrom(nowMs)
      const ofDay = own.day.look(nowMs)
      const left = perMinute - own.used
      const decision =
        ofDay.remaining <= left
          ? { granted, limit: perDay, remaining: ofDay.remaining, resetAtMs: ofDay.resetAtMs }
          : { granted, limit: perMinute, remaining: left, resetAtMs: own.endsAtMs }
      if (granted) return decision
      return { ...decision, retryAfterMs: Math.max(own.endsAtMs, dayAtMs) - nowMs }
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

/** A log of calls in which refused ones count, too. */
interface Book {
  /** When the latest calls came, at most as many as a minute has. */
  log: number[]
  readonly day: Meter
}

const loggingRefusals = (): Limiter => {
  const books = new Map<string, Book>()
  const bookOf = (key: string, quota: Quota): Book => {
    const book = books.get(key) ?? { log: [], day: clockWindow(quota.perDay, dayMs) }
    books.set(key, book)
    return book
  }
  return {
    take: (key, quota, nowMs) => {
      const book = bookOf(key, quota)
      const recent = book.log.filter((atMs) => atMs + minuteMs > nowMs)
      const dayAtMs = book.day.look(nowMs).nextAtMs
      const granted = recent.length < quota.perMinute && dayAtMs <= nowMs
      book.log = [...recent, nowMs].slice(-quota.perMinute)
      if (granted) book.day.count(nowMs)
      const left = quota.perMinute - book.log.length
      const ofDay = book.day.look(nowMs)
      const oldestMs = book.log[0] ?? nowMs
      const decision =
        ofDay.remaining <= left
          ? { limit: quota.perDay, remaining: ofDay.remaining, resetAtMs: ofDay.resetAtMs }
          : { limit: quota.perMinute, remaining: left, resetAtMs: nowMs + minuteMs }
      if (granted) return { granted, ...decision }
      const minuteAtMs = left > 0 ? nowMs : oldestMs + minuteMs
      return { granted, ...decision, retryAfterMs: Math.max(dayAtMs, minuteAtMs) - nowMs }
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
    ['reset-not-moved-back', 'window-rested-served', ...notFewer],
    limitedBy(restarting),
  ],
  'limiter-headers-of-the-minute': [
    'The headers describe the minute until the day is used up.',
    ['header-limit-of-plan', 'headers-window', ...days],
    limitedBy(() => withBans(minuteFirst(), usualBan)),
  ],
  'limiter-reset-flips-by-a-second': [
    'Two replicas round the same Reset, one up and one down.',
    ['reset-not-moved-back', 'count-across-queries', ...notMore],
    perServer(() => {
      let responses = 0
      return resetting((seconds) => Math.ceil(seconds) + (responses++ % 2))
    }),
  ],
})
