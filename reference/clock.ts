// The time that everything here goes by: windows, bans, dates and the removal of an operation.

export interface Clock {
  /** Unix time in whole milliseconds. */
  now: () => number
}

export interface TestClock extends Clock {
  /** Moves the clock to a time; false, and no move, if that is backward. */
  set: (nowMs: number) => boolean
}

export const realClock: Clock = { now: () => Date.now() }

/** The last moment that a four-digit year can name. */
export const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * A clock that a test run may move forward. Between moves it runs at real speed, by a timer that
 * never steps back (`elapsedMs`), because a window that reopened would grant its calls twice.
 */
export const testClock = (startMs: number, elapsedMs: () => number): TestClock => {
  const startedAt = elapsedMs()
  let movedMs = 0
  const now = () => Math.min(startMs + movedMs + Math.floor(elapsedMs() - startedAt), latestMs)
  return {
    now,
    set: (nowMs) => {
      const step = nowMs - now()
      if (step < 0) return false
      movedMs += step
      return true
    },
  }
}
