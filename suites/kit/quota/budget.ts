// How many requests a run may send, and how many each check has sent.
import { Untested } from '../outcome.ts'

export interface Budget {
  /** Takes one request out. @throws Untested (budget) when none is left. */
  readonly take: (check: string) => void
  /** Counts one that was taken out before this run went on. */
  readonly count: (check: string) => void
  readonly sent: () => number
  readonly left: () => number
  readonly sentBy: (check: string) => number
  /** Told how long each body is that the run keeps to judge it. */
  readonly keep: (bytes: number) => void
  /** Why no further body can be kept; null: it can. */
  readonly full: () => string | null
}

/** The bodies that a run keeps; at a sound target they are a fortieth of it. */
const keptMostBytes = 24 * 1024 * 1024

const keptWhy = 'the target has sent 24 MiB, more than a run can keep'

/** What a check may send, however long it looks for a smaller counterexample; a day fits in. */
export const checkMost = 2_500

/** @param mostByCheck what one check may send */
export const createBudget = (most: number, mostByCheck: number): Budget => {
  const byCheck = new Map<string, number>()
  let sent = 0
  let keptBytes = 0
  const isFull = () => keptBytes >= keptMostBytes
  const count = (check: string) => {
    sent += 1
    byCheck.set(check, (byCheck.get(check) ?? 0) + 1)
  }
  return {
    take: (check) => {
      const before = byCheck.get(check) ?? 0
      if (sent >= most) {
        throw new Untested('budget', `the run's ${most} requests are spent (--max-requests)`)
      }
      if (isFull()) throw new Untested('budget', keptWhy)
      if (before >= mostByCheck) {
        const why = `the check has sent ${mostByCheck} requests, as many as one check may`
        throw new Untested('ambiguous', why)
      }
      count(check)
    },
    count,
    sent: () => sent,
    left: () => most - sent,
    sentBy: (check) => byCheck.get(check) ?? 0,
    keep: (bytes) => {
      keptBytes += bytes
    },
    full: () => (isFull() ? keptWhy : null),
  }
}
