// Temporary bans: a key that goes on calling after it was refused is shut out for a while.
import { type Decision, type Limiter, minuteMs } from './limiter.ts'

export interface BanRule {
  /** This many refused calls in a row, within a minute, draw the ban. */
  afterRefusals: number
  /** At most two minutes, so that the `Reset` on a banned answer stays within two windows. */
  lastsMs: number
}

export const usualBan: BanRule = { afterRefusals: 10, lastsMs: 90_000 }

interface Offence {
  refusals: number
  sinceMs: number
  bannedUntilMs: number
  /** What the last refusal told the caller. */
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
      if (earlier && nowMs < earlier.bannedUntilMs) return bannedAnswer(earlier, nowMs)
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
      return bannedAnswer(offence, nowMs)
    },
  }
}

const refusedAgain = (earlier: Offence | undefined, refused: Decision, nowMs: number): Offence => {
  const goesOn = earlier && earlier.refusals > 0 && nowMs - earlier.sinceMs < minuteMs
  return {
    refusals: goesOn ? earlier.refusals + 1 : 1,
    sinceMs: goesOn ? earlier.sinceMs : nowMs,
    bannedUntilMs: 0,
    limit: refused.limit,
    resetAtMs: refused.resetAtMs,
    retryAtMs: nowMs + (refused.retryAfterMs ?? 0),
  }
}

/** A ban says what the last refusal said, or its own end where that is later. */
const bannedAnswer = (offence: Offence, nowMs: number): Decision => ({
  granted: false,
  limit: offence.limit,
  remaining: 0,
  resetAtMs: Math.max(offence.resetAtMs, offence.bannedUntilMs),
  retryAfterMs: Math.max(offence.retryAtMs, offence.bannedUntilMs) - nowMs,
  banned: true,
})
