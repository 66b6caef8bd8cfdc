// The HTTP client for one origin: what happens to a request. No other origin is contacted, and no
// redirect is followed.
import { decoded } from '../../history/body.ts'
import type { Exchange } from '../../history/exchange.ts'
import { interrupted } from '../../history/outcome.ts'
import type { Destination } from './connection-options.ts'
import { createHttp1, maxConnections, type WireRequest } from './http1.ts'
import {
  isOwnFault,
  noBytesReceived,
  readLocalFault,
  readWireFault,
  type WireFault,
} from './network-faults.ts'

/**
 * The clock of a run, in milliseconds; only differences have a meaning. While a machine sleeps, it
 * may stand still; the Dates of the target then show how much time has passed.
 */
export const steadyMs = (): number => performance.now()

export type ClientResult = Pick<
  Exchange,
  'response' | 'noResponse' | 'noAnswerWhy' | 'sentMs' | 'receivedMs'
>

export interface Client {
  /** @throws Untested (interrupted) if the run ended before it was sent */
  readonly send: (request: WireRequest) => Promise<ClientResult>
  readonly close: () => Promise<void>
}

const closedAfterHandshake =
  'after the handshake; it may require a client certificate (--cert), or another one'

const maybeTls = 'no byte was received; did you mean https://?'

/** @returns runs actions, at most `max` at a time; the others follow in the order of their calls */
export const createQueue = (max: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(act: () => Promise<T>): Promise<T> => {
    if (running < max) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

export const createClient = (to: Destination): Client => {
  const http = createHttp1(to)
  // A request that waits for a free connection has not been sent, so its timeout does not run yet.
  const queued = createQueue(maxConnections)
  let hasAnswered = false

  /**
   * Many servers that require a client certificate just close the connection where there is none,
   * or a wrong one; so do TLS servers that receive plain HTTP.
   */
  const whyOf = ({ noResponse, why }: WireFault, error: unknown): string | undefined => {
    if (noResponse !== 'reset' || hasAnswered) return why
    if (to.origin.protocol === 'https:') return closedAfterHandshake
    return noBytesReceived(error) ? maybeTls : why
  }

  const sendNow = async (request: WireRequest): Promise<ClientResult> => {
    const sentMs = steadyMs()
    if (to.signal.aborted) throw interrupted()
    request.leaving?.()
    const leftMs = Math.min(to.timeoutMs, (request.deadlineMs ?? Infinity) - sentMs)
    try {
      const response = decoded(await http.send(request, leftMs))
      hasAnswered = true
      return { response, noResponse: null, sentMs, receivedMs: steadyMs() }
    } catch (error) {
      if (isOwnFault(error)) throw error
      const local = readLocalFault((error as NodeJS.ErrnoException).code)
      if (local) throw local
      const fault = readWireFault(error)
      const { noResponse } = fault
      const noAnswerWhy = whyOf(fault, error)
      return { response: null, noResponse, noAnswerWhy, sentMs, receivedMs: steadyMs() }
    }
  }

  return {
    send: (request) =>
      request.connection === 'separate' ? queued(() => sendNow(request)) : sendNow(request),
    close: http.close,
  }
}

/** So much the latest control request counts in the share of those that were lost. */
const weightOfLatest = 0.05

/** More often than this a target closes connections for another reason than a restart. */
const maxTakenAtOnce = 3

/** What a run learns of the connections to its target. */
export class Connections {
  /** Requests on the connection that they share, and for which of them it was opened again. */
  #shared = 0
  #reopened: number[] = []
  #takenAtOnce = 0
  #lostShare = 0

  /** Called with each exchange on the connection that requests share. */
  countShared(seq: number, { response }: Pick<Exchange, 'response'>): void {
    if (response?.opened && this.#shared > 0) this.#reopened.push(seq)
    this.#shared += 1
  }

  /**
   * The requests since the last call for which the connection was opened again, as after a restart:
   * the first and the last; none at a target that closes connections often.
   * @param atOnce no violation is to be explained: only the first times
   */
  takeReopened(atOnce = false): readonly [first: number, last: number] | undefined {
    const [first, last] = [this.#reopened[0], this.#reopened.at(-1)]
    if (first === undefined || last === undefined) return undefined
    if (atOnce && this.#takenAtOnce >= maxTakenAtOnce) return undefined
    if (atOnce) this.#takenAtOnce += 1
    const isOften = 4 * this.#reopened.length > this.#shared
    this.#reopened = []
    return isOften ? undefined : [first, last]
  }

  /**
   * Called with each control request that is to show whether the target still responds.
   * @returns whether most of the latest ones were lost
   */
  countControl(isLost: boolean): boolean {
    this.#lostShare += (Number(isLost) - this.#lostShare) * weightOfLatest
    return this.#lostShare > 0.5
  }
}
