// Faults of what a day counts: calls that it leaves out, and a count that is lost.
import type { Variant } from '../../compose.ts'
import { clockWindow, createLimiter, minuteMs } from '../../limiter.ts'
import type { Mutant } from '../../mutant.ts'
import { daysBy } from './over.ts'

/** The count of a day is that of the clock, but for what makes it forget, or not count. */
const forgetting = (afterIdleMs: number): Variant =>
  daysBy((limit, windowMs) => {
    let day = clockWindow(limit, windowMs)
    let lastMs = 0
    const enter = (nowMs: number) => {
      if (nowMs - lastMs > afterIdleMs) day = clockWindow(limit, windowMs)
      return day
    }
    return {
      limit,
      look: (nowMs) => enter(nowMs).look(nowMs),
      count: (nowMs) => {
        enter(nowMs).count(nowMs)
        lastMs = nowMs
      },
    }
  })

/** Creations are counted in the minute alone. */
const skippingCreations = (): Variant => {
  let isCreation = false
  return {
    parts: () => {
      const limiter = createLimiter((limit, windowMs) => {
        const window = clockWindow(limit, windowMs)
        if (windowMs === minuteMs) return window
        return { ...window, count: (nowMs) => (isCreation ? undefined : window.count(nowMs)) }
      })
      return {
        charge: (key, { method }, nowMs) => {
          isCreation = method === 'POST'
          return limiter.take(key.key, key.quota, nowMs)
        },
      }
    },
  }
}

export const dayCountMutants: readonly Mutant[] = [
  {
    id: 'day-forgotten-after-idle-hour',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-more',
    fault: 'The count of the day expires when it was not touched for an hour.',
    ...forgetting(60 * minuteMs),
  },
  {
    id: 'day-without-creations',
    breaks: 'limits.free',
    caughtBy: 'day-quota-not-more',
    fault: 'The limiter of the day is mounted on reads alone.',
    ...skippingCreations(),
  },
]
