// How many requests a run may send, and how many each check has sent.
import { Untested } from './outcome.ts'

export interface Budget {
  /** Takes one request out. @throws Untested (budget) when none is left. */
  readonly take: (check: string) => void
  readonly sent: () => number
  readonly sentBy: (check: string) => number
}

/**
 * What one check may send at most, however long it looks for a smaller counterexample; a burst may
 * be as long as the largest minute or the smallest day.
 */
const checkMost = 2_500

export const createBudget = (most: number): Budget => {
  const byCheck = new Map<string, number>()
  let sent = 0
  return {
    take: (check) => {
      const before = byCheck.get(check) ?? 0
      if (sent >= most) {
        throw new Untested('budget', `the run's ${most} requests are spent (--max-requests)`)
      }
      if (before >= checkMost)
        throw new Error(`check ${check} sent more than ${checkMost} requests`)
      sent += 1
      byCheck.set(check, before + 1)
    },
    sent: () => sent,
    sentBy: (check) => byCheck.get(check) ?? 0,
  }
}
