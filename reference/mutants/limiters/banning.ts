// What bans become in the faulty servers: whom they hit, what their responses say, how they end.
import { type BanRule, withBans } from '../../bans.ts'
import type { Variant } from '../../compose.ts'
import type { KeyRecord } from '../../keys.ts'
import { clockWindow, createLimiter, type Decision, type Limiter } from '../../limiter.ts'
import type { ApiResponse } from '../../message.ts'
import type { Parts } from '../../parts.ts'

export interface Shutting {
  /** This many refusals of one key shut out whoever it hits. */
  readonly afterRefusals: number
  readonly lastsMs: number
  readonly hits: (offender: KeyRecord, caller: KeyRecord) => boolean
  /** Whether the answers of a ban tell how long it lasts. */
  readonly isTold: boolean
  /** Whether each call begins the ban anew, which its response does not say yet. */
  readonly isProlonged?: boolean
}

interface Ban {
  readonly offender: KeyRecord
  untilMs: number
}

/** Bans of another kind, beside which the usual ones are not noticed. */
export const shutting = ({
  afterRefusals,
  lastsMs,
  hits,
  isTold,
  isProlonged = false,
}: Shutting): Variant => ({
  parts: ({ charge }: Parts) => {
    const refusals = new Map<string, number>()
    const bans: Ban[] = []
    const refusedBy = (ban: Ban, decision: Decision, nowMs: number): Decision => {
      const windowMs = decision.retryAfterMs ?? decision.resetAtMs - nowMs
      const retryAfterMs = isTold ? ban.untilMs - nowMs : windowMs
      if (isProlonged) ban.untilMs = nowMs + lastsMs
      return { ...decision, granted: false, remaining: 0, retryAfterMs, banned: true }
    }
    return {
      charge: (key, request, nowMs): Decision => {
        const ban = bans.find(({ offender, untilMs }) => nowMs < untilMs && hits(offender, key))
        const decision = charge(key, request, nowMs)
        if (ban) return refusedBy(ban, decision, nowMs)
        if (decision.granted) return decision
        const times = (refusals.get(key.key) ?? 0) + 1
        refusals.set(key.key, times % afterRefusals)
        if (times >= afterRefusals) bans.push({ offender: key, untilMs: nowMs + lastsMs })
        return decision
      },
    }
  },
})

/** What the answers of a ban become. */
export const banned = (change: (answer: ApiResponse) => ApiResponse): Variant => ({
  handle: (honest) => async (request) => {
    const answer = await honest(request)
    return answer.status === 429 && answer.body.includes('key_banned') ? change(answer) : answer
  },
})

/** The refusal itself is that of the ban. */
export const banningAtOnce = (lastsMs: number): Variant => ({
  parts: ({ charge }: Parts) => {
    const until = new Map<KeyRecord, number>()
    return {
      charge: (key, request, nowMs): Decision => {
        const decision = charge(key, request, nowMs)
        if (!decision.granted && !until.has(key)) until.set(key, nowMs + lastsMs)
        const untilMs = until.get(key) ?? 0
        if (nowMs < untilMs) {
          return { ...decision, granted: false, remaining: 0, retryAfterMs: untilMs - nowMs }
        }
        until.delete(key)
        return decision
      },
    }
  },
})

/** Refusals are counted by the address, which is that of all keys. */
export const byAddress = (rule: BanRule): Variant => ({
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

/** A key that was banned is served no more, and is referred to the next minute each time. */
export const neverForgiven: Variant = {
  parts: ({ charge }: Parts) => {
    const offenders = new Set<KeyRecord>()
    return {
      charge: (key, request, nowMs): Decision => {
        const decision = charge(key, request, nowMs)
        if (decision.banned) offenders.add(key)
        if (!decision.granted || !offenders.has(key)) return decision
        const retryAfterMs = decision.resetAtMs - nowMs
        return { ...decision, granted: false, remaining: 0, retryAfterMs }
      },
    }
  },
}

const countedMost = 5
const addedUpMs = 300_000

const bannedFor = (decision: Decision, retryAfterMs: number): Decision => ({
  ...decision,
  granted: false,
  remaining: 0,
  retryAfterMs,
  banned: true,
})

/** Refusals are added up and not forgotten by what is served; the fifth and what follows bans. */
export const addingUp = (nameOf: (key: KeyRecord) => string, isForgiving: boolean): Variant => ({
  parts: ({ charge }: Parts) => {
    const refusals = new Map<string, number>()
    const until = new Map<KeyRecord, number>()
    return {
      charge: (key, request, nowMs): Decision => {
        const decision = charge(key, request, nowMs)
        const leftMs = (until.get(key) ?? 0) - nowMs
        if (leftMs > 0) return bannedFor(decision, leftMs)
        if (decision.granted) return decision
        const times = (refusals.get(nameOf(key)) ?? 0) + 1
        const isBan = times >= countedMost
        refusals.set(nameOf(key), isBan && isForgiving ? 0 : times)
        if (!isBan) return decision
        until.set(key, nowMs + addedUpMs)
        return bannedFor(decision, addedUpMs)
      },
    }
  },
})
