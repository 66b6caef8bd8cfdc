// Quotas: how many requests of a key remain in its minute and its day. And temporary bans: a key
// that continues to call after refusals is blocked for a while. The time is a parameter.

import type { Quota } from '../spec/plans.ts'

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

export interface Decision {
  granted: boolean
  /** The window that the headers describe: its size, what remains of it, and when it ends. */
  limit: number
  remaining: number
  resetAtMs: number
  /** How long a refused caller has to wait to be served. */
  retryAfterMs?: number
  banned?: boolean
}

export interface Limiter {
  /** Takes one call. Only issued keys come here, so the state is bounded by their number. */
  take: (key: string, quota: Quota, nowMs: number) => Decision
}

/** A window at one moment. */
export interface Seen {
  remaining: number
  resetAtMs: number
  /** When a call would be granted: now, or some time ahead. */
  nextAtMs: number
}

/** One window of one key. */
export interface Meter {
  look: (nowMs: number) => Seen
  count: (nowMs: number) => void
  /** Called with each refused call, where that changes the window. */
  refuse?: (nowMs: number) => void
}

export type MakeMeter = (limit: number, windowMs: number) => Meter

/** A minute or a day of the clock; the day is that of UTC. */
export const clockWindow: MakeMeter = (limit, windowMs) => {
  let window = 0
  let used = 0
  const enter = (nowMs: number) => {
    const current = Math.floor(nowMs / windowMs)
    // A clock that was set back stays in the later window: reopening one would grant it twice.
    if (current <= window) return
    window = current
    used = 0
  }
  return {
    look: (nowMs) => {
      enter(nowMs)
      const resetAtMs = (window + 1) * windowMs
      return { remaining: limit - used, resetAtMs, nextAtMs: used < limit ? nowMs : resetAtMs }
    },
    count: (nowMs) => {
      enter(nowMs)
      used++
    },
  }
}

/** Which window the headers describe. */
type Choose = (minute: Meter, day: Meter, nowMs: number, granted: boolean) => Meter

/**
 * The window that will refuse first, the longer one on a tie: the minute, while fewer calls of the
 * day are left, would announce calls that are then refused.
 */
const firstToRefuse: Choose = (minute, day, nowMs) =>
  day.look(nowMs).remaining <= minute.look(nowMs).remaining ? day : minute

/** The minute, until a call is refused for the day. */
export const minuteFirst: Choose = (minute, day, nowMs, granted) =>
  !granted && day.look(nowMs).nextAtMs > nowMs ? day : minute

export const createLimiter = (makeMeter: MakeMeter, choose = firstToRefuse): Limiter => {
  const meters = new Map<string, { minute: Meter; day: Meter }>()
  return {
    take: (key, quota, nowMs) => {
      const { minute, day } = meters.get(key) ?? {
        minute: makeMeter(quota.perMinute, minuteMs),
        day: makeMeter(quota.perDay, dayMs),
      }
      meters.set(key, { minute, day })
      const waitMs = () => Math.max(minute.look(nowMs).nextAtMs, day.look(nowMs).nextAtMs) - nowMs
      const granted = waitMs() <= 0
      for (const meter of [minute, day]) (granted ? meter.count : meter.refuse)?.(nowMs)
      const shown = choose(minute, day, nowMs, granted)
      const limit = shown === day ? quota.perDay : quota.perMinute
      const { remaining, resetAtMs } = shown.look(nowMs)
      const decision = { granted, limit, remaining, resetAtMs }
      return granted ? decision : { ...decision, retryAfterMs: waitMs() }
    },
  }
}

/** What a plan announces to a caller without a key: its minute, untouched. */
export const untouched = (quota: Quota, nowMs: number): Decision => ({
  granted: true,
  limit: quota.perMinute,
  remaining: quota.perMinute,
  resetAtMs: (Math.floor(nowMs / minuteMs) + 1) * minuteMs,
})

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
