// A server under load: its keys, what is left of their days, its clients, and the run's session.
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
  readonly ensureDay: Lane['ensureDay']
  readonly calls: Calls
}

/** @param wires where nothing is sent */
export const openPlace = (given: LoadServer, sink: RunSink, wires?: Wires): Place => {
  const session = new Session(given.options, sink, wires)
  return { ...given, session, ensureDay: dayEnsured(session), calls: new Calls() }
}

/** A day may end 24 h after its first call; an hour more is for rounding. */
const untilNextDayMs = 25 * 3_600_000

const dayEnsured = (session: Session): Lane['ensureDay'] => {
  const { options, pace, budget, trace } = session
  /** What each key had sent before its day began. */
  let before = new Map<string, number>()
  return async ({ label, quota }, requests) => {
    const whole = quota.perDay - (options.allow.includes('day') ? 0 : dayReserve(quota))
    const last = trace.findLast(({ key }) => key === label)
    const said = last && daySaid(last)
    // By our own count, or less if the headers say so.
    const sent = budget.sentWith(label) - (before.get(label) ?? 0)
    const used = Math.max(sent, quota.perDay - (said?.remaining ?? quota.perDay))
    if (whole - used >= requests) return
    if (!pace.instant || requests > whole) {
      const message = `the daily quota of ${label} has fewer than ${requests} requests left`
      throw new Untested('blocked', message)
    }
    await pace.pass(untilNextDayMs)
    before = new Map(session.keys.map((key) => [key.label, budget.sentWith(key.label)]))
  }
}
