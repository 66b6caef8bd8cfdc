// Waiting for a key's quota, with a limit: hours of real time are not begun.
import { Untested } from '../outcome.ts'
import type { Pace } from './pace.ts'

/** A wait longer than this (two windows, and some) is not begun in real time. */
const waitMostMs = 150_000
/** Nor is the target's clock moved further than this: a day, and some. */
const moveMostMs = 25 * 3_600_000

/** The longest wait for a key's quota that is begun. */
export const longestWaitMs = ({ instant }: Pace): number => (instant ? moveMostMs : waitMostMs)

/** @throws Untested (blocked) where it would take too long */
export type Wait = (ms: number, why: string) => Promise<void>

/** @param waiting told before each wait, with its length and its reason */
export const createWait =
  (pace: Pace, waiting: (ms: number, why: string) => void): Wait =>
  async (ms, why) => {
    if (ms <= 0) return
    if (ms > longestWaitMs(pace)) {
      const minutes = Math.ceil(ms / 60_000)
      throw new Untested('blocked', `the key has no requests left for ${minutes} minutes`)
    }
    waiting(ms, why)
    await pace.pass(ms)
  }
