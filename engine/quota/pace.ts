// Time as the target sees it pass: real time, or the target's test clock moved on.
import { setTimeout as sleep } from 'node:timers/promises'
import { steadyMs } from '../client/steady-time.ts'
import type { TargetClock } from '../context.ts'
import { Untested } from '../outcome.ts'

export interface Pace {
  /** Milliseconds, monotonic; moves of the target's clock are added. */
  readonly now: () => number
  /** Lets time pass at the target: moves its clock if it has one, else waits. */
  readonly pass: (ms: number) => Promise<void>
  /** Waits in real time. */
  readonly sleep: (ms: number) => Promise<void>
  /** Whether `pass` costs no real time. */
  readonly instant: boolean
  /** Told by whoever moved the target's clock. */
  readonly moved: (ms: number) => void
  /** How far it has been moved in all. */
  readonly movedMs: () => number
}

export const createPace = (clock: TargetClock | null, signal: AbortSignal): Pace => {
  let movedMs = 0
  const wait = async (ms: number) => {
    try {
      await sleep(Math.max(0, ms), undefined, { signal })
    } catch {
      throw new Untested('interrupted', 'the run was interrupted')
    }
  }
  return {
    now: () => steadyMs() + movedMs,
    pass: async (ms) => {
      if (clock) await clock.advance(Math.ceil(ms))
      else await wait(ms)
    },
    sleep: wait,
    instant: clock !== null,
    moved: (ms) => {
      movedMs += ms
    },
    movedMs: () => movedMs,
  }
}
