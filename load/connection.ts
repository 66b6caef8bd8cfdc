// One connection of a crowd, on undici's client: one request at a time, and the next one when it
// has ended. Nothing is written before the certificate is verified, and no redirect is followed.
import { buildConnector, Client, type Dispatcher } from 'undici'
import { tlsOptionsOf } from '../suites/kit/wire/reach.ts'
import type { DriveTarget, Load, Lost, Sample } from './load-form.ts'

const maxBodyBytes = 1024 * 1024
const maxHeaderSize = 64 * 1024
/** Attempts in a row without an answer: after some of them it pauses, then it gives up. */
const attempts = { most: 6, atOnce: 2, pauseMs: 10, pauseMostMs: 1_000 }

export interface ConnectionParts {
  readonly target: DriveTarget
  readonly load: Load
  readonly connect: buildConnector.connector
  /** Reserves one of the requests that may leave, if any is left. */
  readonly reserve: () => boolean
  /** What was reserved has not left. */
  readonly giveBack: () => void
  readonly keepsBody: () => boolean
  readonly sample: (sample: Sample) => void
  /** It is refused, or closed without an answer, however often it tries. */
  readonly gaveUp: (why: string) => void
}

/**
 * Opens sockets, to the addresses of the host in turn where each request has a new connection.
 * @param pass holds a connection back until it may send
 */
export const connectorOf = (
  { reach, addresses, answerTimeoutMs }: DriveTarget,
  { newConnections }: Load,
  pass: (goOn: () => void) => void,
  signal: AbortSignal,
): buildConnector.connector => {
  const trusted = tlsOptionsOf(reach)
  const connect = buildConnector({ ...trusted, allowH2: false, timeout: answerTimeoutMs, signal })
  const hosts = newConnections ? addresses : []
  let opened = 0
  return (options, done) => {
    const hostname = hosts[opened % hosts.length] ?? options.hostname
    opened += 1
    connect({ ...options, hostname }, (...[error, socket]) => {
      if (error) done(error, null)
      // Of a socket that has closed meanwhile undici would never hear.
      else pass(() => (socket.destroyed ? done(new Error('closed'), null) : done(null, socket)))
    })
  }
}

class LateError extends Error {}

const whyOf = (error: NodeJS.ErrnoException): string => {
  if (error instanceof LateError) return 'it does not answer'
  if (error.code === 'UND_ERR_SOCKET') return 'it closes its connections without an answer'
  return error.code ?? error.message
}

/** How long to wait after so many attempts without an answer; null: it is given up. */
const pauseAfter = (failures: number): number | null => {
  if (failures > attempts.most) return null
  if (failures <= attempts.atOnce) return 0
  return Math.min(attempts.pauseMs * 2 ** failures, attempts.pauseMostMs)
}

const textOf = (part: Buffer | string): string =>
  typeof part === 'string' ? part : part.toString('latin1')

export class Connection implements Dispatcher.DispatchHandler {
  readonly #parts: ConnectionParts
  readonly #request: Dispatcher.DispatchOptions
  readonly #over = Promise.withResolvers<void>()
  readonly over = this.#over.promise
  #client: Client
  #failures = 0
  #isDraining = false
  #retry: NodeJS.Timeout | undefined
  /** When the request that is under way was put on the wire. */
  #sentMs: number | undefined
  #lateness: NodeJS.Timeout | undefined
  #status = 0
  #rawHeaders: readonly string[] = []
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(parts: ConnectionParts) {
    const { path, headers } = parts.target.request
    this.#parts = parts
    this.#request = { method: 'GET', path, headers: headers.flat() }
    this.#client = this.#open()
  }

  next(): void {
    if (this.#isDraining || !this.#parts.reserve()) this.#end()
    else this.#client.dispatch(this.#request, this)
  }

  /** No further request; what is under way is waited for. */
  drain(): void {
    this.#isDraining = true
    if (this.#sentMs === undefined) this.#end()
  }

  /** Ends at once: what is under way is lost. */
  cut(): void {
    this.#isDraining = true
    this.#end()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#sentMs = performance.now()
    this.#bytes = 0
    this.#chunks = []
    const { answerTimeoutMs } = this.#parts.target
    this.#lateness = setTimeout(() => controller.abort(new LateError()), answerTimeoutMs)
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number): void {
    this.#status = status
    this.#rawHeaders = (rawHeaders as Buffer[]).map(textOf)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > maxBodyBytes) controller.abort(new Error('its body is too long'))
    else if (this.#parts.keepsBody()) this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#failures = 0
    this.#settle(null)
    this.#renew()
    this.next()
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#sentMs === undefined) this.#parts.giveBack()
    else this.#settle(error instanceof LateError ? 'timeout' : 'reset')
    this.#renew()
    this.#failures += 1
    const pauseMs = pauseAfter(this.#failures)
    if (this.#isDraining) this.#end()
    else if (pauseMs !== null) this.#retry = setTimeout(() => this.next(), pauseMs)
    else {
      this.#parts.gaveUp(whyOf(error))
      this.#end()
    }
  }

  #open(): Client {
    const { target, connect } = this.#parts
    const untimed = { headersTimeout: 0, bodyTimeout: 0 }
    const { origin } = new URL(target.baseUrl)
    return new Client(origin, { connect, pipelining: 1, maxHeaderSize, ...untimed })
  }

  #renew(): void {
    if (!this.#parts.load.newConnections) return
    void this.#client.destroy()
    this.#client = this.#open()
  }

  #settle(lost: Lost | null): void {
    clearTimeout(this.#lateness)
    const { load, keepsBody, sample } = this.#parts
    const sentMs = this.#sentMs ?? 0
    const ms = performance.now() - sentMs
    this.#sentMs = undefined
    const isWhole = lost === null
    sample({
      ...{ key: load.key, lost, sentMs, ms },
      status: isWhole ? this.#status : 0,
      rawHeaders: isWhole ? this.#rawHeaders : [],
      body: isWhole && keepsBody() ? Buffer.concat(this.#chunks).toString() : null,
    })
  }

  /** Destroying the client loses what is under way, and that is accounted for first. */
  #end(): void {
    clearTimeout(this.#retry)
    void this.#client.destroy().then(this.#over.resolve)
  }
}
