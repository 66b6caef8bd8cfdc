// Legal limiters: how calls are counted, when windows begin, what the headers show, and bans. And
// legal times: a Date that is wrong or cached, and the moment when GET by id is removed.
import {
  ceilToSecond,
  counterToNextCall,
  fromFirstCall,
  legalMeters,
  logOfAllCalls,
  offset,
  toTheMillisecond,
} from '../legal-meters.ts'
import {
  clockWindow,
  createLimiter,
  dayMs,
  hourMs,
  type Limiter,
  type MakeMeter,
  minuteFirst,
  minuteMs,
  usualBan,
  withBans,
} from '../limiter.ts'
import { keptFor } from '../mutants/headers.ts'
import { banning } from '../mutants/limits/refusals.ts'
import { type LegalVariant, legal, perServer, together, type Variant } from '../variant.ts'
import {
  dated,
  duringBans,
  everyResponseBy,
  readParts,
  replacedBy,
  withHeaders,
  without,
  withStatus,
} from '../wrappers/middleware.ts'
import { onResponse, refusingCalls } from '../wrappers/pet-store.ts'
import {
  daysBy,
  limitedBy,
  meteredBy,
  minuteOf,
  minutesBy,
  resetting,
  uncounted,
  waitingUntil,
} from '../wrappers/rate-limiting.ts'

const numbers = ['remaining-rises-at-reset', 'reset-not-moved-back', 'header-reset-ahead'] as const

const design = [...numbers, 'quota-free', 'retry-after-each-served', 'limiter-design'] as const

const does: Record<keyof typeof legalMeters, string> = {
  'window-from-first-call': 'A window starts with the first call after the previous one.',
  'log-reset-oldest':
    'A log of calls that expire after a window; Reset is when the oldest one expires.',
  'log-reset-newest':
    'A log of calls that expire after a window; Reset is when the newest one expires.',
  'sliding-counter': 'A sliding counter: the previous window counts less and less.',
  'bucket-reset-full': 'A token bucket; Reset is when it is full.',
  'bucket-reset-next': 'A token bucket that refills every second; Reset is the next refill.',
  'bucket-reset-next-one': 'A token bucket; Reset is when the next token is back.',
  'bucket-reset-now':
    'A token bucket; Reset is when the next call may come, now as long as any may.',
  'bucket-in-tenths': 'A token bucket that refills a tenth of its tokens every tenth of a window.',
  'bucket-in-sixths': 'A token bucket that refills a sixth of its tokens every sixth of a window.',
  'bucket-in-thirds': 'A token bucket that refills a third at once; Reset is the next refill.',
  'bucket-in-halves': 'A token bucket that refills half of its tokens every half of a window.',
}

const designs = (Object.entries(legalMeters) as [keyof typeof legalMeters, MakeMeter][]).map(
  ([name, meter]): LegalVariant => ({
    id: `limiter-${name}`,
    does: does[name],
    exercises: [...design, 'day-quota'],
    ...meteredBy(meter),
  }),
)

const rounding = (round: (seconds: number) => number): Variant =>
  together(meteredBy(toTheMillisecond), resetting(round))

export const windowVariants = [
  ...designs,
  ...legal(['answers-that-count', 'remaining-falls-by-one', 'quota-429-status'], {
    'limiter-refusals-free': [
      'Invalid requests do not count.',
      uncounted((...given) => 'refusal' in readParts(...given)),
    ],
    'limiter-never-bans': ['There is no ban.', limitedBy(() => createLimiter(clockWindow))],
  }),
  ...legal(['retry-after-present', 'retry-after-each-served', 'retry-after-form'], {
    'limiter-retry-after-date': ['Retry-After is an HTTP-date.', waitingUntil()],
  }),
  ...legal(['day-quota', 'limit-not-late', 'limit-not-early'], {
    'limiter-day-of-another-zone': [
      'A clock minute, and a day that starts at midnight in Tokyo.',
      daysBy(offset(15 * 3_600_000)),
    ],
    'limiter-day-from-first-call': [
      'A clock minute, and a day that starts with its first call.',
      daysBy(toTheMillisecond),
    ],
    'limiter-bucket-and-day-of-clock': [
      'A token bucket for the minute, a clock day.',
      minutesBy(legalMeters['bucket-reset-full']),
    ],
  }),
  ...legal(design, {
    'limiter-minute-from-second-17': ['A minute starts at second 17.', meteredBy(offset(17_000))],
    'limiter-counter-reset-next-call': [
      'A sliding counter whose Reset is when the next call expires.',
      minutesBy(counterToNextCall),
    ],
  }),
  ...legal(['header-reset-ahead', 'retry-after-each-served', 'quota-free', 'limit-not-late'], {
    'limiter-reset-rounded-down': ['Reset is rounded down to the second.', rounding(Math.floor)],
    'limiter-reset-a-second-later': [
      'A window ends on its millisecond; Reset is always the second after.',
      rounding((seconds) => Math.floor(seconds) + 1),
    ],
  }),
]

export const dateVariants = [
  ...legal([...numbers, 'date-advances'], {
    'date-hours-behind': ['Date is hours behind.', dated(() => (nowMs) => nowMs - 7 * hourMs)],
    'date-minutes-ahead': ['Date is minutes ahead.', dated(() => (nowMs) => nowMs + hourMs / 15)],
    'date-kept-for-two-seconds': ['Date is updated every two seconds.', dated(keptFor(2_000))],
  }),
]

const removedAs = (status: number): Variant =>
  refusingCalls('getPet', status, (_call, response) => response.status === 410)

export const legalRemovals = legal(['get-after-removal-gone', 'get-last-evening-200'], {
  'removed-404': ['The removed operation gets 404.', removedAs(404)],
  'removed-501': ['The removed operation gets 501.', removedAs(501)],
  'removed-with-announcements': [
    'After the removal the response has none of its headers.',
    onResponse('getPet', 410, ({ status, body }) => ({ status, headers: {}, body })),
  ],
  'removed-at-the-end-of-the-day': [
    'The operation works until the end of its removal day.',
    { parts: () => ({ removalAtMs: Date.UTC(2030, 11, 5, 23, 59, 59) }) },
  ],
})

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
      limitedBy(() => withBans(createLimiter(clockWindow, minuteFirst), usualBan)),
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
      perServer((next) => resetting((seconds) => Math.ceil(seconds) + (next() % 2))),
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
    'ban-as-403-for-two-refusals': [
      'The second refusal within a day causes a ban, which is 403.',
      together(
        longBans(2, () => 5_000),
        duringBans(withStatus(403)),
      ),
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
