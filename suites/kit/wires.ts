// What ties a run to the world outside: the wire to its target, the target's clock, and time.
import type { Client } from './client.ts'
import { createClient } from './client.ts'
import type { TargetClock } from './context.ts'
import type { Pace } from './pace.ts'
import { createPace } from './pace.ts'
import type { RunOptions } from './run-options.ts'
import { createTargetClock } from './target-clock.ts'

export interface Wires {
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
  /** Our own clock on the wall, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly close: () => Promise<void>
}

/** The wires of a run over sockets, in real time. */
export const openWires = (options: RunOptions): Wires => {
  const { ca, proxy, answerTimeoutMs: timeoutMs, signal } = options
  const origin = new URL(options.baseUrl).origin
  const client = createClient({ origin, timeoutMs, ca, proxy, signal })
  const wallMs = Date.now
  if (options.clockUrl === null) {
    return { client, clock: null, pace: createPace(null, signal), wallMs, close: client.close }
  }
  const url = new URL(options.clockUrl)
  const clockClient = createClient({ origin: url.origin, timeoutMs, ca, proxy: null, signal })
  const path = `${url.pathname}${url.search}`
  const clock = createTargetClock(clockClient, path, (ms) => pace.moved(ms))
  const pace: Pace = createPace(clock, signal)
  const close = async () => {
    await Promise.all([client.close(), clockClient.close()])
  }
  return { client, clock, pace, wallMs, close }
}
