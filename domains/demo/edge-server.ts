// The edge of the platform on loopback: HTTPS with a certificate per name, and plain HTTP.
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext, TLSSocket, type TlsOptions } from 'node:tls'
import { plainName } from '../rules/dns-records.ts'
import type { Credentials } from './authority.ts'

export type EdgeRequest = ReturnType<typeof requestOf>

export interface EdgeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface EdgeOptions {
  readonly addresses: readonly string[]
  readonly fallback: Credentials
  /** What is presented to a name; null: the handshake is refused. */
  readonly credentials: (sni: string, address: string) => Credentials | null
  readonly respond: (request: EdgeRequest) => EdgeResponse
}

/** As long as is usual at an edge: a person takes a while to remove a domain. */
const keepAliveMs = 75_000

const requestOf = ({ socket, headers, method = 'GET', url = '/' }: IncomingMessage) => {
  const isSecure = socket instanceof TLSSocket
  const sni = (socket as { servername?: string | false }).servername
  const scheme: 'http' | 'https' = isSecure ? 'https' : 'http'
  return {
    ...{ scheme, method, path: url, host: plainName((headers.host ?? '').replace(/:\d+$/, '')) },
    /** The name in the TLS handshake; null without one. */
    sni: sni ? plainName(sni) : null,
    address: socket.localAddress ?? '',
    resumed: isSecure && socket.isSessionReused(),
    /** One object for all requests on one connection. */
    connection: socket as object,
  }
}

export const startEdge = async ({ addresses, fallback, credentials, respond }: EdgeOptions) => {
  const listener: RequestListener = (request, reply) => {
    const { status, headers, body } = respond(requestOf(request))
    reply.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
    reply.end(request.method === 'HEAD' ? undefined : body)
  }
  const secure = (address: string): Server => {
    const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
      const given = credentials(plainName(name), address)
      if (given) done(null, createSecureContext(given))
      else done(new Error('no such name'))
    }
    return createHttpsServer({ ...fallback, SNICallback }, listener)
  }
  const open: Server[] = []
  /** One port for all addresses. */
  const listen = async (make: (address: string) => Server): Promise<number> => {
    let port = 0
    for (const address of addresses) {
      const server = make(address)
      server.keepAliveTimeout = keepAliveMs
      server.on('clientError', (_error, socket) => socket.destroy())
      server.listen(port, address)
      await once(server, 'listening')
      open.push(server)
      port = (server.address() as AddressInfo).port
    }
    return port
  }
  const close = async () => {
    for (const server of open) server.closeAllConnections()
    await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  try {
    const httpsPort = await listen(secure)
    return { httpsPort, httpPort: await listen(() => createHttpServer(listener)), close }
  } catch (error) {
    await close()
    throw error
  }
}
