// What connects a run to its target: the client, and the time there.

import type { Pace, TargetClock } from '../check/context.ts'
import { type Client, createClient } from './client.ts'
import { chooseReach, type Reach } from './connection-options.ts'
import { createPace, createTargetClock } from './target-clock.ts'

interface Target {
  readonly baseUrl: string
  readonly clockUrl: string | null
  readonly reach: Reach
  readonly responseTimeoutMs: number
  readonly signal: AbortSignal
}

export interface Wires {
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
  /** The wall clock of this machine, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly close: () => Promise<void>
}

/** A shorter timeout applies to the target alone: without its clock there is no run. */
const minClockTimeoutMs = 5_000

/** Sockets and real time. */
export const openWires = (options: Target): Wires => {
  const { reach, responseTimeoutMs: timeoutMs, signal } = options
  const target = new URL(options.baseUrl)
  const client = createClient({ origin: target, timeoutMs, reach, signal })
  const wallMs = Date.now
  if (options.clockUrl === null) {
    return { client, clock: null, pace: createPace(null, signal), wallMs, close: client.close }
  }
  const url = new URL(options.clockUrl)
  // The clock is the implementer's own; a proxy is for the target.
  const toClock = { ...chooseReach(reach, target, url), proxyOf: () => null }
  const clockClient = createClient({
    origin: url,
    timeoutMs: Math.max(timeoutMs, minClockTimeoutMs),
    reach: toClock,
    signal,
  })
  const clock = createTargetClock(clockClient, url, (ms) => pace.moved(ms))
  const pace: Pace = createPace(clock, signal)
  const close = async () => {
    await Promise.all([client.close(), clockClient.close()])
  }
  return { client, clock, pace, wallMs, close }
}
