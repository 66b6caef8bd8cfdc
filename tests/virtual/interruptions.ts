// Mishaps in the middle of a run, in virtual time: the machine sleeps, the clock on the wall is
// set, the network is lost and found again.

import type { ClientResult } from '../../engine/http/client.ts'
import type { WireRequest } from '../../engine/http/http1.ts'
import { createSteady } from '../../engine/http/monotonic-clock.ts'
import type { Wires } from '../../engine/http/target-clock.ts'
import type { NoAnswer } from '../../history/exchange.ts'
import type { VirtualTarget, VirtualTime } from '../../proof/virtual.ts'

/** The machine sleeps, or is halted: time passes elsewhere, and open sockets are dead. */
interface Sleep {
  readonly kind: 'sleep'
  readonly ms: number
  /**
   * Which of its clocks continue: all of them; all but the monotonic one, as on Linux; or none but
   * that on the wall, which is set when a virtual machine resumes.
   */
  readonly goesOn: 'all' | 'uptime' | 'wall'
}

/** The clock on the wall is set, forward or back. */
interface Setting {
  readonly kind: 'set'
  readonly ms: number
}

/** No response comes for so long, though requests may arrive. */
interface Loss {
  readonly kind: 'lost'
  readonly ms: number
  readonly as: NoAnswer
  readonly arrives: boolean
}

export type Mishap = Sleep | Setting | Loss

/** How long a response is waited for. */
const timeoutMs = 5_000

/** @param atRequest the number of the request with which it comes */
export const withMishap = (
  wires: Wires,
  mishap: Mishap,
  atRequest: number,
  target: VirtualTarget,
  time: VirtualTime,
): Wires => {
  const apart = { wallMs: 0, uptimeMs: 0 }
  let requests = 0
  let lostUntilMs = Number.NEGATIVE_INFINITY
  const wallMs = () => wires.wallMs() + apart.wallMs
  const steadyMs = createSteady({
    monotonicMs: time.now,
    wallMs,
    uptimeMs: () => time.now() + apart.uptimeMs,
  })

  const sleepThrough = async ({ ms, goesOn }: Sleep) => {
    if (goesOn === 'all') return time.sleep(ms)
    target.move(ms)
    apart.wallMs += ms
    if (goesOn === 'uptime') apart.uptimeMs += ms
  }

  /** @returns why no response comes, if none does */
  const strike = async (request: WireRequest): Promise<NoAnswer | null> => {
    if (mishap.kind === 'set') apart.wallMs += mishap.ms
    if (mishap.kind === 'lost') lostUntilMs = time.now() + mishap.ms
    if (mishap.kind !== 'sleep') return null
    await wires.client.send(request)
    await sleepThrough(mishap)
    return 'reset'
  }

  const lose = async ({ as, arrives }: Loss, request: WireRequest): Promise<NoAnswer> => {
    if (arrives) await wires.client.send(request)
    if (as === 'timeout') await time.sleep(timeoutMs)
    return as
  }

  const befall = async (request: WireRequest): Promise<NoAnswer | null> => {
    const struck = requests === atRequest ? await strike(request) : null
    const isLost = mishap.kind === 'lost' && time.now() < lostUntilMs
    return isLost ? lose(mishap, request) : struck
  }

  const send = async (request: WireRequest): Promise<ClientResult> => {
    requests += 1
    const sentMs = steadyMs()
    const noResponse = await befall(request)
    if (noResponse) return { response: null, noResponse, sentMs, receivedMs: steadyMs() }
    const response = await wires.client.send(request)
    return { ...response, sentMs, receivedMs: steadyMs() }
  }
  return {
    ...wires,
    client: { ...wires.client, send },
    pace: { ...wires.pace, now: () => steadyMs() + wires.pace.movedMs() },
    wallMs,
  }
}
