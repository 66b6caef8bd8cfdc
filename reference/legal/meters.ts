// Two more fixed windows: off the clock's own beginning, and off its seconds.
import { clockWindow, type MakeMeter } from '../limiter.ts'

/** Windows of the clock that begin so long after the clock's own. */
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

/** A window from the first call that ends on its millisecond, whatever Reset makes of it. */
export const toTheMillisecond: MakeMeter = (limit, windowMs) => {
  let endsAtMs = 0
  let used = 0
  const enter = (nowMs: number) => {
    if (nowMs < endsAtMs) return
    endsAtMs = nowMs + windowMs
    used = 0
  }
  return {
    limit,
    look: (nowMs) => {
      const isOpen = nowMs < endsAtMs
      const left = isOpen ? limit - used : limit
      const resetAtMs = isOpen ? endsAtMs : nowMs + windowMs
      return { remaining: left, resetAtMs, nextAtMs: left > 0 ? nowMs : resetAtMs }
    },
    count: (nowMs) => {
      enter(nowMs)
      used++
    },
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
