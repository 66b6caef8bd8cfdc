// Faults of bans: too soon, for ever, of other keys, or without saying how long.

import { type BanRule, clockWindow, createLimiter, type Limiter, withBans } from '../../limiter.ts'
import { caughtBy, each, type Mutant, type Variant } from '../../variant.ts'
import { banning } from '../../wrappers/banning.ts'
import {
  duringBans,
  rateLimitNames,
  storingRefused,
  withHeaders,
  without,
  withStatus,
} from '../../wrappers/middleware.ts'
import { decidingFor, refusedFor } from '../../wrappers/rate-limiting.ts'

const anyone = () => 'anyone'

/** The first refusal already states the ban, as if it were one for the quota. */
const banningAtOnce = (lastsMs: number): Variant =>
  decidingFor(
    () => ({ untilMs: 0 }),
    (decision, nowMs, ban) => {
      if (!decision.granted && nowMs >= ban.untilMs) ban.untilMs = nowMs + lastsMs
      return nowMs < ban.untilMs ? refusedFor(ban.untilMs - nowMs, decision) : decision
    },
  )

/** Refusals are counted by client address, which all keys share. */
const byAddress = (rule: BanRule): Variant => ({
  parts: () => {
    const counted = createLimiter(clockWindow)
    let caller = ''
    const limiter = withBans(
      { take: (_address, quota, nowMs) => counted.take(caller, quota, nowMs) },
      rule,
    )
    const take: Limiter['take'] = (key, quota, nowMs) => {
      caller = key
      return limiter.take('127.0.0.1', quota, nowMs)
    }
    return { limiter: { take } }
  },
})

/** A key that was banned is never served again, with Retry-After until the next minute. */
const neverForgiven = decidingFor(
  () => ({ wasBanned: false }),
  (decision, nowMs, offender) => {
    if (decision.banned) offender.wasBanned = true
    if (!decision.granted || !offender.wasBanned) return decision
    return refusedFor(decision.resetAtMs - nowMs, decision)
  },
)

const fiveMinutes = () => 300_000
const addingUp = { afterRefusals: 5, lastsMs: fiveMinutes, isAtOnce: true }

const forEver = () => 1_000 * 365 * 86_400_000

const as403 = duringBans(withStatus(403))

export const banMutants: readonly Mutant[] = [
  ...each({
    'ban-count-kept-after-ban': [
      'ban-not-first-after-bans',
      'The count of refusals is never reset, so after a ban each first refusal bans again.',
      { ...banning({ ...addingUp, isUnforgiving: true }), ...as403 },
    ],
    'ban-count-of-all-keys': [
      'ban-only-after-refusals',
      'Refusals of all keys share one count, and the fifth bans whichever key caused it.',
      { ...banning({ ...addingUp, counts: anyone }), ...as403 },
      { suite: 'both' },
    ],
    'ban-for-ever-and-told': [
      'ban-temporary',
      'A ban lasts a thousand years, and says so.',
      banning({ lastsMs: forEver }),
    ],
    'ban-without-rate-headers': [
      'header-limit-present',
      'Responses during a ban have no rate-limit headers.',
      duringBans(without(...rateLimitNames)),
    ],
    'ban-stores-creations': [
      'create-refused-no-trace',
      'POST /pets during a ban still stores the pet.',
      storingRefused(({ body }) => body.includes('key_banned')),
    ],
  }),
  ...caughtBy('retry-after-each-served', {
    'ban-at-first-refusal': [
      'The first refusal bans the key, whatever its Retry-After says.',
      { ...banning({ afterRefusals: 1, lastsMs: fiveMinutes }), ...as403 },
    ],
    'ban-at-first-refusal-as-429': [
      'The first refusal already bans the key, for five minutes.',
      banningAtOnce(300_000),
      { suite: 'both' },
    ],
    'ban-at-first-refusal-untold': [
      'The first refusal bans the key for longer than its Retry-After says.',
      banning({ afterRefusals: 1 }),
    ],
    'ban-for-ever': [
      'A ban never ends: someone has to lift it by hand.',
      banning({ lastsMs: forEver, hidesEnd: true }),
      { loadVerdicts: ['load-ban-ends'] },
    ],
    'ban-longer-than-told': [
      'A ban lasts ten minutes, while its Retry-After covers one.',
      banning({ lastsMs: () => 600_000, hidesEnd: true }),
    ],
    'ban-a-little-longer-than-told': [
      'A ban lasts longer than Retry-After says: it ends in the third minute.',
      banning({ lastsMs: () => 150_000, hidesEnd: true }),
    ],
    'ban-prolonged-untold': [
      'Each request during a ban restarts it, while the response still states the old end.',
      banning({ isProlonged: 'unstated' }),
    ],
    'ban-leaves-no-quota': ['After a ban the counter of the key never expires.', neverForgiven],
  }),
  ...caughtBy('ban-own-key', {
    'ban-of-the-address': [
      'A ban blocks the client address, and so every key.',
      banning({ hits: anyone }),
      { keys: ['pro'] },
    ],
    'ban-of-the-plan': [
      'A ban blocks all keys of the plan.',
      banning({ hits: ({ plan }) => plan }),
    ],
    'ban-of-the-address-after-thirty': [
      'Thirty refusals in a row block the client address, and so every key.',
      byAddress({ afterRefusals: 30, lastsMs: 90_000 }),
    ],
  }),
  ...caughtBy('ban-retry-after', {
    'ban-without-retry-after': [
      'A ban gets 403 without Retry-After.',
      duringBans((response) => withStatus(403)(without('Retry-After')(response))),
    ],
  }),
  ...caughtBy('retry-after-present', {
    'ban-retry-after-zero': [
      'Responses during a ban have Retry-After: 0.',
      duringBans(withHeaders({ 'Retry-After': '0' })),
    ],
  }),
]
