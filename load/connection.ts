// Connections to the target, by undici, and one request on one of them. Nothing is written before
// the certificate is verified, and no redirect is followed.
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { lookupFor, type Reach, tlsOptions } from '../engine/http/connection-options.ts'
import { pairs, withReadableLengths } from '../engine/http/http1.ts'
import { maxBodyBytes, maxEndBytes } from '../history/body.ts'
import type { Exchange, SentRequest } from '../history/exchange.ts'

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
  /** Whether each request has a new connection, to the addresses of the host in turn. */
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
  readonly responseTimeoutMs: number
  readonly signal: AbortSignal
}

export interface Driven {
  readonly sent: number
  readonly neverSent: number
  /** From the first request that was sent to the end of the last one. */
  readonly durationMs: number
  readonly ended: 'done' | 'refused' | 'overall-timeout' | 'interrupted' | 'unreachable'
  /** Why the latest attempt to send failed. */
  readonly why: string | null
}

/** Connections that are not open by then are not waited for. */
const maxHoldMs = 1_000
const settings = {
  pipelining: 1,
  // Without this a pool opens one connection first, to see what the server speaks.
  allowH2: false,
  maxHeaderSize: 64 * 1024,
  // The time of the whole response is limited below, and that of connecting by the connector.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const

/** Looks up a host; of several IPv4 addresses the next one each time. */
const lookUpInTurn = (): LookupFunction => {
  let times = 0
  return (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, [])
      const own = found.filter(({ family }) => family === 4)
      // A resolver may give them in another order each time.
      own.sort((a, b) => (a.address < b.address ? -1 : 1))
      const next = own[times % own.length]
      times += 1
      done(null, next && own.length > 1 ? [next] : found)
    })
}

/**
 * The connections of a load. Those that are to send together wait until all of them are open.
 * @param over ends attempts to connect
 */
export const openPool = (
  { request, reach, responseTimeoutMs: timeout }: DriveTarget,
  { connections, durationMs, newConnections }: Load,
  over: AbortSignal,
) => {
  const allOpen = Promise.withResolvers<void>()
  const timer = setTimeout(allOpen.resolve, maxHoldMs)
  over.addEventListener('abort', () => clearTimeout(timer), { once: true })
  let awaited = durationMs === null ? connections : 0
  const connector = buildConnector({
    ...{ ...tlsOptions(reach), ...lookupFor(new URL(request.url)) },
    ...{ allowH2: false, timeout, signal: over },
    ...(newConnections && { autoSelectFamily: true, lookup: lookUpInTurn() }),
  })
  const connect: buildConnector.connector = (options, done) => {
    connector(options, async (...[error, socket]) => {
      if (error) return done(error, null)
      awaited -= 1
      if (awaited <= 0) allOpen.resolve()
      await allOpen.promise
      // undici would wait forever for a closed socket.
      if (socket.destroyed) done(new Error('closed'), null)
      else done(null, socket)
    })
  }
  const { origin, pathname, search } = new URL(request.url)
  const pool = new Pool(origin, { ...settings, connections, connect: withReadableLengths(connect) })
  const path = `${pathname}${search}`
  const sent = {
    method: 'GET',
    path,
    headers: request.headers.flat(),
    reset: newConnections === true,
  } as const
  return {
    send: (handler: Dispatcher.DispatchHandler) => pool.dispatch(sent, handler),
    /** Requests that are in flight fail before it resolves. */
    close: () => pool.destroy(),
  }
}

const late = new Error('no whole response in time')

interface TransferParts {
  readonly responseTimeoutMs: number
  /** Called right before the request is written. @returns false: it is not sent any more */
  readonly mayStart: () => boolean
  readonly keepsBody: () => boolean
  /** It was written: the response, or why there is none. */
  readonly sent: (result: Omit<Sample, 'key'>) => void
  /** Nothing was written. */
  readonly failed: (error: NodeJS.ErrnoException) => void
}

/** One attempt to send a request. */
export const transfer = (parts: TransferParts): Dispatcher.DispatchHandler => {
  let sentMs: number | undefined
  let lateness: NodeJS.Timeout | undefined
  let head: { status: number; rawHeaders: readonly Buffer[] } = { status: 0, rawHeaders: [] }
  const chunks: Buffer[] = []
  let bytes = 0
  let cut = false
  const end = (noResponse: Sample['noResponse']) => {
    clearTimeout(lateness)
    const response = {
      status: head.status,
      bytes: Buffer.concat(chunks),
      cut,
      // Decoded only when read: of a million responses few are.
      get headers() {
        return pairs(head.rawHeaders)
      },
    }
    const answered = noResponse === null ? response : null
    const times = { sentMs: sentMs ?? 0, receivedMs: performance.now() }
    parts.sent({ response: answered, noResponse, ...times })
  }
  return {
    onRequestStart: (controller) => {
      if (!parts.mayStart()) return controller.abort(new Error('the load is over'))
      lateness = setTimeout(() => controller.abort(late), parts.responseTimeoutMs)
      sentMs = performance.now()
    },
    onResponseStart: ({ rawHeaders }, status) => {
      head = { status, rawHeaders: rawHeaders as Buffer[] }
    },
    onResponseData: (controller, chunk) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes && parts.keepsBody()) chunks.push(chunk)
      else cut = true
      if (bytes > maxEndBytes) controller.abort(new Error('the body does not end'))
    },
    onResponseEnd: () => end(null),
    onResponseError: (_controller, error) => {
      if (sentMs === undefined) parts.failed(error)
      else end(error === late ? 'timeout' : 'reset')
    },
  }
}
