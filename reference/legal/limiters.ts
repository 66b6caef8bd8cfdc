// Legal bans, and legal limiters that are not built from one meter: what they count, and what the
// headers show.
import { ceilToSecond, fromFirstCall, legalMeters, logOfAllCalls } from '../legal-meters.ts'
import {
  clockWindow,
  createLimiter,
  dayMs,
  type Limiter,
  minuteMs,
  usualBan,
  withBans,
} from '../limiter.ts'
import { banning } from '../mutants/limits/bans.ts'
import { legal, perServer, together, type Variant } from '../variant.ts'
import {
  duringBans,
  everyResponseBy,
  replacedBy,
  withHeaders,
  without,
  withStatus,
} from '../wrappers/middleware.ts'
import { limitedBy, meteredBy, minuteOf, minutesBy, resetting } from '../wrappers/rate-limiting.ts'

/** Calls per minute of a client address without a valid key. */
const maxKeylessCalls = 30

const challenge = { 'WWW-Authenticate': 'Bearer' }

const as401 = duringBans((response) => withHeaders(challenge)(withStatus(401)(response)))

/** Bans of any length, whose Retry-After states their end. */
const longBans = (
  afterRefusals: number,
  lastsMs: (bans: number) => number,
  more: Parameters<typeof banning>[0] = {},
): Variant => banning({ afterRefusals, lastsMs, forgetsMs: dayMs, isAtOnce: true, ...more })

/** Another client has drawn it before the run, on the key that is used first. */
const earlierBan = (lastsMs: number): Variant => ({
  parts: () => {
    const limiter = createLimiter(clockWindow)
    let ban: { readonly key: string; readonly untilMs: number } | undefined
    const take: Limiter['take'] = (key, quota, nowMs) => {
      ban ??= { key, untilMs: nowMs + lastsMs }
      if (key !== ban.key || nowMs >= ban.untilMs) return limiter.take(key, quota, nowMs)
      const { perMinute } = quota
      const numbers = { limit: perMinute, remaining: perMinute, resetAtMs: ban.untilMs }
      return { ...numbers, granted: false, retryAfterMs: lastsMs, banned: true }
    }
    return { limiter: { take } }
  },
})

export const banVariants = [
  ...legal(['limit-not-below-quota', 'remaining-rises-at-reset', 'day-quota'], {
    'limiter-headers-of-the-day': [
      'The headers describe the day until half of the minute is used.',
      limitedBy(() =>
        createLimiter(clockWindow, (minute, day, nowMs) =>
          minute.look(nowMs).remaining < 30 && day.look(nowMs).remaining > 0 ? minute : day,
        ),
      ),
    ],
  }),
  ...legal(['header-limit-of-plan', 'headers-window', 'day-quota'], {
    'limiter-headers-of-the-minute': [
      'The headers describe the minute until the day is used up.',
      limitedBy(() => {
        const limiter = createLimiter(clockWindow, (minute, day, nowMs, granted) =>
          !granted && day.look(nowMs).nextAtMs > nowMs ? day : minute,
        )
        return withBans(limiter, usualBan)
      }),
    ],
  }),
  ...legal(['count-of-any-call', 'quota-free', 'limit-not-early', 'retry-after-each-served'], {
    'limiter-refusals-logged': ['A log of all calls, refused ones too.', minutesBy(logOfAllCalls)],
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
      everyResponseBy(({ authenticate, clock, retryAfter, rateLimitHeaders }) => {
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
      }),
    ],
  }),
  ...legal(['retry-after-present', 'quota-429-status'], {
    'ban-from-before-untold': [
      'A key is banned when the run begins: 429 with all calls remaining and no Retry-After.',
      together(earlierBan(45_000), duringBans(without('Retry-After'))),
    ],
  }),
  ...legal(['ban-look', 'ban-own-key'], {
    'ban-as-403': ['A ban is 403, and says how long it lasts.', duringBans(withStatus(403))],
    'ban-as-401': ['Responses during a ban are 401, like those to an invalid key.', as401],
    'ban-as-401-of-nobody': [
      'Responses during a ban are 401, with the rate-limit headers of a request without a key.',
      duringBans((response, _request, { withoutKey, rateLimitHeaders, clock }) => {
        const numbers = rateLimitHeaders(withoutKey(clock.now()))
        return withHeaders({ ...challenge, ...numbers })(withStatus(401)(response))
      }),
    ],
    'ban-after-two-refusals': [
      'The second refusal within a minute causes a ban.',
      meteredBy(clockWindow, { afterRefusals: 2, lastsMs: 75_000 }),
    ],
    'ban-after-thirty-as-401': [
      'A ban needs thirty refusals in a row, and gets 401.',
      { ...meteredBy(clockWindow, { afterRefusals: 30, lastsMs: minuteMs }), ...as401 },
    ],
    'ban-of-a-log': [
      'A log, and a ban after three refusals.',
      meteredBy(legalMeters['log-reset-oldest'], { afterRefusals: 3, lastsMs: 90_000 }),
    ],
    'ban-of-an-hour': ['A ban lasts an hour, and says so.', longBans(4, () => 60 * minuteMs)],
    'ban-prolonged-by-knocking': [
      'Each request during a ban restarts it, and its response says so.',
      longBans(4, () => 2 * minuteMs, { isProlonged: 'stated' }),
    ],
    'ban-doubling': ['Each ban is twice as long.', longBans(3, (bans) => minuteMs * 2 ** bans)],
  }),
  ...legal(['ban-look', 'ban-own-key', 'ban-duration'], {
    'ban-of-five-seconds': [
      'A ban lasts five seconds, or until the window ends.',
      meteredBy(clockWindow, { afterRefusals: 5, lastsMs: 5_000 }),
    ],
    'ban-for-refusals-of-the-day': [
      'Refusals of a day are counted together, and three happened before the run.',
      longBans(4, () => 5 * minuteMs, { refusalsBefore: 3 }),
    ],
    'ban-then-for-a-month-untold': [
      'The second ban lasts a month, and no ban states its end, which is only a should.',
      together(
        longBans(15, (bans) => (bans === 1 ? minuteMs : 43_200 * minuteMs)),
        duringBans(without('Retry-After')),
      ),
      { warns: ['ban-retry-after'] },
    ],
  }),
]
