// Other legal manners towards callers: without a key, before a refusal, and after one.
import { usualBan, withBans } from '../bans.ts'
import type { Variant } from '../compose.ts'
import { clockWindow, createLimiter, type Limiter, type Meter, minuteMs } from '../limiter.ts'
import type { LegalVariant } from '../mutant.ts'
import { limitedBy } from '../seams/limits.ts'
import { days, notFewer, notMore } from './limit-checks.ts'

/** Calls a minute that an address has without a valid key. */
const keylessMost = 30

const limitingAddress: Variant = {
  handle: (honest, parts) => {
    const window = clockWindow(keylessMost, minuteMs)
    return async (request) => {
      if (parts.authenticate(request)) return honest(request)
      const nowMs = parts.clock.now()
      const { nextAtMs, resetAtMs } = window.look(nowMs)
      if (nextAtMs <= nowMs) {
        window.count(nowMs)
        return honest(request)
      }
      const refusal = parts.error(429, 'rate_limited', 'This address asks too often without a key.')
      const numbers = { granted: false, limit: keylessMost, remaining: 0, resetAtMs }
      return {
        ...refusal,
        headers: {
          'Content-Type': 'application/json',
          Date: parts.httpDate(nowMs),
          'Retry-After': parts.retryAfter(resetAtMs - nowMs, nowMs),
          ...parts.rateLimitHeaders(numbers),
          ...refusal.headers,
        },
      }
    }
  },
}

interface Own {
  used: number
  endsAtMs: number
  readonly day: Meter
}

const secondMs = 1_000
/** A whole second, as Reset can say no other. */
const minuteFrom = (nowMs: number) => Math.ceil((nowMs + minuteMs) / secondMs) * secondMs

/** A window from the first call on, which each refusal begins anew, spent as it is. */
const beginningAnew = (): Limiter => {
  const owners = new Map<string, Own>()
  return {
    take: (key, { perMinute, perDay }, nowMs) => {
      const day = clockWindow(perDay, 1_440 * minuteMs)
      const own = owners.get(key) ?? { used: 0, endsAtMs: 0, day }
      owners.set(key, own)
      if (nowMs >= own.endsAtMs) Object.assign(own, { used: 0, endsAtMs: minuteFrom(nowMs) })
      const dayAtMs = own.day.look(nowMs).nextAtMs
      const granted = own.used < perMinute && dayAtMs <= nowMs
      if (granted) {
        own.used += 1
        own.day.count(nowMs)
      } else own.endsAtMs = minuteFrom(nowMs)
      const ofDay = own.day.look(nowMs)
      const left = perMinute - own.used
      const decision =
        ofDay.remaining <= left
          ? { granted, limit: perDay, remaining: ofDay.remaining, resetAtMs: ofDay.resetAtMs }
          : { granted, limit: perMinute, remaining: left, resetAtMs: own.endsAtMs }
      if (granted) return decision
      return { ...decision, retryAfterMs: Math.max(own.endsAtMs, dayAtMs) - nowMs }
    },
  }
}

/** Of the minute, for as long as the day has calls. */
const speakingOfMinute = (): Limiter => {
  const owners = new Map<string, { minute: Meter; day: Meter }>()
  return {
    take: (key, { perMinute, perDay }, nowMs) => {
      const own = owners.get(key) ?? {
        minute: clockWindow(perMinute, minuteMs),
        day: clockWindow(perDay, 1_440 * minuteMs),
      }
      owners.set(key, own)
      const nextAtMs = Math.max(own.minute.look(nowMs).nextAtMs, own.day.look(nowMs).nextAtMs)
      const granted = nextAtMs <= nowMs
      for (const meter of granted ? [own.minute, own.day] : []) meter.count(nowMs)
      const isDaySpent = !granted && own.day.look(nowMs).nextAtMs > nowMs
      const { limit, look } = isDaySpent ? own.day : own.minute
      const { remaining, resetAtMs } = look(nowMs)
      const decision = { granted, limit, remaining, resetAtMs }
      return granted ? decision : { ...decision, retryAfterMs: nextAtMs - nowMs }
    },
  }
}

export const callerVariants: readonly LegalVariant[] = [
  {
    id: 'keyless-calls-limited',
    does: 'A client address gets thirty calls a minute without a valid key, and then 429.',
    exercises: ['auth-missing-list-401', 'isolation-invalid-key-free'],
    ...limitingAddress,
  },
  {
    id: 'limiter-refusal-begins-anew',
    does: 'Each refusal restarts the minute, and says so.',
    exercises: ['reset-not-moved-back', 'window-rested-served', ...notFewer],
    ...limitedBy(beginningAnew),
  },
  {
    id: 'limiter-headers-of-the-minute',
    does: 'The headers describe the minute until the day is used up.',
    exercises: ['header-limit-of-plan', 'headers-window', ...days],
    ...limitedBy(() => withBans(speakingOfMinute(), usualBan)),
  },
  {
    id: 'limiter-reset-flips-by-a-second',
    does: 'Two replicas round the same Reset, one up and one down.',
    exercises: ['reset-not-moved-back', 'count-across-queries', ...notMore],
    parts: ({ rateLimitHeaders }) => {
      let answers = 0
      return {
        limiter: withBans(createLimiter(clockWindow), usualBan),
        rateLimitHeaders: (decision) => ({
          ...rateLimitHeaders(decision),
          'X-RateLimit-Reset': String(Math.ceil(decision.resetAtMs / 1000) + (answers++ % 2)),
        }),
      }
    },
  },
]
