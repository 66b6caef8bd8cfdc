// Opens TLS connections to an origin: straight, or in a tunnel that a proxy makes. The bytes in a
// tunnel are those that were sent, so a proxy changes no judgement.
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectSecure, type TLSSocket } from 'node:tls'
import { noAnswerWords } from '../outcome.ts'
import type { HttpProxy, Reach } from './reach.ts'
import { tlsOptionsOf } from './reach.ts'
import { faultOf, WireError } from './wire-faults.ts'

export type OpenSocket = () => Promise<TLSSocket>

export interface SocketOptions {
  readonly origin: URL
  readonly reach: Reach
  readonly timeoutMs: number
  /** Lets go of what is under way. */
  readonly signal: AbortSignal
}

/** An address in brackets stands so in a URL alone. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const portOf = ({ port }: URL): number => Number(port || 443)

const late = () => new WireError({ noAnswer: 'timeout' })

/** What a proxy means that makes no tunnel. */
export const refusedBy = ({ origin }: HttpProxy, status: number): WireError => {
  const hint = status === 407 ? ': it wants a user and password in its address' : ''
  return new WireError({ noAnswer: 'proxy', why: `${origin} answered ${status}${hint}` })
}

/** What it means that a proxy is not there, or ends the connection unasked. */
export const lostBy = ({ origin, name }: HttpProxy, error: unknown): WireError => {
  const { noAnswer, why } = faultOf(error)
  const said = why ?? noAnswerWords[noAnswer]
  return new WireError({ noAnswer: 'proxy', why: `${origin} (${name}): ${said}` })
}

/** Asks a proxy for a tunnel. */
const tunnel = (proxy: HttpProxy, { origin, reach, signal }: SocketOptions): Promise<Socket> => {
  const address = `${origin.hostname}:${portOf(origin)}`
  const isSecure = proxy.origin.startsWith('https:')
  const { authorization } = proxy
  const headers = { Host: address, ...(authorization && { 'Proxy-Authorization': authorization }) }
  const options = { method: 'CONNECT', path: address, headers, agent: false, signal }
  // The proxy is no target: it shows a good certificate, and sees no client certificate.
  const secured = tlsOptionsOf({ ...reach, identity: null, insecure: false })
  const asked = isSecure
    ? requestSecure(proxy.origin, { ...options, ...secured })
    : requestPlain(proxy.origin, options)
  return new Promise((resolve, reject) => {
    asked.on('connect', (answer, socket, head) => {
      if (answer.statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket as Socket)
        return
      }
      socket.on('error', () => {}).destroy()
      reject(refusedBy(proxy, answer.statusCode ?? 0))
    })
    asked.on('error', (error) => reject(signal.aborted ? late() : lostBy(proxy, error)))
    asked.end()
  })
}

/** Waits until the handshake is done, which found the certificate to be good. */
const secured = (socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> => {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const cut = () => {
    reject(late())
    socket.destroy()
  }
  if (signal.aborted) cut()
  signal.addEventListener('abort', cut, { once: true })
  socket.once('secureConnect', () => resolve(socket))
  socket.once('error', reject)
  const closed = new WireError({ noAnswer: 'tls', why: 'it closed the connection' })
  socket.once('close', () => reject(closed))
  return promise.finally(() => signal.removeEventListener('abort', cut))
}

/** Opens connections, and resumes their sessions. @throws WireError, or an error of the system */
export const createOpener = (options: SocketOptions): OpenSocket => {
  const { origin, reach, timeoutMs } = options
  const host = bare(origin.hostname)
  const trust = tlsOptionsOf(reach)
  let session: Buffer | undefined

  return async () => {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)])
    const proxy = reach.proxyOf(origin)
    const under = proxy === null ? undefined : await tunnel(proxy, { ...options, signal })
    const socket = connectSecure({
      ...(under ? { socket: under } : { host, port: portOf(origin) }),
      ...(isIP(host) === 0 && { servername: host }),
      ...trust,
      ...(session && { session }),
      ALPNProtocols: ['http/1.1'],
    })
    socket.on('session', (next) => {
      session = next
    })
    await secured(socket, signal)
    return socket.setNoDelay(true).setKeepAlive(true, 60_000)
  }
}
