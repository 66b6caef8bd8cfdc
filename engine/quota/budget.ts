// How many requests a run may send, and how many each check has sent.

import { maxRequestsPerCheck } from '../check/keys.ts'
import { Untested } from '../check/outcome.ts'
import { steadyMs } from '../http/client.ts'

/** The bodies that a run keeps; a correct target sends a fortieth of it. */
const maxKeptBytes = 24 * 1024 * 1024

const tooManyBytes = 'the target has sent 24 MiB, more than a run can keep'

interface Bounds {
  readonly maxRequests: number
  readonly maxRequestsByCheck?: number
  readonly maxTimeMs?: number
}

/** @param clockMs monotonic milliseconds */
export const createBudget = (
  { maxRequests, maxRequestsByCheck = maxRequestsPerCheck, maxTimeMs }: Bounds,
  clockMs: () => number = steadyMs,
) => {
  const startedMs = clockMs()
  const byCheck = new Map<string, number>()
  let sent = 0
  let keptBytes = 0
  let lacksTime = false
  const leftMs = () => startedMs + (maxTimeMs ?? Infinity) - clockMs()
  /** Why nothing more is sent, however many requests are left; null: more may be sent. */
  const full = (): string | null => {
    if (keptBytes >= maxKeptBytes) return tooManyBytes
    if (maxTimeMs === undefined || leftMs() > 0) return null
    return `the run has lasted the ${maxTimeMs / 1_000} s that it may (--max-time)`
  }
  const count = (check: string) => {
    sent += 1
    byCheck.set(check, (byCheck.get(check) ?? 0) + 1)
  }
  return {
    /** Takes one request out. @throws Untested (budget) when none is left. */
    take: (check: string) => {
      const before = byCheck.get(check) ?? 0
      if (sent >= maxRequests) {
        throw new Untested('budget', `the run's ${maxRequests} requests are spent (--max-requests)`)
      }
      const why = full()
      if (why !== null) throw new Untested('budget', why)
      if (before >= maxRequestsByCheck) {
        const spent = `the check has sent ${maxRequestsByCheck} requests, as many as one check may`
        throw new Untested('ambiguous', spent)
      }
      count(check)
    },
    /** Counts one that was sent before this run was resumed. */
    count,
    /** One that was taken out was not sent. */
    giveBack: (check: string) => {
      sent -= 1
      byCheck.set(check, (byCheck.get(check) ?? 0) - 1)
    },
    sent: () => sent,
    left: () => maxRequests - sent,
    sentBy: (check: string) => byCheck.get(check) ?? 0,
    /** Counts the bytes of a body that the run keeps to judge it. */
    keep: (bytes: number) => {
      keptBytes += bytes
    },
    full,
    /** Whether it had no time left for a wait. */
    lacksTime: () => lacksTime,
    /** Called before a wait in real time. @throws Untested (budget) if it would be too long */
    takeTime: (ms: number) => {
      if (ms < leftMs()) return
      lacksTime = true
      const why = `it would have to wait ${Math.ceil(ms / 1_000)} s, which the run may not last`
      throw new Untested('budget', `${why} (--max-time)`)
    },
  }
}

export type Budget = ReturnType<typeof createBudget>
