// The wire to one origin, and what becomes of a request. No other origin is reached, and no
// redirect is followed.
import type { NoAnswer, ReceivedResponse } from '../exchange.ts'
import { decoded } from './decode-body.ts'
import { connectionsMost, createHttp1 } from './http1-wire.ts'
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

const stranger = 'after the handshake; it may want a client certificate (--cert), or another one'

const maybeTls = 'not a byte of it came; does it speak https?'

/** A client for one origin. */
export const createClient = (options: ClientOptions): Client => {
  const origin = new URL(options.origin)
  const isSecure = origin.protocol === 'https:'
  const open = isSecure ? createOpener({ ...options, origin }) : null
  const proxy = isSecure ? null : options.reach.proxyOf(origin)
  const wire = createHttp1({ origin, timeoutMs: options.timeoutMs, open, proxy })
  // What waits for a connection of ours has not been sent, and its time does not run yet.
  const inTurn = createTurns(connectionsMost)

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
      const response = await decoded(await wire.send(request, signal))
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
  return { send, close: wire.close }
}
