// Legal bans: their status, when they begin, and how long they last.

import { legalMeters } from '../legal-meters.ts'
import { clockWindow, createLimiter, type Limiter, minuteMs, usualBan } from '../limiter.ts'
import { type LegalVariant, legal, together, type Variant } from '../variant.ts'
import { banning } from '../wrappers/banning.ts'
import { duringBans, withHeaders, without, withStatus } from '../wrappers/middleware.ts'
import { meteredBy } from '../wrappers/rate-limiting.ts'

const challenge = { 'WWW-Authenticate': 'Bearer' }

const as401 = duringBans((response) => withHeaders(challenge)(withStatus(401)(response)))

/** Bans of any length, whose Retry-After states their end. */
const longBans = (
  afterRefusals: number,
  lastsMs: (bans: number) => number,
  more: Parameters<typeof banning>[0] = {},
): Variant => banning({ afterRefusals, lastsMs, isAtOnce: true, ...more })

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

export const banVariants: readonly LegalVariant[] = [
  ...legal(['retry-after-present', 'quota-429-status'], {
    'ban-from-before-untold': [
      'A key is banned when the run begins: 429 with all calls remaining and no Retry-After.',
      together(earlierBan(45_000), duringBans(without('Retry-After'))),
    ],
    'ban-after-fifty': [
      'A ban needs fifty refusals in a row.',
      meteredBy(clockWindow, { afterRefusals: 50, lastsMs: 120_000 }),
    ],
  }),
  ...legal(['ban-look', 'ban-own-key', 'ban-not-first-after-bans', 'list-after-ban-200'], {
    'ban-as-403': [
      'Responses during a ban are 403, and say how long it lasts.',
      duringBans(withStatus(403)),
    ],
    'ban-as-401': ['Responses during a ban are 401, like those to an invalid key.', as401],
    'ban-as-401-of-nobody': [
      'Responses during a ban are 401, with the rate-limit headers of a request without a key.',
      duringBans((response, _request, { withoutKey, rateLimitHeaders, clock }) => {
        const numbers = rateLimitHeaders(withoutKey(clock.now()))
        return withHeaders({ ...challenge, ...numbers })(withStatus(401)(response))
      }),
    ],
    'ban-as-403-untold': [
      'Responses during a ban are 403 without Retry-After, which is only a should.',
      duringBans((response) => withStatus(403)(without('Retry-After')(response))),
      { warns: ['ban-retry-after'] },
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
    'ban-of-a-bucket': [
      'A token bucket, and a ban after three refusals.',
      meteredBy(legalMeters['bucket-reset-full'], { ...usualBan, afterRefusals: 3 }),
    ],
    'ban-of-an-hour': ['A ban lasts an hour, and says so.', longBans(4, () => 60 * minuteMs)],
    'ban-prolonged-by-knocking': [
      'Each request during a ban restarts it, and its response says so.',
      longBans(4, () => 2 * minuteMs, { isProlonged: 'stated' }),
    ],
    'ban-doubling': [
      'Each ban lasts twice as long as the one before.',
      longBans(3, (bans) => minuteMs * 2 ** bans),
    ],
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
