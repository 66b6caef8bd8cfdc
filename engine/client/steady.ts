// A clock that never stands still and is never set: the monotonic one, and what a machine slept.

export interface Clocks {
  /** Monotonic milliseconds; on Linux they stand still while the machine sleeps. */
  readonly monotonicMs: () => number
  /** The clock on the wall, which may be set. */
  readonly wallMs: () => number
  /** Milliseconds since the machine was started, its sleep counted; slow to read. */
  readonly uptimeMs: () => number
}

/** Less than this is rounding; a window is known no better. */
const leastMs = 500

/**
 * Milliseconds that go on while the machine sleeps. Where the clock on the wall leaps, the machine
 * has slept or the clock was set; its uptime tells which.
 */
export const createSteady = ({ monotonicMs, wallMs, uptimeMs }: Clocks): (() => number) => {
  let wallApartMs = wallMs() - monotonicMs()
  let uptimeApartMs = uptimeMs() - monotonicMs()
  let sleptMs = 0
  return () => {
    const nowMs = monotonicMs()
    const apartMs = wallMs() - nowMs
    if (Math.abs(apartMs - wallApartMs) > leastMs) {
      wallApartMs = apartMs
      const upApartMs = uptimeMs() - nowMs
      if (upApartMs - uptimeApartMs > leastMs) sleptMs += upApartMs - uptimeApartMs
      uptimeApartMs = upApartMs
    }
    return nowMs + sleptMs
  }
}
