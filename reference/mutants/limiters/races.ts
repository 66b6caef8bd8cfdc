// Faults that some calls meet: races, chance, and calls that count for nothing or twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Variant } from '../../compose.ts'
import { clockWindow, type Decision } from '../../limiter.ts'
import type { ApiRequest } from '../../message.ts'
import type { Mutant } from '../../mutant.ts'
import { minutesBy } from './over.ts'

/**
 * Read, await, write: calls that come meanwhile read the same number.
 * @param countsAfterMs how long after it was looked at the count is raised
 * @param answersAfterMs how long the answer waits; no less, so that it is raised by then
 */
export const racing = (countsAfterMs: number, answersAfterMs: number): Variant => ({
  ...minutesBy((limit, windowMs) => {
    const window = clockWindow(limit, windowMs)
    const count = (nowMs: number) => {
      setTimeout(() => window.count(nowMs), countsAfterMs).unref()
    }
    const look = (nowMs: number) => {
      const seen = window.look(nowMs)
      return { ...seen, remaining: Math.max(0, seen.remaining - 1) }
    }
    return { limit, look, count }
  }),
  handle: (honest) => async (request) => {
    const answer = await honest(request)
    await sleep(answersAfterMs)
    return answer
  },
})

/** A sequence that looks like chance, and is the same each time. */
const chances = (seed: number) => {
  let state = seed
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Refuses some calls that are granted, and tells the caller to come back soon. */
const refusing = (make: () => () => boolean): Variant => ({
  parts: ({ charge }) => {
    const isRefused = make()
    return {
      charge: (key, request, nowMs): Decision => {
        const decision = charge(key, request, nowMs)
        if (!decision.granted || !isRefused()) return decision
        return { ...decision, granted: false, remaining: 0, retryAfterMs: 1_000 }
      },
    }
  },
})

/** Some calls are charged so many times, 0 included. */
export const charging = (timesOf: (request: ApiRequest) => number): Variant => ({
  parts: ({ limiter }) => {
    const shown = new Map<string, Decision>()
    return {
      charge: ({ key, quota }, request, nowMs) => {
        const latest = shown.get(key)
        const times = timesOf(request)
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

const isRead = ({ method }: ApiRequest) => method === 'GET'

const crowds: readonly Mutant[] = [
  {
    id: 'race-between-look-and-count',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'The count is looked at, and raised a moment later.',
    ...racing(8, 10),
  },
  {
    id: 'refused-by-chance',
    breaks: 'limits.not-early',
    caughtBy: 'limit-not-early',
    fault: 'One of several limiters in front is empty now and then.',
    ...refusing(() => {
      const next = chances(11)
      return () => next() < 0.05
    }),
  },
]

/** What is over the limit is served all the same, where this says so. */
const serving = (isServed: (request: ApiRequest) => boolean): Variant => ({
  parts: ({ charge }) => ({
    charge: (key, request, nowMs) => {
      const decision = charge(key, request, nowMs)
      return isServed(request) ? { ...decision, granted: true } : decision
    },
  }),
})

const weights: readonly Mutant[] = [
  {
    id: 'reads-free',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'Only writes are counted.',
    ...charging((request) => (isRead(request) ? 0 : 1)),
  },
  {
    id: 'creations-free',
    breaks: 'limits.one-count',
    caughtBy: 'count-across-operations',
    fault: 'Only reads are counted.',
    ...charging((request) => (isRead(request) ? 1 : 0)),
  },
  {
    id: 'creations-not-refused',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'The limiter counts all calls, and guards the routes that read.',
    ...serving((request) => !isRead(request)),
  },
  {
    id: 'fetches-not-refused',
    breaks: 'limits.pro',
    caughtBy: 'quota-pro-not-more',
    fault: 'The limiter counts all calls, and guards the collection: a fetch is always served.',
    keys: ['pro'],
    ...serving(({ target }) => target.includes('/pets/')),
  },
  {
    id: 'calls-counted-twice',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-fewer',
    fault: 'The limiter is mounted twice.',
    ...charging(() => 2),
  },
]

export const raceMutants: readonly Mutant[] = [...crowds, ...weights]
