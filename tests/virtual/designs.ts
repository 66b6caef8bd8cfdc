// Legal designs of the limits, for a target in virtual time: any meter, of this window or that,
// refused bodies counted or not.

import { legalMeters } from '../../reference/legal-meters.ts'
import {
  type BanRule,
  clockWindow,
  type Decision,
  type Limiter,
  type MakeMeter,
  type Meter,
  withBans,
} from '../../reference/limiter.ts'
import { type ApiRequest, type Handle, splitTarget } from '../../reference/message.ts'
import type { Parts, Variant } from '../../reference/variant.ts'
import type { Quota } from '../../spec/plans.ts'

interface Counting {
  /** Which window the headers are about, as long as neither is spent. */
  readonly speaksOf: 'tightest' | 'minute' | 'day'
  /** Whether a request that is refused as invalid counts. */
  readonly countsUnsound: boolean
}

interface Own {
  readonly minute: Meter
  readonly day: Meter
}

/** Headers of the day are about the minute from here on, before it is spent. */
const minuteIsNear = 30

const isBlocked = (meter: Meter, nowMs: number) => meter.look(nowMs).nextAtMs > nowMs

const spokenOf = ({ minute, day }: Own, speaksOf: Counting['speaksOf'], nowMs: number): Meter => {
  const left = { minute: minute.look(nowMs).remaining, day: day.look(nowMs).remaining }
  if (speaksOf === 'tightest') return left.day <= left.minute ? day : minute
  if (isBlocked(day, nowMs)) return day
  if (speaksOf === 'minute' || left.minute < minuteIsNear) return minute
  return day
}

/** @param isFree called for each request before it is counted */
const createCounting = (make: MakeMeter, counting: Counting, isFree: () => boolean): Limiter => {
  const owners = new Map<string, Own>()
  const ownOf = (key: string, quota: Quota): Own => {
    const own = owners.get(key) ?? {
      minute: make(quota.perMinute, 60_000),
      day: make(quota.perDay, 86_400_000),
    }
    owners.set(key, own)
    return own
  }
  return {
    take: (key, quota, nowMs) => {
      const own = ownOf(key, quota)
      const { minute, day } = own
      const nextAtMs = Math.max(minute.look(nowMs).nextAtMs, day.look(nowMs).nextAtMs)
      const granted = nextAtMs <= nowMs
      if (granted && !isFree()) for (const meter of [minute, day]) meter.count(nowMs)
      const spoken = spokenOf(own, counting.speaksOf, nowMs)
      const { remaining, resetAtMs } = spoken.look(nowMs)
      const decision: Decision = { granted, limit: spoken.limit, remaining, resetAtMs }
      return granted ? decision : { ...decision, retryAfterMs: nextAtMs - nowMs }
    },
  }
}

const isUnsound = (request: ApiRequest, parts: Parts): boolean => {
  const { path, query } = splitTarget(request.target)
  const route = parts.findRoute(request.method, path)
  if (route.operation === undefined) return true
  if (route.operation === 'createPet') return 'refusal' in parts.readNewPet(request)
  if (route.operation === 'getPet') return 'refusal' in parts.readPetId(route.petId)
  return 'refusal' in parts.readLimit(new URLSearchParams(query).getAll('limit'))
}

const legalLimiter = (
  make: MakeMeter,
  counting: Counting,
  ban: BanRule | null,
  honest: Parts,
): Pick<Parts, 'limiter' | 'charge'> => {
  let isFree = false
  const bare = createCounting(make, counting, () => isFree)
  const limiter = ban ? withBans(bare, ban) : bare
  return {
    limiter,
    charge: ({ key, quota }, request, nowMs) => {
      isFree = !counting.countsUnsound && isUnsound(request, honest)
      return limiter.take(key, quota, nowMs)
    },
  }
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

/** A ban whose response differs from a refusal. */
const bannedWith =
  (honest: Handle, { status, statesNoWait = false }: NonNullable<Design['ban']>): Handle =>
  async (request) => {
    const response = await honest(request)
    if (!response.body.includes('"key_banned"')) return response
    const { 'Retry-After': wait, ...others } = response.headers
    const headers = {
      ...(statesNoWait ? others : response.headers),
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    }
    return { status, headers, body: response.body.replace('429', String(status)) }
  }

export const legalVariant = (design: Design): Variant => ({
  parts: (honest) => ({
    ...legalLimiter(designs[design.meter] ?? clockWindow, design, design.ban, honest),
    rateLimitHeaders: (decision) => ({
      ...honest.rateLimitHeaders(decision),
      ...(design.reset === 'down' && {
        'X-RateLimit-Reset': String(Math.floor(decision.resetAtMs / 1000)),
      }),
    }),
    retryAfter: (waitMs, nowMs) => {
      const wholeMs = waitMs + design.spareMs
      if (design.retryAfter === 'seconds') return honest.retryAfter(wholeMs, nowMs)
      return new Date(Math.ceil((nowMs + wholeMs) / 1000) * 1000).toUTCString()
    },
  }),
  handle: (honest) => (design.ban ? bannedWith(honest, design.ban) : honest),
})
