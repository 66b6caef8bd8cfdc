// Virtual time: it stands still while anything happens, and then leaps to what happens next.

export interface VirtualTime {
  /** Milliseconds since it began. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Forgets whoever sleeps. */
  readonly stop: () => void
}

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/** A run that goes on for longer than this has lost its way. */
const mostMs = 40 * 86_400_000

export const createTime = (): VirtualTime => {
  let nowMs = 0
  let isLeaping = false
  let sleepers: Sleeper[] = []

  /** Once nobody has anything left to do at this moment, the next moment comes. */
  const leap = () => {
    const next = sleepers.shift()
    if (!next) {
      isLeaping = false
      return
    }
    nowMs = next.atMs
    if (nowMs > mostMs) throw new Error('virtual time ran for more than forty days')
    next.wake()
    setImmediate(leap)
  }

  const sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      const atMs = nowMs + Math.max(0, ms)
      const place = sleepers.findLastIndex((other) => other.atMs <= atMs) + 1
      sleepers.splice(place, 0, { atMs, wake })
      if (isLeaping) return
      isLeaping = true
      setImmediate(leap)
    })

  return {
    now: () => nowMs,
    sleep,
    stop: () => {
      sleepers = []
    },
  }
}
