// The least time that one key needs for its work: windows, a silence or a rest, a burst, a retry.

export const minuteMs = 60_000
/** Ruling 17: so long a key is silent that is then to be served, and so long one is left alone. */
const silenceMs = 75_000
const restMs = 120_000
/** The pause between the two probes before a burst. */
const pauseMs = 3_500
/** So young is the window that is spent before a silence: ten seconds, and one of rounding. */
const freshMs = 11_000

/** The window in which a key stands: how many calls it grants yet, and when it ends. */
export interface Standing {
  readonly left: number
  readonly resetInMs: number
}

/** What the key that is exhausted has left of the window in which it stands. */
export interface Room {
  readonly left: number
  readonly resetInMs: number
  readonly perMinute: number
}

/** What one key has to do. */
export interface Work {
  readonly perMinute: number
  /** Requests at any time: all but the burst, and the one that retries after it. */
  readonly requests: number
  /** A burst on a rested key: after a silence, after a rest of two windows, at once, or none. */
  readonly burst: 'after-silence' | 'after-rest' | 'rested' | 'none'
  /** Whether the refusal of the burst is waited out. */
  readonly retries: boolean
}

/** So many windows grant so many requests. */
export const windowsFor = (requests: number, perMinute: number): number =>
  Math.max(0, Math.ceil(requests / perMinute))

/** When the window after an instant begins. */
const nextResetMs = (ms: number, { resetInMs }: Standing): number =>
  ms < resetInMs ? resetInMs : resetInMs + minuteMs * (Math.floor((ms - resetInMs) / minuteMs) + 1)

/** The burst comes after `before` windows of other work besides the first one. */
const withBurstMs = (work: Work, first: Standing, before: number): number => {
  const { perMinute, burst, requests, retries } = work
  const lastMs = before === 0 ? 0 : first.resetInMs + (before - 1) * minuteMs
  const isTooOld = before === 0 && first.resetInMs < minuteMs - freshMs
  if (burst === 'after-silence' && isTooOld) return Number.POSITIVE_INFINITY
  const restedMs = { 'after-silence': silenceMs, 'after-rest': restMs, rested: 0 }
  const burstMs = lastMs + (burst === 'none' ? 0 : restedMs[burst]) + pauseMs
  const missing = requests - first.left - before * perMinute
  const after = Math.max(retries ? 1 : 0, windowsFor(missing + (retries ? 1 : 0), perMinute))
  return after === 0 ? burstMs : nextResetMs(burstMs, first) + (after - 1) * minuteMs
}

/**
 * The least time for one key's work, over a fixed window on the clock: requests take no time.
 * @param first the window in which it begins
 */
export const workMs = (work: Work, first: Standing): number => {
  const windows = windowsFor(work.requests - first.left, work.perMinute)
  if (work.burst === 'none') {
    const waits = Math.max(windows, work.retries ? 1 : 0)
    return waits === 0 ? 0 : first.resetInMs + (waits - 1) * minuteMs
  }
  const orders = Array.from({ length: windows + 2 }, (_, before) =>
    withBurstMs(work, first, before),
  )
  return Math.min(...orders)
}
