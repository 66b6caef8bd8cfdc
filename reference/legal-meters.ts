// Other legal designs of a limiter, each as one consistent meter: it grants what it announces, and
// serves a caller that waits as long as stated.
import { clockWindow, type MakeMeter } from './limiter.ts'

export const ceilToSecond = (timeMs: number): number => Math.ceil(timeMs / 1000) * 1000

/** A fixed window that starts with the first call after the previous one, or with each call. */
export const fromFirstCall =
  (roundEnd: (timeMs: number) => number, isRenewed = false): MakeMeter =>
  (limit, windowMs) => {
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
        const isOver = nowMs >= endsAtMs
        if (isOver) used = 0
        if (isOver || isRenewed) endsAtMs = roundEnd(nowMs + windowMs)
        used++
      },
    }
  }

/** Ends on a whole second, as `Reset` has no fractions: exactly when it was announced to. */
const firstCallWindow = fromFirstCall(ceilToSecond)

/** A window that ends on its millisecond, whatever Reset shows. */
export const toTheMillisecond = fromFirstCall((timeMs) => timeMs)

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
  (chooseReset: (leaving: readonly Leaving[]) => Leaving | undefined): MakeMeter =>
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
        const resetAtMs = chooseReset(leaving)?.atMs ?? nowMs + windowMs
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
const bucket =
  (
    chooseReset: (fullAtMs: number, nextAtMs: number) => number,
    ticks: (windowMs: number) => number = () => 1,
  ): MakeMeter =>
  (limit, windowMs) => {
    const tickMs = ticks(windowMs)
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
        const resetAtMs = Math.max(nowMs, chooseReset(backAt(atMs, spent), nextAtMs))
        return { remaining, resetAtMs, nextAtMs: remaining > 0 ? nowMs : nextAtMs }
      },
      count: (nowMs) => {
        refill(nowMs)
        spent += windowMs
      },
    }
  }

const whenFull = (fullAtMs: number): number => fullAtMs
const whenNext = (_fullAtMs: number, nextAtMs: number): number => nextAtMs

export const legalMeters = {
  'window-from-first-call': firstCallWindow,
  'log-reset-oldest': logOldest,
  'log-reset-newest': logNewest,
  'sliding-counter': slidingCounter,
  'bucket-reset-full': bucket(whenFull),
  /** The next calls come back together: as many as do within a second. */
  'bucket-reset-next': bucket(whenNext, () => 1000),
  /** One call comes back: on a large plan, several are by the same second. */
  'bucket-reset-next-one': bucket(whenNext),
  'bucket-in-tenths': bucket(whenFull, (windowMs) => windowMs / 10),
} as const satisfies Record<string, MakeMeter>

/** Clock windows that start this much later. */
export const offset =
  (offsetMs: number): MakeMeter =>
  (limit, windowMs) => {
    const window = clockWindow(limit, windowMs)
    return {
      limit,
      look: (nowMs) => {
        const { remaining, resetAtMs, nextAtMs } = window.look(nowMs - offsetMs)
        return { remaining, resetAtMs: resetAtMs + offsetMs, nextAtMs: nextAtMs + offsetMs }
      },
      count: (nowMs) => window.count(nowMs - offsetMs),
    }
  }

/**
 * Two windows of the clock. Reset is when the next call of the earlier one is forgotten, and where
 * there was none the end of the next window: so it moves back once.
 */
export const counterToNextCall: MakeMeter = (limit, windowMs) => {
  const counts = new Map<number, number>()
  const at = (nowMs: number) => {
    const window = Math.floor(nowMs / windowMs)
    const [earlier, current] = [counts.get(window - 1) ?? 0, counts.get(window) ?? 0]
    return { window, earlier, current, endMs: (window + 1) * windowMs }
  }
  return {
    limit,
    look: (nowMs) => {
      const { earlier, current, endMs } = at(nowMs)
      const used = earlier * (endMs - nowMs) + current * windowMs
      const remaining = Math.max(0, Math.floor((limit * windowMs - used) / windowMs))
      const nextMs = earlier === 0 ? endMs + windowMs : nowMs + Math.ceil(windowMs / earlier)
      // What is full waits for the end of its window at most, and then as long as one call takes.
      const freeMs = current < limit ? nextMs : endMs + Math.ceil(windowMs / current)
      return { remaining, resetAtMs: nextMs, nextAtMs: remaining > 0 ? nowMs : freeMs }
    },
    count: (nowMs) => {
      const { window, current } = at(nowMs)
      counts.set(window, current + 1)
    },
  }
}
