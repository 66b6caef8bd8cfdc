// Changes to how requests are counted: by other meters, names, numbers and waits.
import type { Quota } from '../../spec/plans.ts'
import type { KeyRecord } from '../issued-keys.ts'
import {
  type BanRule,
  clockWindow,
  createLimiter,
  type Decision,
  type Limiter,
  type MakeMeter,
  minuteMs,
  usualBan,
  withBans,
} from '../limiter.ts'
import type { ApiRequest } from '../message.ts'
import { type Parts, perServer, replacing, type Variant } from '../variant.ts'
import { delayedBy } from './middleware.ts'

/** `make` is called for each server, so that servers do not share counts. */
export const limitedBy = (make: () => Limiter): Variant => ({
  parts: () => ({ limiter: make() }),
})

export const meteredBy = (makeMeter: MakeMeter, ban: BanRule = usualBan): Variant =>
  limitedBy(() => withBans(createLimiter(makeMeter), ban))

/** Another meter for the minute; the day is that of the reference. */
export const minuteOf =
  (makeMinute: MakeMeter): MakeMeter =>
  (limit, windowMs) =>
    (windowMs === minuteMs ? makeMinute : clockWindow)(limit, windowMs)

export const minutesBy = (makeMinute: MakeMeter): Variant => meteredBy(minuteOf(makeMinute))

/** Another meter for the day; the minute is that of the reference. */
export const daysBy = (makeDay: MakeMeter): Variant =>
  meteredBy((limit, windowMs) =>
    windowMs === minuteMs ? clockWindow(limit, windowMs) : makeDay(limit, windowMs),
  )

type ChangeDecision = (
  decision: Decision,
  nowMs: number,
  key: KeyRecord,
  request: ApiRequest,
) => Decision

/** Changes every decision; `make` creates the state of each server. */
export const decidingBy = (make: () => ChangeDecision): Variant => ({
  parts: ({ charge }) => {
    const change = make()
    return {
      charge: (key, request, nowMs) => change(charge(key, request, nowMs), nowMs, key, request),
    }
  },
})

/** Changes every decision, without state. */
export const deciding = (change: ChangeDecision): Variant => decidingBy(() => change)

/** Changes every decision by the state of its key. */
export const decidingFor = <State>(
  make: () => State,
  change: (decision: Decision, nowMs: number, state: State, key: KeyRecord) => Decision,
): Variant =>
  decidingBy(() => {
    const states = new Map<string, State>()
    return (decision, nowMs, key) => {
      const state = states.get(key.key) ?? make()
      states.set(key.key, state)
      return change(decision, nowMs, state, key)
    }
  })

/** A refusal instead of a decision. */
export const refusedFor = (retryAfterMs: number, decision: Decision): Decision => ({
  ...decision,
  granted: false,
  remaining: 0,
  retryAfterMs,
})

/** After such a decision its key is never served again, with Retry-After until the next Reset. */
export const neverServedAfter = (isLast: (decision: Decision) => boolean): Variant =>
  decidingFor(
    () => ({ isOver: false }),
    (decision, nowMs, own) => {
      const wasOver = own.isOver
      own.isOver ||= isLast(decision)
      if (!wasOver || !decision.granted) return decision
      return refusedFor(decision.resetAtMs - nowMs, decision)
    },
  )

/** Another value of Retry-After. */
export const waiting = (value: (waitMs: number, nowMs: number) => string): Variant => ({
  parts: () => ({ retryAfter: value }),
})

/** Retry-After as a date, a second after the end of the wait. */
export const waitingUntil = (write = (date: Date) => date.toUTCString()): Variant =>
  waiting((waitMs, nowMs) => write(new Date(Math.ceil((nowMs + waitMs) / 1000 + 1) * 1000)))

/** Rounds Reset in another way. */
export const resetting = (round: (seconds: number) => number): Variant =>
  replacing('rateLimitHeaders', ({ rateLimitHeaders }, decision) => ({
    ...rateLimitHeaders(decision),
    'X-RateLimit-Reset': String(round(decision.resetAtMs / 1000)),
  }))

/** Counts under another name than the key. */
export const countedAs = (
  nameCount: (key: KeyRecord, request: ApiRequest, parts: Parts) => string,
): Variant =>
  replacing('charge', (parts, key, request, nowMs) =>
    parts.limiter.take(nameCount(key, request, parts), key.quota, nowMs),
  )

/** One count per replica; connections go to the replicas in turn. */
export const replicated = (replicas: number): Variant =>
  perServer((next) => {
    const numbers = new WeakMap<object, number>()
    return countedAs(({ key }, { connection }) => {
      const known = numbers.get(connection) ?? next() % replicas
      numbers.set(connection, known)
      return `${key} ${known}`
    })
  })

/** A decision by enforced numbers, shown as one by the numbers of the plan. */
const shownFor = (decision: Decision, enforced: Quota, quota: Quota): Decision => {
  const limit = decision.limit === enforced.perDay ? quota.perDay : quota.perMinute
  const left = decision.remaining - decision.limit + limit
  const remaining = decision.granted ? Math.min(Math.max(left, 0), limit - 1) : 0
  return { ...decision, limit, remaining }
}

/** Enforces other numbers than those of the plan, which the headers still show. */
export const enforcing = (
  change: (key: KeyRecord, parts: Parts, nowMs: number) => Partial<Quota>,
): Variant =>
  replacing('charge', (parts, own, _request, nowMs) => {
    const { key, quota } = own
    const enforced = { ...quota, ...change(own, parts, nowMs) }
    // Where the numbers change, the calls are counted anew.
    const decision = parts.limiter.take(`${key} ${enforced.perMinute}`, enforced, nowMs)
    return shownFor(decision, enforced, quota)
  })

/**
 * Read, await, write: calls that arrive meanwhile read the same number. The response waits until
 * the number is raised.
 */
export const racing: Variant = {
  ...minutesBy((limit, windowMs) => {
    const window = clockWindow(limit, windowMs)
    const count = (nowMs: number) => {
      setTimeout(() => window.count(nowMs), 8).unref()
    }
    const look = (nowMs: number) => {
      const seen = window.look(nowMs)
      return { ...seen, remaining: Math.max(0, seen.remaining - 1) }
    }
    return { look, count }
  }),
  ...delayedBy(() => () => 10),
}

/** Charges a call this many times, 0 included. */
export const charging = (countTimes: (request: ApiRequest) => number): Variant => ({
  parts: ({ limiter }) => {
    const shown = new Map<string, Decision>()
    return {
      charge: ({ key, quota }, request, nowMs) => {
        const latest = shown.get(key)
        const times = countTimes(request)
        if (times === 0 && latest && nowMs < latest.resetAtMs) return { ...latest, granted: true }
        let decision = limiter.take(key, quota, nowMs)
        for (let time = 1; time < times && decision.granted; time++) {
          const next = limiter.take(key, quota, nowMs)
          if (!next.granted) break
          decision = next
        }
        shown.set(key, decision)
        return decision
      },
    }
  },
})

/** Calls that pass the test do not count. There is no ban. */
export const uncounted = (isFree: (request: ApiRequest, parts: Parts) => boolean): Variant => ({
  parts: (honest) => {
    let isSkipped = false
    const limiter = createLimiter((limit, windowMs) => {
      const window = clockWindow(limit, windowMs)
      return { ...window, count: (nowMs) => (isSkipped ? undefined : window.count(nowMs)) }
    })
    return {
      limiter,
      charge: ({ key, quota }, request, nowMs) => {
        isSkipped = isFree(request, honest)
        return limiter.take(key, quota, nowMs)
      },
    }
  },
})
