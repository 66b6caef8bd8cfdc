// HTTP/1.1 to one origin over undici. No redirect is followed.
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { maxBodyBytes, maxEndBytes } from '../../history/body.ts'
import type { ApiRequest, Header, ReceivedResponse } from '../../history/exchange.ts'
import { type Destination, lookupFor, openTunnel, tlsOptions } from './connection-options.ts'
import { endless, isOwnFault, readWireFault, timedOut, WireError } from './network-faults.ts'

/** The most connections for requests that are sent at the same time. */
export const maxConnections = 64

/** How many connections there are for requests of each kind; a fresh one is for one request. */
const sizes = { shared: 1, separate: maxConnections, fresh: 1 }

/**
 * `shared`: on the connection that all such requests use in turn; `separate`: on one of many, for
 * a burst; `fresh`: on a new one.
 */
export type Connection = keyof typeof sizes

export interface WireRequest extends Pick<ApiRequest, 'method' | 'headers' | 'body' | 'framing'> {
  /** Raw path and query. */
  readonly path: string
  readonly connection: Connection
  /** When the run is over, in monotonic milliseconds: no response is read any further. */
  readonly deadlineMs?: number
  /** Called when it is sent, not while it waits for a free connection. */
  readonly leaving?: () => void
}

const partGapMs = 50

/** In the middle of the first character of several bytes, which a server may decode in parts. */
const cutOf = (body: Uint8Array): number => {
  const at = body.findIndex((byte) => byte >= 0x80)
  return at < 0 ? Math.ceil(body.length / 2) : at + 1
}

async function* inTwoParts(body: Uint8Array): AsyncGenerator<Uint8Array> {
  const cut = cutOf(body)
  yield body.subarray(0, cut)
  await pause(partGapMs)
  yield body.subarray(cut)
}

/** A body in parts is sent chunked, unless its length is stated. */
const outgoing = ({ headers, body: sent, framing }: WireRequest) => {
  const body = typeof sent === 'string' ? Buffer.from(sent) : sent
  if (body === null || framing === undefined) return { headers: headers.flat(), body }
  const length = framing === 'in two parts' ? ['Content-Length', `${body.length}`] : []
  return { headers: [...headers.flat(), ...length], body: Readable.from(inTwoParts(body)) }
}

/** Names and values in turn, as undici and Node give them. */
export const pairs = (flat: readonly (string | Buffer)[]): Header[] => {
  const headers: Header[] = []
  const read = (part: string | Buffer = '') =>
    typeof part === 'string' ? part : part.toString('latin1')
  for (let at = 0; at < flat.length; at += 2) headers.push([read(flat[at]), read(flat[at + 1])])
  return headers
}

type Connect = buildConnector.connector

/** A length with white space behind it, which is no part of it (RFC 9110, 5.5). */
const spacedLength = /(\r\ncontent-length:)([ \t]*\d+)([ \t]+)(?=\r\n|$)/gi

/**
 * undici takes a space behind a length for a digit, and refuses a tab: both move before the length.
 * `data` comes before a reader of the socket gets the same bytes; paused, the socket has no other.
 */
export const withReadableLengths =
  (connect: Connect): Connect =>
  (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error) return done(error, null)
      socket.pause().on('data', (bytes: Buffer) => {
        const text = bytes.toString('latin1')
        // A body is left as it is.
        const [head = ''] = text.startsWith('HTTP/') ? text.split('\r\n\r\n', 1) : []
        for (const { index, 1: name, 2: length, 3: space } of head.matchAll(spacedLength)) {
          bytes.write(`${name}${space}${length}`, index)
        }
      })
      done(null, socket)
    })

/**
 * Holds each connection until all that are being opened are open, so that requests sent at the same
 * time leave at the same time, and not each when its own connection is ready.
 */
const openTogether = (connect: Connect): Connect => {
  let opening = 0
  let held: (() => void)[] = []
  return (options, done) => {
    opening += 1
    connect(options, (...[error, socket]) => {
      held.push(() => {
        if (error) done(error, null)
        // undici would wait forever for a closed socket.
        else if (socket.destroyed) done(new WireError({ noResponse: 'reset' }), null)
        else done(null, socket)
      })
      opening -= 1
      if (opening > 0) return
      const ready = held
      held = []
      for (const go of ready) go()
    })
  }
}

const closedInHandshake = new WireError({ noResponse: 'tls', why: 'it closed the connection' })

