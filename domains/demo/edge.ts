// The edge of the platform on loopback: HTTPS with a certificate per name, and plain HTTP.
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { plainName } from '../rules/dns-packet.ts'
import type { Credentials } from './authority.ts'

export interface EdgeRequest {
  readonly scheme: 'http' | 'https'
  readonly method: string
  /** From the Host header, without its port. */
  readonly host: string
  /** The name that the TLS handshake asked for; null without one. */
  readonly sni: string | null
  readonly path: string
  /** The local address that was connected to. */
  readonly address: string
  /** Whether the handshake resumed an earlier TLS session. */
  readonly resumed: boolean
  /** The same object for all requests on one connection. */
  readonly connection: object
}

export interface EdgeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Site {
  /** What is presented to a name; null: the handshake is refused. */
  readonly credentials: (sni: string, address: string) => Credentials | null
  readonly answer: (request: EdgeRequest) => EdgeAnswer
}

interface EdgeOptions {
  readonly addresses: readonly string[]
  readonly fallback: Credentials
  readonly site: Site
}

/** As long as is usual at an edge: a person takes a while to remove a domain. */
const keepAliveMs = 75_000

export const startEdge = async ({ addresses, fallback, site }: EdgeOptions) => {
  const contexts = new Map<string, SecureContext>()
  const contextOf = (credentials: Credentials): SecureContext => {
    const context = contexts.get(credentials.cert) ?? createSecureContext({ ...credentials })
    contexts.set(credentials.cert, context)
    return context
  }
  const listener =
    (scheme: 'http' | 'https') => (request: IncomingMessage, reply: ServerResponse) =>
      respond(site, scheme, request, reply)
  const secure = (address: string): Server =>
    createHttpsServer(
      {
        ...fallback,
        SNICallback: (name, done) => {
          const credentials = site.credentials(plainName(name), address)
          if (credentials) done(null, contextOf(credentials))
          else done(new Error('no such name'))
        },
      },
      listener('https'),
    )
  const plain = () => createHttpServer(listener('http'))
  const open: Server[] = []
  const listenOn = async (make: (address: string) => Server): Promise<number> => {
    let port = 0
    for (const address of addresses) {
      const server = make(address)
      server.keepAliveTimeout = keepAliveMs
      server.on('clientError', (_error, socket) => socket.destroy())
      server.listen(port, address)
      await once(server, 'listening')
      open.push(server)
      port = portOf(server)
    }
    return port
  }
  const close = async () => {
    for (const server of open) server.closeAllConnections()
    await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  try {
    return { httpsPort: await listenOn(secure), httpPort: await listenOn(plain), close }
  } catch (error) {
    await close()
    throw error
  }
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const sniOf = (socket: Socket): string | null => {
  if (!(socket instanceof TLSSocket)) return null
  const { servername } = socket as TLSSocket & { servername?: string | false }
  return servername ? plainName(servername) : null
}

const respond = (
  site: Site,
  scheme: 'http' | 'https',
  request: IncomingMessage,
  reply: ServerResponse,
): void => {
  const { socket, headers, method = 'GET', url = '/' } = request
  const answer = site.answer({
    scheme,
    method,
    host: plainName((headers.host ?? '').replace(/:\d+$/, '')),
    sni: sniOf(socket),
    path: url,
    address: socket.localAddress ?? '',
    resumed: socket instanceof TLSSocket && socket.isSessionReused(),
    connection: socket,
  })
  const type = { 'content-type': 'text/html; charset=utf-8' }
  reply.writeHead(answer.status, { ...type, ...answer.headers })
  reply.end(method === 'HEAD' ? undefined : answer.body)
}
