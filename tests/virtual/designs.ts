// Legal designs of the limits, for a target in virtual time: any meter, of this window or that,
// refused bodies counted or not.

import { legalMeters } from '../../reference/legal-meters.ts'
import {
  type BanRule,
  clockWindow,
  createLimiter,
  type MakeMeter,
  type Meter,
  withBans,
} from '../../reference/limiter.ts'
import { replacing, together, type Variant } from '../../reference/variant.ts'
import {
  duringBans,
  readParts,
  withHeaders,
  without,
  withStatus,
} from '../../reference/wrappers/middleware.ts'
import { resetting, waiting } from '../../reference/wrappers/rate-limiting.ts'

interface Counting {
  /** Which window the headers are about, as long as neither is spent. */
  readonly speaksOf: 'tightest' | 'minute' | 'day'
  /** Whether a request that is refused as invalid counts. */
  readonly countsUnsound: boolean
}

/** Headers of the day are about the minute from here on, before it is spent. */
const minuteIsNear = 30

const isBlocked = (meter: Meter, nowMs: number) => meter.look(nowMs).nextAtMs > nowMs

const spokenOf = (minute: Meter, day: Meter, speaksOf: Counting['speaksOf'], nowMs: number) => {
  const left = { minute: minute.look(nowMs).remaining, day: day.look(nowMs).remaining }
  if (speaksOf === 'tightest') return left.day <= left.minute ? day : minute
  if (isBlocked(day, nowMs)) return day
  if (speaksOf === 'minute' || left.minute < minuteIsNear) return minute
  return day
}

export const designs: Readonly<Record<string, MakeMeter>> = {
  'window-on-the-clock': clockWindow,
  ...legalMeters,
}

export interface Design extends Counting {
  readonly meter: keyof typeof designs
  readonly ban:
    | (BanRule & { readonly status: 401 | 403 | 429; readonly statesNoWait?: boolean })
    | null
  readonly reset: 'up' | 'down'
  readonly retryAfter: 'seconds' | 'date'
  /** By how much Retry-After is longer than it must be. */
  readonly spareMs: number
}

const limitedBy = ({ meter, speaksOf, countsUnsound, ban }: Design): Variant => ({
  parts: (honest) => {
    let isFree = false
    const bare = createLimiter(
      (limit, windowMs) => {
        const own = (designs[meter] ?? clockWindow)(limit, windowMs)
        return { ...own, count: (nowMs) => (isFree ? undefined : own.count(nowMs)) }
      },
      (minute, day, nowMs) => spokenOf(minute, day, speaksOf, nowMs),
    )
    const limiter = ban ? withBans(bare, ban) : bare
    return {
      limiter,
      charge: ({ key, quota }, request, nowMs) => {
        isFree = !countsUnsound && 'refusal' in readParts(request, honest)
        return limiter.take(key, quota, nowMs)
      },
    }
  },
})

/** A ban whose response differs from a refusal. */
const bannedWith = ({ status, statesNoWait = false }: NonNullable<Design['ban']>): Variant =>
  duringBans((response) => {
    const stating = statesNoWait ? without('Retry-After')(response) : response
    const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
    return withHeaders(challenge)(withStatus(status)(stating))
  })

const dateAt = (ms: number): string => new Date(Math.ceil(ms / 1000) * 1000).toUTCString()

export const legalVariant = (design: Design): Variant =>
  together(
    limitedBy(design),
    design.reset === 'down' ? resetting(Math.floor) : {},
    design.retryAfter === 'date'
      ? waiting((waitMs, nowMs) => dateAt(nowMs + waitMs + design.spareMs))
      : replacing('retryAfter', ({ retryAfter }, waitMs, nowMs) =>
          retryAfter(waitMs + design.spareMs, nowMs),
        ),
    design.ban ? bannedWith(design.ban) : {},
  )
