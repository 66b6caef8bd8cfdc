// Temporary bans: a key that continues to call after refusals is blocked for a while.
import { type Decision, type Limiter, minuteMs } from './limiter.ts'

export interface BanRule {
  /** This many refused calls in a row, within a minute, cause the ban. */
  afterRefusals: number
  /** At most two minutes, so that the `Reset` of a banned key stays within two windows. */
  lastsMs: number
}

export const usualBan: BanRule = { afterRefusals: 10, lastsMs: 90_000 }

interface Offence {
  refusals: number
  sinceMs: number
  bannedUntilMs: number
  /** What the last refusal stated. */
  limit: number
  resetAtMs: number
  retryAtMs: number
}

/** Calls while banned neither count nor prolong the ban: it ends by itself. */
export const withBans = (limiter: Limiter, rule: BanRule): Limiter => {
  if (rule.lastsMs > 2 * minuteMs) throw new Error('A ban lasts at most two minutes.')
  const offences = new Map<string, Offence>()
  return {
    take: (key, quota, nowMs) => {
      const earlier = offences.get(key)
      if (earlier && nowMs < earlier.bannedUntilMs) return bannedDecision(earlier, nowMs)
      const decision = limiter.take(key, quota, nowMs)
      if (decision.granted) {
        offences.delete(key)
        return decision
      }
      const offence = refusedAgain(earlier, decision, nowMs)
      offences.set(key, offence)
      if (offence.refusals < rule.afterRefusals) return decision
      offence.refusals = 0
      offence.bannedUntilMs = nowMs + rule.lastsMs
      return bannedDecision(offence, nowMs)
    },
  }
}

const refusedAgain = (earlier: Offence | undefined, refused: Decision, nowMs: number): Offence => {
  const isSameSeries = earlier && earlier.refusals > 0 && nowMs - earlier.sinceMs < minuteMs
  return {
    refusals: isSameSeries ? earlier.refusals + 1 : 1,
    sinceMs: isSameSeries ? earlier.sinceMs : nowMs,
    bannedUntilMs: 0,
    limit: refused.limit,
    resetAtMs: refused.resetAtMs,
    retryAtMs: nowMs + (refused.retryAfterMs ?? 0),
  }
}

/** A ban states what the last refusal stated, or its own end where that is later. */
const bannedDecision = (offence: Offence, nowMs: number): Decision => ({
  granted: false,
  limit: offence.limit,
  remaining: 0,
  resetAtMs: Math.max(offence.resetAtMs, offence.bannedUntilMs),
  retryAfterMs: Math.max(offence.retryAtMs, offence.bannedUntilMs) - nowMs,
  banned: true,
})
