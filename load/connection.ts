// One connection of a load, on undici's client: one request at a time. Nothing is written before
// the certificate is verified, and no redirect is followed.
import { buildConnector, Client, type Dispatcher } from 'undici'
import { type Reach, tlsOptionsOf } from '../engine/client/reach.ts'
import type { SentRequest } from '../engine/exchange.ts'
import type { Lost, Sample } from './sample.ts'

export interface Load {
  readonly connections: number
  /** Exactly so many requests; with a duration at most so many. */
  readonly amount: number
  /** As many as fit into this time; those in flight at its end are waited for. */
  readonly durationMs: number | null
  readonly key: string
  /** Whether each request has a new connection. */
  readonly newConnections: boolean
  /** Whether the first requests of all connections leave together, once all are open. */
  readonly atOnce?: true
  /** Aborted after this time. */
  readonly overallMs: number
  /** How many samples are kept, with their bodies. */
  readonly keep: number
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
  readonly durationMs: number
  readonly ended: 'done' | 'overall-timeout' | 'interrupted' | 'unreachable'
  readonly why: string | null
  readonly samples: readonly Sample[]
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
  /** Reserves one of the requests that may be sent, if any is left. */
  readonly reserve: () => boolean
  /** Returns a reserved request that was not sent. */
  readonly giveBack: () => void
  readonly keepsBody: () => boolean
  readonly sample: (sample: Sample) => void
  readonly gaveUp: (why: string) => void
}

/**
 * Opens sockets; to the addresses of the host in turn if each request has a new connection.
 * @param ready resolves when an open connection may send
 */
export const connectorOf = (
  { reach, addresses, responseTimeoutMs: timeout }: DriveTarget,
  { newConnections }: Load,
  ready: () => Promise<void>,
  signal: AbortSignal,
): buildConnector.connector => {
  const connect = buildConnector({ ...tlsOptionsOf(reach), allowH2: false, timeout, signal })
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

const noHead = { status: 0, rawHeaders: [] as readonly Buffer[] }

export class Connection implements Dispatcher.DispatchHandler {
  readonly #parts: ConnectionParts
  readonly #request: Dispatcher.DispatchOptions
  readonly #over = Promise.withResolvers<void>()
  readonly over = this.#over.promise
  #client: Client
  /** Attempts in a row without a response. */
  #failures = 0
  #isDraining = false
  #retry: NodeJS.Timeout | undefined
  #sentMs: number | undefined
  #lateness: NodeJS.Timeout | undefined
  #head = noHead
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(parts: ConnectionParts) {
    const { url, headers } = parts.target.request
    const { pathname, search } = new URL(url)
    this.#parts = parts
    this.#request = { method: 'GET', path: `${pathname}${search}`, headers: headers.flat() }
    this.#client = this.#open()
  }

  next(): void {
    if (this.#isDraining || !this.#parts.reserve()) this.#end()
    else this.#client.dispatch(this.#request, this)
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
    const body = this.#parts.keepsBody() ? Buffer.concat(this.#chunks).toString() : null
    this.#recordResult(null, this.#head, body)
    this.next()
  }

  onResponseError(_controller: unknown, error: NodeJS.ErrnoException): void {
    if (this.#sentMs === undefined) this.#parts.giveBack()
    else this.#recordResult(error === late ? 'timeout' : 'reset', noHead, null)
    const pauseMs = retryPausesMs[this.#failures]
    this.#failures += 1
    if (this.#isDraining) this.#end()
    else if (pauseMs !== undefined) this.#retry = setTimeout(() => this.next(), pauseMs)
    else {
      this.#parts.gaveUp(error.code ?? error.message)
      this.#end()
    }
  }

  #open(): Client {
    const { target, connect } = this.#parts
    return new Client(new URL(target.request.url).origin, { ...settings, connect })
  }

  #recordResult(lost: Lost | null, head: typeof noHead, body: string | null): void {
    clearTimeout(this.#lateness)
    const { load, sample } = this.#parts
    const sentMs = this.#sentMs ?? 0
    const ms = performance.now() - sentMs
    this.#sentMs = undefined
    sample({
      ...{ key: load.key, status: head.status, lost, sentMs, ms, body },
      // Decoded only when read: of a million responses few are.
      get rawHeaders() {
        return head.rawHeaders.map((part) => part.toString('latin1'))
      },
    })
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
