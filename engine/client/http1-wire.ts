// HTTP/1.1 to one origin, and the door of undici. No redirect is followed.
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { buildConnector, Pool } from 'undici'
import type { Header, ReceivedResponse } from '../exchange.ts'
import { lostBy, type OpenSocket, refusedBy } from './open-socket.ts'
import type { HttpProxy } from './reach.ts'
import { readBytes } from './read-body.ts'
import { createReadySockets } from './ready-sockets.ts'
import { faultOf, isOwnFault, WireError } from './wire-faults.ts'
import type { WireRequest } from './wire-request.ts'

/** Connections at most for requests that are sent at the same time. */
export const connectionsMost = 64

export interface Http1Wire {
  /** @throws what `faultOf` understands; an own fault where it cannot be sent */
  readonly send: (request: WireRequest, signal: AbortSignal) => Promise<ReceivedResponse>
  readonly close: () => Promise<void>
}

interface Http1Options {
  readonly origin: URL
  readonly timeoutMs: number
  /** How connections are secured; null: the origin is plain http. */
  readonly open: OpenSocket | null
  /** The proxy that plain http is sent to. */
  readonly proxy: HttpProxy | null
}

/** The second part of a body comes so long after the first. */
const apartMs = 50

async function* inTwoParts(body: Buffer): AsyncGenerator<Buffer> {
  const middle = Math.ceil(body.length / 2)
  yield body.subarray(0, middle)
  await setTimeout(apartMs)
  yield body.subarray(middle)
}

/** What is sent in parts is sent chunked, unless its length is stated. */
const outgoing = ({ headers, body: sent, framing }: WireRequest) => {
  const body = sent === null ? null : Buffer.from(sent as string)
  if (body === null || framing === undefined) return { headers: headers.flat(), body }
  const length = framing === 'in two parts' ? ['Content-Length', `${body.length}`] : []
  return { headers: [...headers.flat(), ...length], body: Readable.from(inTwoParts(body)) }
}

const pairs = (flat: readonly (Buffer | string)[]): Header[] => {
  const text = (part: Buffer | string | undefined) =>
    typeof part === 'string' ? part : Buffer.from(part ?? '').toString('latin1')
  return Array.from({ length: flat.length / 2 }, (_, i) => [
    text(flat[2 * i]),
    text(flat[2 * i + 1]),
  ])
}

type ConnectOptions = buildConnector.Options
type Connect = (options: ConnectOptions, done: buildConnector.Callback) => void

/** To where plain http is sent. */
const connectPlain = (timeoutMs: number, proxy: HttpProxy | null): Connect => {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false })
  if (proxy === null) return connect
  return (options, done) => {
    connect(options, (...[error, socket]) => {
      if (error) done(lostBy(proxy, error), null)
      else done(null, socket)
    })
  }
}

const connectBy = (open: OpenSocket): Connect => {
  return (_options, done) => {
    open().then(
      (socket) => done(null, socket),
      // With some codes of TLS undici would try for ever.
      (error) => done(new WireError(faultOf(error)), null),
    )
  }
}

/** Before the head is whole undici says this of all that it cannot read from Content-Length on. */
const unlessInHead = (error: NodeJS.ErrnoException): never => {
  if (error.code !== 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') throw error
  const why = 'undici cannot read its head, from Content-Length on'
  throw new WireError({ noAnswer: 'unread', why })
}

/** Whether an answer is the proxy's own, about a target that it does not reach. */
const isOfProxy = (status: number, headers: readonly Header[]): boolean =>
  [407, 502, 504].includes(status) ||
  headers.some(
    ([name, value]) =>
      /^x-squid-error$/i.test(name) || (/^proxy-status$/i.test(name) && /error=/.test(value)),
  )

/** What is asked of a proxy has the whole address, and no other credentials than ours. */
const asProxied = (
  request: WireRequest,
  origin: URL,
  { authorization }: HttpProxy,
): WireRequest => {
  if (request.headers.some(([name]) => /^proxy-/i.test(name))) {
    const why = 'a header that begins with Proxy- would not come through'
    throw new WireError({ noAnswer: 'proxy', why })
  }
  const credentials: Header[] =
    authorization === null ? [] : [['Proxy-Authorization', authorization]]
  return {
    ...request,
    path: `${origin.origin}${request.path}`,
    headers: [['Host', origin.host], ...credentials, ...request.headers],
  }
}

const connectOptions = (at: string): ConnectOptions => {
  const { protocol, hostname, host, port } = new URL(at)
  const usual = protocol === 'https:' ? '443' : '80'
  return { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port: port || usual }
}

export const createHttp1 = ({ origin, timeoutMs, open, proxy }: Http1Options): Http1Wire => {
  const at = proxy === null ? origin.origin : proxy.origin
  let opened = 0
  const connect = open === null ? connectPlain(timeoutMs, proxy) : connectBy(open)
  const counted: Connect = (options, done) => {
    opened += 1
    connect(options, done)
  }
  const ready = createReadySockets(counted, connectOptions(at), (): number => pools.own.stats.free)
  const settings = {
    pipelining: 1,
    maxHeaderSize: 64 * 1024,
    allowH2: false,
    headersTimeout: 2 * timeoutMs,
    bodyTimeout: 2 * timeoutMs,
  }
  const kinds = {
    one: { ...settings, connections: 1, connect: counted },
    own: { ...settings, connections: connectionsMost, connect: ready.connect },
  }
  const pool = (which: keyof typeof kinds): Pool => new Pool(at, kinds[which])
  const pools: Record<keyof typeof kinds, Pool> = { one: pool('one'), own: pool('own') }

  /** A pool that has refused a request takes no other one any more. */
  const renew = async (which: keyof typeof pools) => {
    const spoilt = pools[which]
    pools[which] = pool(which)
    await spoilt.destroy()
  }

  const sendOn = async (
    request: WireRequest,
    lane: Pool,
    signal: AbortSignal,
  ): Promise<ReceivedResponse> => {
    const before = opened
    const sent = { path: request.path, method: request.method as 'GET', ...outgoing(request) }
    const { statusCode, headers, body } = await lane
      .request({ ...sent, responseHeaders: 'raw', signal })
      .catch(unlessInHead)
    const [bytes, cut] = await readBytes(body)
    const raw = pairs(headers as unknown as Buffer[])
    if (proxy !== null && isOfProxy(statusCode, raw)) throw refusedBy(proxy, statusCode)
    const isOpened = opened > before
    return { status: statusCode, headers: raw, bytes, cut, ...(isOpened && { opened: true }) }
  }

  const sendFresh = async (request: WireRequest, signal: AbortSignal) => {
    const lane = pool('one')
    try {
      return await sendOn(request, lane, signal)
    } finally {
      await lane.destroy()
    }
  }

  const send = async (asked: WireRequest, signal: AbortSignal): Promise<ReceivedResponse> => {
    const request = proxy === null ? asked : asProxied(asked, origin, proxy)
    if (request.fresh) return sendFresh(request, signal)
    if (request.connection === 'own') await ready.together()
    try {
      return await sendOn(request, pools[request.connection], signal)
    } catch (error) {
      if (isOwnFault(error)) await renew(request.connection)
      throw error
    }
  }

  const close = async () => {
    ready.close()
    await Promise.all([pools.one.destroy(), pools.own.destroy()])
  }
  return { send, close }
}
