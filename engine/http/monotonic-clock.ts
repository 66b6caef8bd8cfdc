// A clock that is never set and never stops: the monotonic clock, and the time a machine slept.

interface Clocks {
  /** Monotonic milliseconds; on Linux they stop while the machine sleeps. */
  readonly monotonicMs: () => number
  /** The wall clock, which may be set. */
  readonly wallMs: () => number
  /** Milliseconds since the machine was started, including sleep; slow to read. */
  readonly uptimeMs: () => number
}

/** Less than this is rounding; windows are not known more precisely. */
const minLeapMs = 500

/**
 * A clock in milliseconds that continues while the machine sleeps. Where the wall clock leaps, the
 * machine slept or the clock was set; the uptime shows which.
 */
export const createSteady = ({ monotonicMs, wallMs, uptimeMs }: Clocks): (() => number) => {
  let wallOffsetMs = wallMs() - monotonicMs()
  let uptimeOffsetMs = uptimeMs() - monotonicMs()
  let sleptMs = 0
  return () => {
    const nowMs = monotonicMs()
    const offsetMs = wallMs() - nowMs
    if (Math.abs(offsetMs - wallOffsetMs) > minLeapMs) {
      wallOffsetMs = offsetMs
      const upOffsetMs = uptimeMs() - nowMs
      if (upOffsetMs - uptimeOffsetMs > minLeapMs) sleptMs += upOffsetMs - uptimeOffsetMs
      uptimeOffsetMs = upOffsetMs
    }
    return nowMs + sleptMs
  }
}
