// How many requests a run may send, and how many each check has sent.

import { steadyMs } from '../client/steady-time.ts'
import { Untested } from '../outcome.ts'
import type { RunOptions } from '../run-options.ts'

export interface Budget {
  /** Takes one request out. @throws Untested (budget) when none is left. */
  readonly take: (check: string) => void
  /** One that was taken out has not been sent. */
  readonly giveBack: (check: string) => void
  /** Counts one that was sent before this run was resumed. */
  readonly count: (check: string) => void
  readonly sent: () => number
  readonly left: () => number
  readonly sentBy: (check: string) => number
  /** Told how long each body is that the run keeps to judge it. */
  readonly keep: (bytes: number) => void
  /** Why nothing more is sent, whatever number is left; null: it is. */
  readonly full: () => string | null
}

/** The bodies that a run keeps; at a sound target they are a fortieth of it. */
const keptMostBytes = 24 * 1024 * 1024

const keptWhy = 'the target has sent 24 MiB, more than a run can keep'

/** What a check may send, however long it looks for a smaller counterexample; a day fits in. */
export const checkMost = 2_500

type Bounds = Pick<RunOptions, 'maxRequests' | 'maxRequestsByCheck' | 'maxTimeMs'>

/** @param clockMs monotonic milliseconds */
export const createBudget = (
  { maxRequests: most, maxRequestsByCheck: mostByCheck = checkMost, maxTimeMs }: Bounds,
  clockMs: () => number = steadyMs,
): Budget => {
  const beganMs = clockMs()
  const byCheck = new Map<string, number>()
  let sent = 0
  let keptBytes = 0
  const fullWhy = (): string | null => {
    if (keptBytes >= keptMostBytes) return keptWhy
    if (maxTimeMs === undefined || clockMs() - beganMs < maxTimeMs) return null
    return `the run has lasted the ${maxTimeMs / 1_000} s that it may (--max-time)`
  }
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
      const why = fullWhy()
      if (why !== null) throw new Untested('budget', why)
      if (before >= mostByCheck) {
        const spent = `the check has sent ${mostByCheck} requests, as many as one check may`
        throw new Untested('ambiguous', spent)
      }
      count(check)
    },
    count,
    giveBack: (check) => {
      sent -= 1
      byCheck.set(check, (byCheck.get(check) ?? 0) - 1)
    },
    sent: () => sent,
    left: () => most - sent,
    sentBy: (check) => byCheck.get(check) ?? 0,
    keep: (bytes) => {
      keptBytes += bytes
    },
    full: fullWhy,
  }
}
