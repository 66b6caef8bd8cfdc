// Faults of bans: too soon, for ever, of other keys, or without saying how long.

import { type BanRule, withBans } from '../../bans.ts'
import type { KeyRecord } from '../../keys.ts'
import { clockWindow, createLimiter, type Decision, type Limiter } from '../../limiter.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import type { Variant } from '../../variant.ts'
import {
  duringBans,
  rateLimitNames,
  storingRefused,
  withHeaders,
  without,
  withStatus,
} from '../../wrappers/middleware.ts'
import { decidingBy, refusedFor } from '../../wrappers/rate-limits.ts'

interface BanDesign {
  /** This many refusals of one key cause the ban. */
  readonly afterRefusals?: number
  readonly lastsMs?: number
  /** Whether responses during a ban say how long it lasts. */
  readonly statesEnd?: boolean
  /** Whether each request restarts the ban, which its response does not say yet. */
  readonly isProlonged?: boolean
}

const bannedFor = (retryAfterMs: number, decision: Decision): Decision => ({
  ...refusedFor(retryAfterMs, decision),
  banned: true,
})

interface Ban {
  readonly offender: KeyRecord
  untilMs: number
}

/** Bans of another design, which apply before those of the reference. */
const banning = (
  hits: (offender: KeyRecord, caller: KeyRecord) => boolean,
  { afterRefusals = 3, lastsMs = 90_000, statesEnd = true, isProlonged = false }: BanDesign = {},
): Variant =>
  decidingBy(() => {
    const refusals = new Map<string, number>()
    const bans: Ban[] = []
    const refusedBy = (ban: Ban, decision: Decision, nowMs: number): Decision => {
      const windowMs = decision.retryAfterMs ?? decision.resetAtMs - nowMs
      const retryAfterMs = statesEnd ? ban.untilMs - nowMs : windowMs
      if (isProlonged) ban.untilMs = nowMs + lastsMs
      return bannedFor(retryAfterMs, decision)
    }
    return (decision, nowMs, key) => {
      const ban = bans.find(({ offender, untilMs }) => nowMs < untilMs && hits(offender, key))
      if (ban) return refusedBy(ban, decision, nowMs)
      if (decision.granted) return decision
      const times = (refusals.get(key.key) ?? 0) + 1
      refusals.set(key.key, times % afterRefusals)
      if (times >= afterRefusals) bans.push({ offender: key, untilMs: nowMs + lastsMs })
      return decision
    }
  })

/** The first refusal already states the ban. */
const banningAtOnce = (lastsMs: number): Variant =>
  decidingBy(() => {
    const until = new Map<KeyRecord, number>()
    return (decision, nowMs, key) => {
      if (!decision.granted && !until.has(key)) until.set(key, nowMs + lastsMs)
      const untilMs = until.get(key) ?? 0
      if (nowMs < untilMs) return refusedFor(untilMs - nowMs, decision)
      until.delete(key)
      return decision
    }
  })

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
const neverForgiven: Variant = decidingBy(() => {
  const offenders = new Set<KeyRecord>()
  return (decision, nowMs, key) => {
    if (decision.banned) offenders.add(key)
    if (!decision.granted || !offenders.has(key)) return decision
    return refusedFor(decision.resetAtMs - nowMs, decision)
  }
})

const maxRefusals = 5
const addedUpMs = 300_000

/** Refusals add up, also across served calls; the fifth and each later one causes a ban. */
const addingUp = (nameOf: (key: KeyRecord) => string, isForgiving: boolean): Variant =>
  decidingBy(() => {
    const refusals = new Map<string, number>()
    const until = new Map<KeyRecord, number>()
    return (decision, nowMs, key) => {
      const leftMs = (until.get(key) ?? 0) - nowMs
      if (leftMs > 0) return bannedFor(leftMs, decision)
      if (decision.granted) return decision
      const times = (refusals.get(nameOf(key)) ?? 0) + 1
      const isBan = times >= maxRefusals
      refusals.set(nameOf(key), isBan && isForgiving ? 0 : times)
      if (!isBan) return decision
      until.set(key, nowMs + addedUpMs)
      return bannedFor(addedUpMs, decision)
    }
  })

