// Faults that only a load test finds: many requests at the same time, or over a long time.
import { setTimeout as sleep } from 'node:timers/promises'
import { clockWindow, type MakeMeter, type Meter } from '../limiter.ts'
import { caughtBy, each, type Variant } from '../variant.ts'
import { replacedBy } from '../wrappers/middleware.ts'
import {
  decidingFor,
  minutesBy,
  racing,
  refusedFor,
  replicated,
} from '../wrappers/rate-limiting.ts'

/** How long a remote counter takes to respond. */
const awayMs = 4

/** For a moment, each call that finds the old window creates a new counter. */
const madeTwice: MakeMeter = (limit, windowMs) => {
  const momentMs = 4
  let bornMs = 0
  let meter = clockWindow(limit, windowMs)
  const enter = (nowMs: number): Meter => {
    if (Math.floor(bornMs / windowMs) < Math.floor(nowMs / windowMs)) bornMs = nowMs
    if (nowMs < bornMs + momentMs) meter = clockWindow(limit, windowMs)
    return meter
  }
  return { look: (nowMs) => enter(nowMs).look(nowMs), count: (nowMs) => enter(nowMs).count(nowMs) }
}

/** A refused call restarts the wait, and the response states half of it. */
const starving = decidingFor(
  () => ({ untilMs: 0 }),
  (decision, nowMs, wait) => {
    const waitMs = 20_000
    if (decision.granted && nowMs >= wait.untilMs) return decision
    wait.untilMs = nowMs + waitMs
    return refusedFor(waitMs / 2, decision)
  },
)

/** A ban by client address, which blocks every key. */
const leakingBan = decidingFor(
  () => ({ untilMs: 0 }),
  (decision, nowMs, ban) => {
    if (decision.banned && nowMs >= ban.untilMs) ban.untilMs = nowMs + (decision.retryAfterMs ?? 0)
    if (!decision.granted || nowMs >= ban.untilMs) return decision
    return refusedFor(ban.untilMs - nowMs, decision)
  },
  () => 'the address',
)

/** How long each request takes, so that concurrent ones overlap. */
const underWayMs = 20

/** Serves this many requests at once; all others get 503. */
const collapsing = (max: number): Variant => ({
  handle: (honest) => {
    let underWay = 0
    return async (request) => {
      underWay += 1
      try {
        await sleep(underWayMs)
        const response = await honest(request)
        return underWay <= max ? response : replacedBy(503, 'overloaded', 'Too busy.')(response)
      } finally {
        underWay -= 1
      }
    }
  },
})

/** Leaks connections: after this many, no request gets a response. */
const leakingConnections = (max: number): Variant => ({
  handle: (honest) => {
    const seen = new WeakSet<object>()
    let held = 0
    return (request) => {
      if (!seen.has(request.connection)) held += 1
      seen.add(request.connection)
      return held > max ? new Promise(() => {}) : honest(request)
    }
  },
})

/** Found by `petvet load`, each by the scenario that claims it. */
export const loadMutants = [
  ...each({
    'load-race': [
      'load-burst-not-more',
      'The limiter reads the counter and writes it a moment later.',
      racing(awayMs, awayMs + 1),
    ],
    'load-window-made-twice': [
      'load-edge-not-more',
      'At the start of a window concurrent calls each reset the counter.',
      minutesBy(madeTwice),
    ],
    'load-collapse': [
      'load-burst-no-5xx',
      'Above 20 concurrent requests the database pool is empty, and requests get 503.',
      collapsing(20),
    ],
    'load-connection-leak': [
      'load-burst-answered',
      'Connections are leaked: after 40, no request gets a response.',
      leakingConnections(40),
    ],
  }),
  ...caughtBy('load-replicas-one-count', {
    'load-replicas-apart': ['Each replica counts separately.', replicated(3)],
  }),
  ...caughtBy('load-backoff-retry-true', {
    'load-starvation': ['Retry-After is half of the wait that is enforced.', starving],
  }),
  ...caughtBy('load-ban-own-key', {
    'load-ban-leaks': ['A ban blocks the client address, not the key.', leakingBan],
  }),
]
