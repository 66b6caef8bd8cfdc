// One connection to the target, on undici's client: it carries one request at a time. Nothing is
// written before the certificate is verified, and no redirect is followed.
import { buildConnector, Client, type Dispatcher } from 'undici'
import { type Reach, tlsOptions } from '../engine/http/connection-options.ts'
import { pairs } from '../engine/http/http1.ts'
import type { Exchange, SentRequest } from '../history/exchange.ts'
import { lostStatus, type Reply } from './gate.ts'

/** One request and what became of it; small, as there may be a million of them. */
export interface Sample
  extends Pick<Exchange, 'response' | 'noResponse' | 'sentMs' | 'receivedMs'> {
  /** The key by plan and position (`free-1`). */
  readonly key: string
}

export interface Load {
  readonly connections: number
  /**
   * Exactly so many requests, the first ones of all connections together, once all are open. With a
   * duration at most so many.
   */
  readonly amount: number
  /** As many as fit into this time; those in flight at its end are waited for. */
  readonly durationMs: number | null
  readonly key: string
  /** Whether each request has a new connection. */
  readonly newConnections?: true
  /** Aborted after this time. */
  readonly overallMs: number
  /** How many responses have their body; 0: no law judges what is sent. */
  readonly keep: number
  /** Ends with the first response that is no success; what is in flight is waited for. */
  readonly whileServed?: true
}

export interface DriveTarget {
  /** What is repeated, its key included. */
  readonly request: Pick<SentRequest, 'url' | 'headers'>
  readonly reach: Reach
  /** Addresses of the host, used in turn if each request has a new connection. */
  readonly addresses: readonly string[]
  readonly responseTimeoutMs: number
  readonly signal: AbortSignal
}

export interface Driven {
  readonly sent: number
  readonly neverSent: number
  /** From the first request that was sent to the end of the last one. */
  readonly durationMs: number
  readonly ended: 'done' | 'refused' | 'overall-timeout' | 'interrupted' | 'unreachable'
  /** Why the latest connection gave up. */
  readonly why: string | null
}

