// A server under load: its keys, what is left of their days, its clients, and the run's session.
import type { LimitKey } from '../engine/check/context.ts'
import type { Wires } from '../engine/http/target-clock.ts'
import { dayReserve } from '../engine/quota/ledger.ts'
import type { RunOptions, RunSink } from '../engine/run/run-options.ts'
import { Session } from '../engine/run/session.ts'
import { Untested } from '../history/outcome.ts'
import { daySaid } from '../history/rate-headers.ts'
import { Calls } from './calls.ts'
import type { Lane } from './scenario.ts'

/** The target, or a baseline. */
export interface LoadServer {
  readonly column: Lane['column']
  readonly options: RunOptions
}

export interface Place extends LoadServer {
  readonly session: Session
  readonly days: ReturnType<typeof createDays>
  readonly calls: Calls
}

/** @param wires where nothing is sent */
export const openPlace = (given: LoadServer, sink: RunSink, wires?: Wires): Place => {
  const session = new Session(given.options, sink, wires)
  return { ...given, session, days: createDays(session), calls: new Calls() }
}

/** A day may end 24 h after its first call; an hour more is for rounding. */
const untilNextDayMs = 25 * 3_600_000

/** What this run has spent of the days of its keys. */
const createDays = (session: Session) => {
  const { options, pace } = session
  const spent = new Map<string, number>()
  return {
    spend: (label: string): void => void spent.set(label, (spent.get(label) ?? 0) + 1),
    ensure: async ({ label, quota }: LimitKey, requests: number): Promise<void> => {
      const whole = quota.perDay - (options.allow.includes('day') ? 0 : dayReserve(quota))
      const last = session.trace.findLast(({ key }) => key === label)
      const said = last && daySaid(last)
      // By our own count, or less if the headers say so.
      const used = Math.max(spent.get(label) ?? 0, quota.perDay - (said?.remaining ?? quota.perDay))
      if (whole - used >= requests) return
      if (!pace.instant || requests > whole) {
        const message = `the daily quota of ${label} has fewer than ${requests} requests left`
        throw new Untested('blocked', message)
      }
      await pace.pass(untilNextDayMs)
      spent.clear()
    },
  }
}
