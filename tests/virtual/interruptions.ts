// Mishaps in the middle of a run, in virtual time: the machine sleeps, the clock on the wall is
// set, the network is lost and found again.

import type { ClientResult } from '../../engine/http/client.ts'
import type { WireRequest } from '../../engine/http/http1.ts'
import type { Wires } from '../../engine/http/target-clock.ts'
import type { NoAnswer } from '../../history/exchange.ts'
import type { VirtualTarget, VirtualTime } from '../../proof/virtual.ts'

/** The machine sleeps, or is halted: time passes elsewhere, and open sockets are dead. */
interface Sleep {
  readonly kind: 'sleep'
  readonly ms: number
  /**
   * Which of its clocks continue: all of them; or none but that on the wall, as on Linux, and where
   * a virtual machine resumes.
   */
  readonly goesOn: 'all' | 'wall'
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
  let apartMs = 0
  let requests = 0
  let lostUntilMs = Number.NEGATIVE_INFINITY
  const wallMs = () => wires.wallMs() + apartMs

  const sleepThrough = async ({ ms, goesOn }: Sleep) => {
    if (goesOn === 'all') return time.sleep(ms)
    target.move(ms)
    apartMs += ms
  }

  /** @returns why no response comes, if none does */
  const strike = async (request: WireRequest): Promise<NoAnswer | null> => {
    if (mishap.kind === 'set') apartMs += mishap.ms
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
    const sentMs = time.now()
    const noResponse = await befall(request)
    if (noResponse) return { response: null, noResponse, sentMs, receivedMs: time.now() }
    return wires.client.send(request)
  }
  return { ...wires, client: { ...wires.client, send }, wallMs }
}