/** Connects to the target itself, or through a proxy in a tunnel. */
const connectTo = (to: Destination): Connect => {
  const { origin, reach, timeoutMs: timeout, signal } = to
  const isSecure = origin.protocol === 'https:'
  const tls = isSecure ? { signal, ...tlsOptions(reach) } : {}
  const connect = buildConnector({ timeout, allowH2: false, ...lookupFor(origin), ...tls })
  const proxy = reach.proxyOf(origin)
  if (proxy === null && !isSecure) return connect
  return (options, done) => {
    // With some error codes of TLS undici would retry without end.
    const fail = (error: unknown) => done(new WireError(readWireFault(error)), null)
    const secure = (httpSocket?: Socket) =>
      connect({ ...options, ...(httpSocket && { httpSocket }) }, (...[error, socket]) => {
        if (!error) done(null, socket)
        else fail(readWireFault(error).noResponse === 'reset' ? closedInHandshake : error)
      })
    if (proxy === null) secure()
    else openTunnel(proxy, to).then(isSecure ? secure : (socket) => done(null, socket), fail)
  }
}

/**
 * Sends a request, and reads its response: of a body beyond 1 MiB no more, but up to 16 MiB whether
 * it ends.
 * @param over aborted when the run ends: the request has timed out then, as after `leftMs`
 * @returns rejects with what `readWireFault` understands
 */
const receive = (pool: Pool, sent: Dispatcher.DispatchOptions, over: AbortSignal, leftMs: number) =>
  new Promise<ReceivedResponse>((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    let head: Pick<ReceivedResponse, 'status' | 'headers'> = { status: 0, headers: [] }
    let started: Dispatcher.DispatchController | undefined
    let isStopped = false
    const stop = () => {
      isStopped = true
      started?.abort(timedOut)
    }
    const timer = setTimeout(stop, leftMs)
    over.addEventListener('abort', stop)
    const end = () => {
      clearTimeout(timer)
      over.removeEventListener('abort', stop)
    }
    const read = () => {
      end()
      resolve({ ...head, bytes: Buffer.concat(chunks), cut: length > maxBodyBytes })
    }
    pool.dispatch(sent, {
      onRequestStart: (controller) => {
        started = controller
        if (isStopped) controller.abort(timedOut)
      },
      onResponseStart: ({ rawHeaders }, status) => {
        head = { status, headers: pairs(rawHeaders as Buffer[]) }
      },
      onResponseData: (controller, chunk) => {
        if (length <= maxBodyBytes) chunks.push(chunk)
        length += chunk.length
        if (length > maxEndBytes) controller.abort(endless)
      },
      onResponseEnd: read,
      onResponseError: (_, error) => {
        end()
        reject(error)
      },
    })
  })

/** @returns `send` rejects with what `readWireFault` understands, or an own fault (`isOwnFault`) */
export const createHttp1 = (to: Destination) => {
  const { origin, timeoutMs, signal } = to
  const connect = withReadableLengths(connectTo(to))
  const open = (kind: Connection) => {
    const pool = new Pool(origin.origin, {
      ...{ pipelining: 1, maxHeaderSize: 64 * 1024, allowH2: false },
      connections: sizes[kind],
      connect: kind === 'separate' ? openTogether(connect) : connect,
      headersTimeout: 2 * timeoutMs,
      bodyTimeout: 2 * timeoutMs,
    })
    const counted = { pool, opened: 0 }
    pool.on('connect', () => {
      counted.opened += 1
    })
    return counted
  }
  const pools = new Map<Connection, ReturnType<typeof open>>()

  const send = async (request: WireRequest, leftMs: number): Promise<ReceivedResponse> => {
    const { connection: kind, method, path } = request
    const used = pools.get(kind) ?? open(kind)
    let isOver = kind === 'fresh'
    if (!isOver) pools.set(kind, used)
    const before = used.opened
    try {
      const sent = { path, method: method as 'GET', ...outgoing(request) }
      const received = await receive(used.pool, sent, signal, leftMs)
      return { ...received, ...(used.opened > before && { opened: true }) }
    } catch (error) {
      // A pool that has refused a request accepts no other one any more.
      isOver ||= isOwnFault(error)
      throw error
    } finally {
      if (isOver && pools.get(kind) === used) pools.delete(kind)
      if (isOver) await used.pool.destroy()
    }
  }

  const close = async () => {
    await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
  }
  return { send, close }
}
