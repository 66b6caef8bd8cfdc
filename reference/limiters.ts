// Other designs that a server may legally count calls by, each as one meter that is honest about
// itself: what it announces is granted, and who waits as told is served.
import type { MakeMeter, Meter } from './limiter.ts'

const ceilToSecond = (timeMs: number): number => Math.ceil(timeMs / 1000) * 1000

/** A fixed window that begins with the first call after the last one ended. */
const firstCallWindow: MakeMeter = (limit, windowMs) => {
  let endsAtMs = 0
  let used = 0
  return {
    limit,
    look: (nowMs) => {
      if (nowMs >= endsAtMs)
        return { remaining: limit, resetAtMs: nowMs + windowMs, nextAtMs: nowMs }
      const nextAtMs = used < limit ? nowMs : endsAtMs
      return { remaining: limit - used, resetAtMs: endsAtMs, nextAtMs }
    },
    count: (nowMs) => {
      if (nowMs >= endsAtMs) {
        used = 0
        // A whole second, as `Reset` can say no other: it ends exactly when it was announced to.
        endsAtMs = ceilToSecond(nowMs + windowMs)
      }
      used++
    },
  }
}

/** How many calls leave the log at a moment. */
interface Leaving {
  atMs: number
  calls: number
}

/**
 * A log of calls, each of which leaves after one window. They leave on whole seconds, so that two
 * calls of which one is granted for the other's leaving are never announced the same `Reset`.
 */
const slidingLog =
  (resetOf: (leaving: readonly Leaving[]) => Leaving | undefined): MakeMeter =>
  (limit, windowMs) => {
    const leaving: Leaving[] = []
    let used = 0
    const forget = (nowMs: number) => {
      const stay = leaving.findIndex(({ atMs }) => atMs > nowMs)
      const gone = leaving.splice(0, stay === -1 ? leaving.length : stay)
      for (const { calls } of gone) used -= calls
    }
    return {
      limit,
      look: (nowMs) => {
        forget(nowMs)
        const resetAtMs = resetOf(leaving)?.atMs ?? nowMs + windowMs
        const oldestMs = leaving[0]?.atMs ?? nowMs
        return { remaining: limit - used, resetAtMs, nextAtMs: used < limit ? nowMs : oldestMs }
      },
      count: (nowMs) => {
        const atMs = ceilToSecond(nowMs + windowMs)
        const newest = leaving.at(-1)
        if (newest && newest.atMs >= atMs) newest.calls++
        else leaving.push({ atMs, calls: 1 })
        used++
      },
    }
  }

/** `Reset` is when the oldest call leaves, and so the first of the calls comes back. */
const logOldest: MakeMeter = slidingLog((leaving) => leaving[0])

/** `Reset` is when the newest call leaves, and so all calls are back. */
const logNewest: MakeMeter = slidingLog((leaving) => leaving.at(-1))

/**
 * Two windows of the clock, the earlier one weighing less and less: it takes two to forget a call.
 * All in calls times milliseconds, which are whole numbers.
 */
const slidingCounter: MakeMeter = (limit, windowMs) => {
  let window = 0
  let earlier = 0
  let current = 0
  const enter = (nowMs: number): number => {
    const entered = Math.floor(nowMs / windowMs)
    if (entered > window) {
      earlier = entered === window + 1 ? current : 0
      current = 0
      window = entered
    }
    return Math.max(0, nowMs - window * windowMs)
  }
  /** How far into a window a call fits, if `before` calls fade away and `fixed` calls stay. */
  const fitsAfterMs = (before: number, fixed: number): number =>
    before === 0 ? 0 : Math.max(0, windowMs - Math.floor(((limit - 1 - fixed) * windowMs) / before))
  return {
    limit,
    look: (nowMs) => {
      const intoMs = enter(nowMs)
      const startMs = window * windowMs
      const used = earlier * (windowMs - intoMs) + current * windowMs
      const remaining = Math.max(0, Math.floor((limit * windowMs - used) / windowMs))
      const resetAtMs = startMs + (current > 0 ? 2 : 1) * windowMs
      const freeAtMs =
        current < limit
          ? startMs + fitsAfterMs(earlier, current)
          : startMs + windowMs + fitsAfterMs(current, 0)
      return { remaining, resetAtMs, nextAtMs: remaining > 0 ? nowMs : freeAtMs }
    },
    count: (nowMs) => {
      enter(nowMs)
      current++
    },
  }
}

/** Calls come back one by one at an even pace. What was spent is kept in calls times a window. */
const bucket = (
  limit: number,
  windowMs: number,
  tickMs: number,
  resetOf: (fullAtMs: number, nextAtMs: number) => number,
): Meter => {
  let spent = 0
  let seenAtMs = 0
  const refill = (nowMs: number): number => {
    const atMs = Math.max(seenAtMs, Math.floor(nowMs / tickMs) * tickMs)
    spent = Math.max(0, spent - (atMs - seenAtMs) * limit)
    seenAtMs = atMs
    return atMs
  }
  const backAt = (atMs: number, amount: number): number =>
    Math.ceil((atMs + Math.ceil(amount / limit)) / tickMs) * tickMs
  return {
    limit,
    look: (nowMs) => {
      const atMs = refill(nowMs)
      const remaining = Math.floor((limit * windowMs - spent) / windowMs)
      const toNext = spent - (limit - remaining - 1) * windowMs
      const nextAtMs = remaining === limit ? nowMs : backAt(atMs, toNext)
      const resetAtMs = Math.max(nowMs, resetOf(backAt(atMs, spent), nextAtMs))
      return { remaining, resetAtMs, nextAtMs: remaining > 0 ? nowMs : nextAtMs }
    },
    count: (nowMs) => {
      refill(nowMs)
      spent += windowMs
    },
  }
}

/** `Reset` is when the bucket is full again. */
const bucketFull: MakeMeter = (limit, windowMs) =>
  bucket(limit, windowMs, 1, (fullAtMs) => fullAtMs)

/** `Reset` is when the next calls come back, as many as do within a second. */
const bucketNext: MakeMeter = (limit, windowMs) =>
  bucket(limit, windowMs, 1000, (_fullAtMs, nextAtMs) => nextAtMs)

/** The same, call by call: of a large plan several are back before one and the same `Reset`. */
const bucketNextOne: MakeMeter = (limit, windowMs) =>
  bucket(limit, windowMs, 1, (_fullAtMs, nextAtMs) => nextAtMs)

/** A tenth of the calls comes back at a time, every tenth of a window. */
const bucketInTenths: MakeMeter = (limit, windowMs) =>
  bucket(limit, windowMs, windowMs / 10, (fullAtMs) => fullAtMs)

export const legalMeters = {
  'window-from-first-call': firstCallWindow,
  'log-reset-oldest': logOldest,
  'log-reset-newest': logNewest,
  'sliding-counter': slidingCounter,
  'bucket-reset-full': bucketFull,
  'bucket-reset-next': bucketNext,
  'bucket-reset-next-one': bucketNextOne,
  'bucket-in-tenths': bucketInTenths,
} as const satisfies Record<string, MakeMeter>
