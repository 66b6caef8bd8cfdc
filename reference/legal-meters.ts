// Other legal designs of a limiter, each as one consistent meter: it grants what it announces, and
// serves a caller that waits as long as stated.
import { clockWindow, type MakeMeter } from './limiter.ts'

export const ceilToSecond = (timeMs: number): number => Math.ceil(timeMs / 1000) * 1000

/**
 * A fixed window that starts with the first call after the previous one.
 * @param renewedBy what restarts it as well, without giving calls back
 */
export const fromFirstCall =
  (roundEnd: (timeMs: number) => number, renewedBy?: 'calls' | 'refusals'): MakeMeter =>
  (limit, windowMs) => {
    let endsAtMs = 0
    let used = 0
    const enter = (nowMs: number, isRenewed: boolean) => {
      const isOver = nowMs >= endsAtMs
      if (isOver) used = 0
      if (isOver || isRenewed) endsAtMs = roundEnd(nowMs + windowMs)
    }
    return {
      look: (nowMs) => {
        if (nowMs >= endsAtMs)
          return { remaining: limit, resetAtMs: nowMs + windowMs, nextAtMs: nowMs }
        const nextAtMs = used < limit ? nowMs : endsAtMs
        return { remaining: limit - used, resetAtMs: endsAtMs, nextAtMs }
      },
      count: (nowMs) => {
        enter(nowMs, renewedBy === 'calls')
        used++
      },
      refuse: (nowMs) => {
        if (renewedBy === 'refusals') enter(nowMs, true)
      },
    }
  }

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

/** A log in which refused calls count, too. */
export const logOfAllCalls: MakeMeter = (limit, windowMs) => {
  let log: number[] = []
  const add = (nowMs: number) => {
    log = [...log, nowMs].slice(-limit)
  }
  return {
    look: (nowMs) => {
      log = log.filter((atMs) => atMs + windowMs > nowMs)
      const remaining = limit - log.length
      const nextAtMs = remaining > 0 ? nowMs : (log[0] ?? nowMs) + windowMs
      return { remaining, resetAtMs: nowMs + windowMs, nextAtMs }
    },
    count: add,
    refuse: add,
  }
}

/** The calls of two windows of the clock, and when the later one began. */
interface Counts {
  readonly earlier: number
  readonly current: number
  readonly startMs: number
}

/**
 * Two windows of the clock, the earlier one weighing less and less: it takes two to forget a call.
 * All in calls times milliseconds, which are whole numbers.
 */
const slidingCounter =
  (chooseReset: (counts: Counts, windowMs: number, nowMs: number) => number): MakeMeter =>
  (limit, windowMs) => {
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
      before === 0
        ? 0
        : Math.max(0, windowMs - Math.floor(((limit - 1 - fixed) * windowMs) / before))
    return {
      look: (nowMs) => {
        const intoMs = enter(nowMs)
        const startMs = window * windowMs
        const used = earlier * (windowMs - intoMs) + current * windowMs
        const remaining = Math.max(0, Math.floor((limit * windowMs - used) / windowMs))
        const resetAtMs = chooseReset({ earlier, current, startMs }, windowMs, nowMs)
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

/**
 * Reset is when the next call of the earlier window is forgotten, and where there was none the end
 * of the next window: so it moves back once.
 */
export const counterToNextCall = slidingCounter(({ earlier, startMs }, windowMs, nowMs) =>
  earlier === 0 ? startMs + 2 * windowMs : nowMs + Math.ceil(windowMs / earlier),
)

/** Calls come back one by one at an even pace. What was spent is kept in calls times a window. */
const bucket =
  (
    chooseReset: (fullAtMs: number, nextAtMs: number, remaining: number) => number,
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
      look: (nowMs) => {
        const atMs = refill(nowMs)
        const remaining = Math.floor((limit * windowMs - spent) / windowMs)
        const toNext = spent - (limit - remaining - 1) * windowMs
        const nextAtMs = remaining === limit ? nowMs : backAt(atMs, toNext)
        const resetAtMs = Math.max(nowMs, chooseReset(backAt(atMs, spent), nextAtMs, remaining))
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
  'window-from-first-call': fromFirstCall(ceilToSecond),
  'log-reset-oldest': slidingLog((leaving) => leaving[0]),
  'log-reset-newest': slidingLog((leaving) => leaving.at(-1)),
  'sliding-counter': slidingCounter(
    ({ current, startMs }, windowMs) => startMs + (current > 0 ? 2 : 1) * windowMs,
  ),
  'bucket-reset-full': bucket(whenFull),
  /** The next calls come back together: as many as do within a second. */
  'bucket-reset-next': bucket(whenNext, () => 1000),
  /** One call comes back: on a large plan, several are by the same second. */
  'bucket-reset-next-one': bucket(whenNext),
  'bucket-reset-now': bucket((_, nextAtMs, remaining) => (remaining > 0 ? 0 : nextAtMs)),
  'bucket-in-tenths': bucket(whenFull, (windowMs) => windowMs / 10),
  'bucket-in-sixths': bucket(whenFull, (windowMs) => windowMs / 6),
  'bucket-in-thirds': bucket(whenNext, (windowMs) => windowMs / 3),
  'bucket-in-halves': bucket(whenFull, (windowMs) => windowMs / 2),
} as const satisfies Record<string, MakeMeter>

/** Clock windows that start this much later. */
export const offset =
  (offsetMs: number): MakeMeter =>
  (limit, windowMs) => {
    const window = clockWindow(limit, windowMs)
    return {
      look: (nowMs) => {
        const { remaining, resetAtMs, nextAtMs } = window.look(nowMs - offsetMs)
        return { remaining, resetAtMs: resetAtMs + offsetMs, nextAtMs: nextAtMs + offsetMs }
      },
      count: (nowMs) => window.count(nowMs - offsetMs),
    }
  }