const own = (offender: KeyRecord, caller: KeyRecord) => offender === caller
const samePlan = (offender: KeyRecord, caller: KeyRecord) => offender.plan === caller.plan
const anyone = () => true

const forEverMs = 1_000 * 365 * 86_400_000

const as403 = duringBans(withStatus(403))

export const banMutants: readonly Mutant[] = [
  ...caughtBy('ban-not-first-after-bans', {
    'ban-count-kept-after-ban': [
      'The count of refusals is never reset, so after a ban each first refusal bans again.',
      { ...addingUp(({ key }) => key, false), ...as403 },
    ],
    'ban-count-of-all-keys': [
      'Refusals of all keys share one count, and the fifth bans whichever key caused it.',
      { ...addingUp(() => 'all', true), ...as403 },
    ],
  }),
  ...caughtBy('ban-not-first', {
    'ban-at-first-refusal': [
      'The first refusal bans the key, whatever its Retry-After says.',
      { ...banning(own, { afterRefusals: 1, lastsMs: 300_000 }), ...as403 },
    ],
    'ban-at-first-refusal-as-429': [
      'The first refusal already bans the key, for five minutes.',
      banningAtOnce(300_000),
    ],
  }),
  ...caughtBy('retry-after-served', {
    'ban-at-first-refusal-untold': [
      'The first refusal bans the key for longer than its Retry-After says.',
      banning(own, { afterRefusals: 1 }),
    ],
  }),
  ...caughtBy('ban-own-key', {
    'ban-of-the-address': [
      'A ban blocks the client address, and so every key.',
      banning(anyone),
      { shownBy: 'whole run', keys: ['pro'] },
    ],
    'ban-of-the-plan': ['A ban blocks all keys of the plan.', banning(samePlan)],
    'ban-of-the-address-after-thirty': [
      'Thirty refusals in a row block the client address, and so every key.',
      byAddress({ afterRefusals: 30, lastsMs: 90_000 }),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('ban-ends', {
    'ban-for-ever': [
      'A ban never ends: someone has to lift it by hand.',
      banning(own, { lastsMs: forEverMs, statesEnd: false }),
      { loadVerdicts: ['load-ban-ends'] },
    ],
    'ban-for-ever-and-told': [
      'A ban lasts a thousand years, and says so.',
      banning(own, { lastsMs: forEverMs }),
    ],
    'ban-longer-than-told': [
      'A ban lasts ten minutes, while its Retry-After covers one.',
      banning(own, { lastsMs: 600_000, statesEnd: false }),
    ],
    'ban-a-little-longer-than-told': [
      'A ban lasts longer than Retry-After says: it ends in the third minute.',
      banning(own, { lastsMs: 150_000, statesEnd: false }),
    ],
    'ban-prolonged-untold': [
      'Each request during a ban restarts it, while the response still states the old end.',
      banning(own, { isProlonged: true }),
    ],
    'ban-leaves-no-quota': ['After a ban the counter of the key never expires.', neverForgiven],
  }),
  ...caughtBy('header-limit-present', {
    'ban-without-rate-headers': [
      'Responses during a ban have no rate-limit headers.',
      duringBans(without(...rateLimitNames)),
    ],
  }),
  ...caughtBy('ban-retry-after', {
    'ban-without-retry-after': [
      'A ban gets 403 without Retry-After.',
      duringBans((response) => withStatus(403)(without('Retry-After')(response))),
    ],
    'ban-retry-after-zero': [
      'Responses during a ban have Retry-After: 0.',
      duringBans(withHeaders({ 'Retry-After': '0' })),
    ],
  }),
  ...caughtBy('ban-creation-no-effect', {
    'ban-stores-creations': [
      'POST /pets during a ban still stores the pet.',
      storingRefused(({ body }) => body.includes('key_banned')),
    ],
  }),
]
