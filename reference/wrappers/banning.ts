// Bans of other designs than that of the reference, legal and faulty ones.
import type { KeyRecord } from '../issued-keys.ts'
import { clockWindow, createLimiter, type Decision } from '../limiter.ts'
import type { Parts, Variant } from '../variant.ts'
import { refusedFor } from './rate-limiting.ts'

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
  /** Whether refusals are never counted anew after a ban. */
  readonly isUnforgiving: boolean
  /** Whether responses during a ban do not say how long it lasts. */
  readonly hidesEnd: boolean
  /** Whether each request restarts the ban, and its response states that, or the old end. */
  readonly isProlonged: 'stated' | 'unstated' | false
}

const keyAlone = ({ key }: KeyRecord) => key

const usual: BanDesign = {
  ...{ counts: keyAlone, hits: keyAlone, afterRefusals: 3, refusalsBefore: 0 },
  lastsMs: () => 90_000,
  ...{ isAtOnce: false, isUnforgiving: false, hidesEnd: false, isProlonged: false },
}

/** Counts a refusal, and says whether it causes a ban. */
const countRefusals = ({ counts, afterRefusals, refusalsBefore, isUnforgiving }: BanDesign) => {
  const refusals = new Map<string, number>()
  return (key: KeyRecord): boolean => {
    const times = (refusals.get(counts(key)) ?? refusalsBefore) + 1
    const isBan = times >= afterRefusals
    refusals.set(counts(key), isBan && !isUnforgiving ? 0 : times)
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
    if (isNew && (decision.granted || !isTooMuch(key))) return decision
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
