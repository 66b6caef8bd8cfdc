// A server under load: its keys, what is left of their days, its clients, and the run's session.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
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
  /** Addresses of the host; none: whatever the system resolves. */
  readonly addresses: readonly string[]
  readonly days: ReturnType<typeof createDays>
  readonly calls: Calls
}

/** @param wires where nothing is sent */
export const openPlace = (
  given: LoadServer,
  addresses: readonly string[],
  sink: RunSink,
  wires?: Wires,
): Place => {
  const session = new Session(given.options, sink, wires)
  return { ...given, session, addresses, days: createDays(session), calls: new Calls() }
}

const maxAddresses = 16

/** @returns the IPv4 addresses of a name that has several, else none */
export const lookUpAddresses = async (baseUrl: string): Promise<readonly string[]> => {
  const { hostname } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return []
  try {
    const found = await lookup(hostname, { all: true, family: 4 })
    return found.length > 1 ? found.slice(0, maxAddresses).map(({ address }) => address) : []
  } catch {
    // The first request reports an unknown host.
    return []
  }
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
