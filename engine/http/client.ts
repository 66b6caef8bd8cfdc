// The HTTP client for one origin: what happens to a request. No other origin is contacted, and no
// redirect is followed.
import { uptime } from 'node:os'
import { decoded } from '../../history/body.ts'
import type { Exchange, Header, NoAnswer, ReceivedResponse } from '../../history/exchange.ts'
import type { Destination } from './connection-options.ts'
import { createHttp1, maxConnections, type WireRequest } from './http1.ts'
import { createSteady } from './monotonic-clock.ts'
import {
  isOwnFault,
  noBytesReceived,
  readLocalFault,
  readWireFault,
  type WireFault,
} from './network-faults.ts'

/** The clock of a run, in milliseconds; only differences have a meaning. */
export const steadyMs: () => number = createSteady({
  monotonicMs: () => performance.now(),
  wallMs: Date.now,
  uptimeMs: () => uptime() * 1000,
})

export interface ClientResult {
  readonly response: ReceivedResponse | null
  readonly noResponse: NoAnswer | null
  readonly unsent?: true
  readonly noAnswerWhy?: string | undefined
  /** Monotonic milliseconds. */
  readonly sentMs: number
  readonly receivedMs: number
}

export interface Client {
  readonly send: (request: WireRequest) => Promise<ClientResult>
  readonly close: () => Promise<void>
}

const closedAfterHandshake =
  'after the handshake; it may require a client certificate (--cert), or another one'

const timedOut = new DOMException('no whole response in time', 'TimeoutError')

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
  const inFlight = new Set<AbortController>()
  const abortAll = () => {
    for (const each of inFlight) each.abort(to.signal.reason)
  }
  to.signal.addEventListener('abort', abortAll)

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
    if (to.signal.aborted) {
      return { response: null, noResponse: 'timeout', unsent: true, sentMs, receivedMs: sentMs }
    }
    request.leaving?.()
    // A timer and one listener: `AbortSignal.any` costs several objects and weak references.
    const abort = new AbortController()
    const timeoutMs = Math.min(to.timeoutMs, (request.deadlineMs ?? Infinity) - sentMs)
    const timer = setTimeout(() => abort.abort(timedOut), timeoutMs)
    inFlight.add(abort)
    try {
      const response = await decoded(await http.send(request, abort.signal))
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
    } finally {
      clearTimeout(timer)
      inFlight.delete(abort)
    }
  }

  return {
    send: (request) =>
      request.connection === 'separate' ? queued(() => sendNow(request)) : sendNow(request),
    close: async () => {
      to.signal.removeEventListener('abort', abortAll)
      await http.close()
    },
  }
}

/** So often it may be chance: a target may close a connection at any moment. */
const maxHelped = 3

const rule =
  'the target loses requests on connections that were used before: each request has a new one'

/** More often than this a target closes connections for another reason than a restart. */
const maxTakenAtOnce = 3

/** Servers keep an idle connection longer than this. */
const maxIdleMs = 2_000

type SharedExchange = Pick<Exchange, 'sentMs' | 'receivedMs' | 'response'>

/** The connection that requests share, as the latest of them left it. */
interface Line {
  lastMs: number
  isClosing: boolean
}

const isClose = ([name, value]: Header): boolean =>
  name.toLowerCase() === 'connection' && value.trim().toLowerCase() === 'close'

/** The latest control requests, of which at least so many are lost, on so many occasions. */
const maxControls = 30
const minLost = 10
const minLostTimes = 4

/** Whether requests share connections: not at a target that loses those on a used connection. */
export class Connections {
  readonly #news: string[] = []
  /** How often a new connection helped. */
  #helped = 0
  #anew = 0
  /** Requests on the connection that they share, and for which of them it was opened again. */
  #shared = 0
  #reopened: number[] = []
  #takenAtOnce = 0
  #line: Line | undefined
  /** Of the latest control requests, which were lost. */
  readonly #controls: boolean[] = []

  /** Called with each exchange on the connection that requests share. */
  countShared(seq: number, exchange: SharedExchange): void {
    const { sentMs, receivedMs, response } = exchange
    const line = this.#line
    // A server may close a connection that was idle, or whose end it has announced.
    const isExpected = !line || line.isClosing || sentMs - line.lastMs > maxIdleMs
    if (response?.opened && !isExpected) this.#reopened.push(seq)
    this.#shared += 1
    const isClosing = response?.headers.some(isClose) ?? false
    this.#line = { lastMs: receivedMs, isClosing }
  }

  /**
   * For which requests since the last call the connection was opened again, which a restart may
   * explain; none at a target that closes connections often.
   */
  takeReopened(): readonly number[] {
    const since = this.#reopened
    this.#reopened = []
    return 4 * since.length > this.#shared ? [] : since
  }

  /** The same at once, and not only where a violation is to be explained: the first times. */
  takeReopenedAtOnce(): readonly number[] {
    if (this.#reopened.length === 0 || this.#takenAtOnce >= maxTakenAtOnce) return []
    this.#takenAtOnce += 1
    return this.takeReopened()
  }

  isFresh(): boolean {
    return this.#anew > 0 || this.#helped >= maxHelped
  }

  /** Runs an action with a new connection for each request. */
  async anew<T>(act: () => Promise<T>): Promise<T> {
    this.#anew += 1
    try {
      return await act()
    } finally {
      this.#anew -= 1
    }
  }

  /**
   * Called with each control request that is to show whether the target still responds.
   * @returns what share of the latest ones was lost, where it is most of them again and again
   */
  countControl(isLost: boolean): string | undefined {
    const controls = this.#controls
    controls.push(isLost)
    if (controls.length > maxControls) controls.shift()
    const lost = controls.filter(Boolean).length
    const times = controls.filter((is, at) => is && controls[at - 1] !== true).length
    const mostly = lost >= minLost && times >= minLostTimes && 2 * lost >= controls.length
    return mostly ? `${lost} of ${controls.length} control requests got no response` : undefined
  }

  /** Called when a lost request was answered on a new connection. */
  countHelp(): void {
    this.#helped += 1
    if (this.#helped === maxHelped) this.#news.push(rule)
  }

  /** What was found out since the last call. */
  news(): string[] {
    return this.#news.splice(0)
  }
}
