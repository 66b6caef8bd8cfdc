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
