// Other legal ways of counting calls, and of speaking about the count.
import type { Quota } from '../../spec/plans.ts'
import { usualBan, withBans } from '../bans.ts'
import type { Variant } from '../compose.ts'
import {
  clockWindow,
  createLimiter,
  type Decision,
  type Limiter,
  type MakeMeter,
  type Meter,
} from '../limiter.ts'
import { legalMeters } from '../limiters.ts'
import { type ApiRequest, splitTarget } from '../message.ts'
import type { LegalVariant } from '../mutant.ts'
import type { Parts } from '../parts.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** `make` is called for each server, so that none counts for another. */
const limitedBy = (make: () => Limiter): Variant => ({
  parts: () => ({ limiter: make() }),
})

const does: Record<keyof typeof legalMeters, string> = {
  'window-from-first-call': 'A window begins with the first call after the last one ended.',
  'log-reset-oldest': 'Each call leaves a log after a window; Reset is when the next one leaves.',
  'log-reset-newest': 'Each call leaves a log after a window; Reset is when the last one leaves.',
  'sliding-counter': 'The earlier window weighs less and less.',
  'bucket-reset-full': 'Calls come back evenly; Reset is when all are back.',
  'bucket-reset-next': 'Calls come back every second; Reset is when the next ones are.',
  'bucket-reset-next-one': 'Calls come back evenly; Reset is the second in which the next one is.',
  'bucket-in-tenths': 'A tenth of the calls comes back every tenth of a window.',
}

const designs = (Object.entries(legalMeters) as [keyof typeof legalMeters, MakeMeter][]).map(
  ([name, meter]): LegalVariant => ({
    id: `limiter-${name}`,
    does: does[name],
    ...limitedBy(() => withBans(createLimiter(meter), usualBan)),
  }),
)

/** Room for this many calls of the minute is kept back before the headers speak of the day. */
const minuteIsNear = 30

/** Speaks of the day for as long as the minute is far from spent. */
const speakingOfDay = (): Limiter => {
  const meters = new Map<string, { minute: Meter; day: Meter }>()
  const metersOf = (key: string, quota: Quota) => {
    const known = meters.get(key) ?? {
      minute: clockWindow(quota.perMinute, minuteMs),
      day: clockWindow(quota.perDay, dayMs),
    }
    meters.set(key, known)
    return known
  }
  return {
    take: (key, quota, nowMs) => {
      const { minute, day } = metersOf(key, quota)
      const blockedMs = Math.max(minute.look(nowMs).nextAtMs, day.look(nowMs).nextAtMs)
      const granted = blockedMs <= nowMs
      for (const meter of granted ? [minute, day] : []) meter.count(nowMs)
      const ofMinute = minute.look(nowMs).remaining < minuteIsNear
      const spokenOf = ofMinute && day.look(nowMs).remaining > 0 ? minute : day
      const { remaining, resetAtMs } = spokenOf.look(nowMs)
      const decision: Decision = { granted, limit: spokenOf.limit, remaining, resetAtMs }
      return granted ? decision : { ...decision, retryAfterMs: blockedMs - nowMs }
    },
  }
}

/** Whether an operation will refuse a request; a fetch of an unknown animal is no such case. */
const isRefused = (request: ApiRequest, parts: Parts): boolean => {
  const { path, query } = splitTarget(request.target)
  const route = parts.findRoute(request.method, path)
  if (route.operation === undefined) return true
  if (route.operation === 'createPet') return 'refusal' in parts.readNewPet(request)
  if (route.operation === 'getPet') return 'refusal' in parts.readPetId(route.petId)
  const given = new URLSearchParams(query)
  const limit = parts.readLimit(given.getAll('limit'))
  return 'refusal' in limit || 'refusal' in parts.readStatus(given.getAll('status'))
}

/** Looks at a request before it counts it, and counts what it will serve. */
const refusalsFree: Variant = {
  parts: (honest) => {
    let isFree = false
    const meter: MakeMeter = (limit, windowMs) => {
      const window = clockWindow(limit, windowMs)
      return { ...window, count: (nowMs) => (isFree ? undefined : window.count(nowMs)) }
    }
    const limiter = createLimiter(meter)
    return {
      limiter,
      charge: ({ key, quota }, request, nowMs) => {
        isFree = isRefused(request, honest)
        return limiter.take(key, quota, nowMs)
      },
    }
  },
}

const others: readonly LegalVariant[] = [
  {
    id: 'limiter-headers-of-the-day',
    does: 'The headers speak of the day until half of the minute is spent.',
    ...limitedBy(speakingOfDay),
  },
  {
    id: 'limiter-refusals-free',
    does: 'What is refused as unsound does not count.',
    ...refusalsFree,
  },
  {
    id: 'limiter-never-bans',
    does: 'There is no ban.',
    ...limitedBy(() => createLimiter(clockWindow)),
  },
  {
    id: 'limiter-retry-after-date',
    does: 'Retry-After is an HTTP-date.',
    parts: ({ httpDate }) => ({
      retryAfter: (waitMs, nowMs) => httpDate(Math.ceil((nowMs + waitMs) / 1000 + 1) * 1000),
    }),
  },
]

export const countingVariants: readonly LegalVariant[] = [...designs, ...others]
