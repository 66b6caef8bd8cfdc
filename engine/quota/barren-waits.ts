// Whether a key is still worth waiting for: one that has next to nothing behind each of its resets
// would make of minutes a run of hours.
import { Untested } from '../outcome.ts'

/** A shorter wait is for a token, and one call behind it is what it gives. */
const longMs = 30_000
/** So few calls between two long waits are next to nothing, of a quota that is not as small. */
const fewCalls = 2
const leastQuota = 20
/** So many in a row: another client may have been quicker now and then. */
const mostInRow = 5

export interface BarrenWaits {
  /**
   * Told of each wait before it is begun.
   * @param calls that were sent so far, with any key
   * @param perMinute the smallest quota of the keys that are waited for
   * @throws Untested (blocked) where waiting has led to nothing for too long
   */
  readonly expectWorth: (waitMs: number, calls: number, perMinute: number) => void
}

export const createBarrenWaits = (): BarrenWaits => {
  let before = 0
  let inRow = 0
  return {
    expectWorth: (waitMs, calls, perMinute) => {
      if (waitMs < longMs || perMinute < leastQuota) return
      const since = calls - before
      before = calls
      // The count begins anew with a day.
      inRow = since >= 0 && since <= fewCalls ? inRow + 1 : 0
      if (inRow <= mostInRow) return
      const why = `behind ${mostInRow} resets in a row the key had next to no requests left`
      throw new Untested('blocked', why)
    },
  }
}
