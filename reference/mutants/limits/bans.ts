// Bans of other designs than that of the reference, and their faults: too soon, for ever, of other
// keys, or without saying how long.

import type { KeyRecord } from '../../issued-keys.ts'
import { clockWindow, createLimiter, type Decision } from '../../limiter.ts'
import { caughtBy, each, type Parts, type Variant } from '../../variant.ts'
import {
  duringBans,
  rateLimitNames,
  withHeaders,
  without,
  withStatus,
} from '../../wrappers/middleware.ts'
import { neverServedAfter, refusedFor } from '../../wrappers/rate-limiting.ts'

interface BanDesign {
  /** Whose refusals are counted together, and whom the ban hits; by default each key. */
  readonly counts: (key: KeyRecord) => string
  readonly hits: (key: KeyRecord) => string
  /** This many refusals cause a ban; some may have come before the run. */
  readonly afterRefusals: number
  readonly refusalsBefore: number
  /** By how many bans there were, this one included. */
  readonly lastsMs: (bans: number) => number
  /** Whether the refusal that causes the ban is already one of it. */
  readonly isAtOnce: boolean
  /** A pause after which they are. */
  readonly forgetsMs: number
  /** Whether responses during a ban do not say how long it lasts. */
  readonly hidesEnd: boolean
  /** Whether each request restarts the ban, and its response states that, or the old end. */
  readonly isProlonged: 'stated' | 'unstated' | false
}

const keyAlone = ({ key }: KeyRecord) => key

const usual: BanDesign = {
  ...{ counts: keyAlone, hits: keyAlone, afterRefusals: 3, refusalsBefore: 0 },
  lastsMs: () => 90_000,
  forgetsMs: Number.POSITIVE_INFINITY,
  ...{ isAtOnce: false, hidesEnd: false, isProlonged: false },
}

/** Counts a refusal, and says whether it causes a ban. */
const countRefusals = (design: BanDesign) => {
  const { counts, afterRefusals, refusalsBefore, forgetsMs } = design
  const refusals = new Map<string, { readonly times: number; readonly lastMs: number }>()
  return (key: KeyRecord, nowMs: number): boolean => {
    const last = refusals.get(counts(key)) ?? { times: refusalsBefore, lastMs: nowMs }
    const times = (nowMs - last.lastMs > forgetsMs ? 0 : last.times) + 1
    const isBan = times >= afterRefusals
    refusals.set(counts(key), { times: isBan ? 0 : times, lastMs: nowMs })
    return isBan
  }
}

const banned = (leftMs: number, decision: Decision, hidesEnd: boolean, nowMs: number): Decision => {
  const { retryAfterMs = hidesEnd ? decision.resetAtMs - nowMs : 0 } = decision
  const statedMs = hidesEnd ? retryAfterMs : Math.max(leftMs, retryAfterMs)
  return { ...refusedFor(statedMs, decision), banned: true }
}

const charging = (design: BanDesign): Parts['charge'] => {
  const { hits, lastsMs, isAtOnce, isProlonged, hidesEnd } = design
  const limiter = createLimiter(clockWindow)
  const isTooMuch = countRefusals(design)
  const bans = new Map<string, { number: number; untilMs: number }>()
  return (key, _request, nowMs) => {
    const decision = limiter.take(key.key, key.quota, nowMs)
    const ban = bans.get(hits(key)) ?? { number: 0, untilMs: 0 }
    bans.set(hits(key), ban)
    const oldMs = ban.untilMs - nowMs
    const isNew = oldMs <= 0
    if (isNew && (decision.granted || !isTooMuch(key, nowMs))) return decision
    ban.number += Number(isNew)
    if (isNew || isProlonged) ban.untilMs = nowMs + lastsMs(ban.number)
    if (isNew && !isAtOnce) return decision
    const leftMs = isNew || isProlonged === 'stated' ? ban.untilMs - nowMs : oldMs
    return banned(leftMs, decision, hidesEnd, nowMs)
  }
}

/** Bans in place of those of the reference. The windows are those of the clock. */
export const banning = (own: Partial<BanDesign>): Variant => ({
  parts: () => ({ charge: charging({ ...usual, ...own }) }),
})

const anyone = () => 'anyone'

const fiveMinutes = () => 300_000
const addingUp = { afterRefusals: 5, lastsMs: fiveMinutes, isAtOnce: true }

const forEver = () => 1_000 * 365 * 86_400_000

const as403 = duringBans(withStatus(403))

export const banMutants = [
  ...each({
    'ban-count-of-all-keys': [
      'ban-only-after-refusals',
      'Refusals of all keys share one count, and the fifth bans whichever key caused it.',
      { ...banning({ ...addingUp, counts: anyone }), ...as403 },
      { suite: 'both', keys: ['business', 'enterprise'] },
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
    'ban-without-retry-after': [
      'ban-retry-after',
      'A ban gets 403 without Retry-After.',
      duringBans((response) => withStatus(403)(without('Retry-After')(response))),
    ],
    'ban-retry-after-zero': [
      'retry-after-present',
      'Responses during a ban have Retry-After: 0.',
      duringBans(withHeaders({ 'Retry-After': '0' })),
    ],
  }),
  ...caughtBy('retry-after-each-served', {
    'ban-at-first-refusal': [
      'The first refusal bans the key, whatever its Retry-After says.',
      { ...banning({ afterRefusals: 1, lastsMs: fiveMinutes }), ...as403 },
    ],
    'ban-for-ever': [
      'A ban never ends: someone has to lift it by hand.',
      banning({ lastsMs: forEver, hidesEnd: true }),
      { loadVerdicts: ['load-ban-ends'] },
    ],
    'ban-prolonged-untold': [
      'Each request during a ban restarts it, while the response still states the old end.',
      banning({ isProlonged: 'unstated' }),
    ],
    'ban-leaves-no-quota': [
      'After a ban the counter of the key never expires.',
      neverServedAfter(({ banned }) => banned === true),
    ],
  }),
  ...caughtBy('ban-own-key', {
    'ban-of-the-address': [
      'A ban blocks the client address, and so every key.',
      banning({ hits: anyone }),
      { keys: ['pro'], loadVerdicts: ['load-ban-own-key'] },
    ],
  }),
]