const maxBodyBytes = 1024 * 1024
const settings = {
  pipelining: 1,
  maxHeaderSize: 64 * 1024,
  // The time of the whole response is limited below, and that of connecting by the connector.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const
/** Before each attempt after one without a response; then the connection gives up. */
const retryPausesMs = [0, 0, 80, 160, 320, 640]

interface ConnectionParts {
  readonly target: DriveTarget
  readonly load: Load
  readonly connect: buildConnector.connector
  readonly keepsBody: () => boolean
  readonly sample: (sample: Sample) => void
  /** It can carry the next request. */
  readonly idle: (connection: Connection) => void
  /** @param left what it was given and did not send */
  readonly gaveUp: (why: string, left: Reply | undefined) => void
}

/**
 * Opens sockets; to the addresses of the host in turn if each request has a new connection.
 * @param ready resolves when an open connection may send
 */
export const createConnector = (
  { reach, addresses, responseTimeoutMs: timeout }: DriveTarget,
  { newConnections }: Load,
  ready: () => Promise<void>,
  signal: AbortSignal,
): buildConnector.connector => {
  const connect = buildConnector({ ...tlsOptions(reach), allowH2: false, timeout, signal })
  const hosts = newConnections ? addresses : []
  let opened = 0
  return (options, done) => {
    const hostname = hosts[opened % hosts.length] ?? options.hostname
    opened += 1
    connect({ ...options, hostname }, async (...[error, socket]) => {
      if (error) return done(error, null)
      await ready()
      // undici would wait forever for a closed socket.
      if (socket.destroyed) done(new Error('closed'), null)
      else done(null, socket)
    })
  }
}

const late = new Error('no whole response in time')

export class Connection implements Dispatcher.DispatchHandler {
  readonly #parts: ConnectionParts
  readonly #request: Dispatcher.DispatchOptions
  readonly #over = Promise.withResolvers<void>()
  readonly over = this.#over.promise
  #client: Client
  /** Of the request that is on its way, or due after a pause. */
  #reply: Reply | undefined
  /** Attempts in a row without a response. */
  #failures = 0
  #isDraining = false
  #retry: NodeJS.Timeout | undefined
  #sentMs: number | undefined
  #lateness: NodeJS.Timeout | undefined
  #head: { status: number; rawHeaders: readonly Buffer[] } = { status: 0, rawHeaders: [] }
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(parts: ConnectionParts) {
    const { url, headers } = parts.target.request
    const { pathname, search } = new URL(url)
    this.#parts = parts
    this.#request = { method: 'GET', path: `${pathname}${search}`, headers: headers.flat() }
    this.#client = this.#open()
  }

  /** Sends a request; nothing while another is on its way, or once it is drained. */
  carry(reply: Reply): void {
    if (this.#isDraining) return
    this.#reply = reply
    this.#next()
  }

  /** Sends nothing more; a request in flight is waited for. */
  drain(): void {
    if (this.#sentMs === undefined) this.cut()
    else this.#isDraining = true
  }

  /** Ends at once: a request in flight is lost. */
  cut(): void {
    this.#isDraining = true
    this.#end()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { responseTimeoutMs } = this.#parts.target
    this.#lateness = setTimeout(() => controller.abort(late), responseTimeoutMs)
    this.#chunks = []
    this.#bytes = 0
    this.#sentMs = performance.now()
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number): void {
    this.#head = { status, rawHeaders: rawHeaders as Buffer[] }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > maxBodyBytes) controller.abort(new Error('the body is too large'))
    else if (this.#parts.keepsBody()) this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#failures = 0
    this.#recordResult(null)
    this.#answer(this.#head.status)
    this.#next()
  }

  onResponseError(_controller: unknown, error: NodeJS.ErrnoException): void {
    if (this.#sentMs !== undefined) {
      this.#recordResult(error === late ? 'timeout' : 'reset')
      this.#answer(lostStatus)
    }
    const pauseMs = retryPausesMs[this.#failures]
    this.#failures += 1
    if (this.#isDraining) this.#end()
    else if (pauseMs !== undefined) this.#retry = setTimeout(() => this.#next(), pauseMs)
    else {
      this.#isDraining = true
      this.#end()
      this.#parts.gaveUp(error.code ?? error.message, this.#reply)
    }
  }

  #next(): void {
    if (this.#isDraining) this.#end()
    else if (this.#reply) this.#client.dispatch(this.#request, this)
    else this.#parts.idle(this)
  }

  #answer(status: number): void {
    const reply = this.#reply
    this.#reply = undefined
    reply?.(status)
  }

  #open(): Client {
    const { target, connect } = this.#parts
    return new Client(new URL(target.request.url).origin, { ...settings, connect })
  }

  #recordResult(noResponse: Sample['noResponse']): void {
    clearTimeout(this.#lateness)
    const { load, sample } = this.#parts
    const sentMs = this.#sentMs ?? 0
    const receivedMs = performance.now()
    this.#sentMs = undefined
    const { status, rawHeaders } = this.#head
    const response = {
      status,
      bytes: Buffer.concat(this.#chunks),
      cut: false,
      // Decoded only when read: of a million responses few are.
      get headers() {
        return pairs(rawHeaders.map((part) => part.toString('latin1')))
      },
    }
    const answered = noResponse === null ? response : null
    sample({ key: load.key, response: answered, noResponse, sentMs, receivedMs })
    if (!load.newConnections) return
    void this.#client.destroy()
    this.#client = this.#open()
  }

  /** Destroying the client loses a request in flight, which is counted before `over` resolves. */
  #end(): void {
    clearTimeout(this.#retry)
    void this.#client.destroy().then(this.#over.resolve)
  }
}
