// The wire to one origin: which version of HTTP is spoken, and what becomes of a request. No other
// origin is reached, and no redirect is followed.
import type { NoAnswer, ReceivedResponse } from '../exchange.ts'
import { decoded } from './decode-body.ts'
import { connectionsMost, createHttp1 } from './http1-wire.ts'
import { createHttp2Pool } from './http2-pool.ts'
import { Http1Required } from './http2-wire.ts'
import { createOpener } from './open-socket.ts'
import type { Reach } from './reach.ts'
import { steadyMs } from './steady-time.ts'
import { createTurns } from './turns.ts'
import { faultOf, isEmptyHanded, isOwnFault, localFaultOf, type WireFault } from './wire-faults.ts'
import type { WireRequest } from './wire-request.ts'

export interface WireAnswer {
  readonly response: ReceivedResponse | null
  readonly noAnswer: NoAnswer | null
  /** It was never put on the wire. */
  readonly unsent?: true
  /** What more is known of why there is none. */
  readonly noAnswerWhy?: string
  /** Monotonic milliseconds. */
  readonly sentMs: number
  readonly receivedMs: number
}

export interface Client {
  readonly send: (request: WireRequest) => Promise<WireAnswer>
  readonly close: () => Promise<void>
}

export interface ClientOptions {
  /** The only origin this client talks to. */
  readonly origin: string
  /** For the whole answer, from sending to the last byte. */
  readonly timeoutMs: number
  readonly reach: Reach
  /** Lets go of what is under way. */
  readonly signal: AbortSignal
}

type Send = (request: WireRequest, signal: AbortSignal) => Promise<ReceivedResponse>

/** Sends over the version that the target chose, and over HTTP/1.1 from when it wants that. */
const createSend = (options: ClientOptions): { send: Send; close: Client['close'] } => {
  const { timeoutMs, reach } = options
  const origin = new URL(options.origin)
  const isSecure = origin.protocol === 'https:'
  const open = isSecure ? createOpener({ ...options, origin }) : null
  const proxy = isSecure ? null : reach.proxyOf(origin)
  const http1 = createHttp1({ origin, timeoutMs, open, proxy })
  const http2 = open && reach.http2 ? createHttp2Pool(origin, open) : null
  let isHttp1 = http2 === null

  const send: Send = async (request, signal) => {
    if (isHttp1 || http2 === null) return http1.send(request, signal)
    try {
      return await http2.send(request, signal)
    } catch (error) {
      if (!(error instanceof Http1Required)) throw error
      // Nothing of this request was looked at.
      isHttp1 = true
      return http1.send(request, signal)
    }
  }
  const close = async () => {
    http2?.close()
    await http1.close()
  }
  return { send, close }
}

const stranger = 'after the handshake; it may want a client certificate (--cert), or another one'

const maybeTls = 'not a byte of it came; does it speak https?'

/** A client for one origin. */
export const createClient = (options: ClientOptions): Client => {
  const { send: put, close } = createSend(options)
  // What waits for a connection of ours has not been sent, and its time does not run yet.
  const inTurn = createTurns(connectionsMost)

  const isSecure = options.origin.startsWith('https:')
  let isAnswered = false

  /**
   * Many a server that wants a client certificate just closes where there is none, or another; so
   * does one that speaks TLS to what is none.
   */
  const whyOf = ({ noAnswer, why }: WireFault, error: unknown): string | undefined => {
    if (noAnswer !== 'reset' || isAnswered) return why
    if (isSecure) return stranger
    return isEmptyHanded(error) ? maybeTls : why
  }

  const send = (request: WireRequest): Promise<WireAnswer> =>
    request.connection === 'own' ? inTurn(() => sendNow(request)) : sendNow(request)

  const sendNow = async (request: WireRequest): Promise<WireAnswer> => {
    const sentMs = steadyMs()
    if (options.signal.aborted) {
      return { response: null, noAnswer: 'timeout', unsent: true, sentMs, receivedMs: sentMs }
    }
    request.leaving?.()
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)])
    try {
      const response = await decoded(await put(request, signal))
      isAnswered = true
      return { response, noAnswer: null, sentMs, receivedMs: steadyMs() }
    } catch (error) {
      if (isOwnFault(error)) throw error
      const local = localFaultOf((error as NodeJS.ErrnoException).code)
      if (local) throw local
      const fault = faultOf(error)
      const why = whyOf(fault, error)
      const noAnswerWhy = why === undefined ? {} : { noAnswerWhy: why }
      const { noAnswer } = fault
      return { response: null, noAnswer, ...noAnswerWhy, sentMs, receivedMs: steadyMs() }
    }
  }
  return { send, close }
}
