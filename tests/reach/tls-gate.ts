// A TLS gate in front of a plain HTTP server, like a reverse proxy in production: with or without
// a client certificate.
import { type IncomingMessage, request as requestPlain, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { TlsOptions } from 'node:tls'
import { certificate } from '../hostile/certificate-servers.ts'
import { listening } from '../raw-server.ts'

interface GateOptions {
  /** The origin behind it. */
  readonly origin: string
  readonly tls?: Partial<TlsOptions>
}

interface Gate {
  readonly origin: string
  /** The certificate of its CA. */
  readonly ca: string
  readonly port: string
  readonly received: () => number
}

const passOn = (origin: string, incoming: IncomingMessage, response: ServerResponse) => {
  const headers = incoming.rawHeaders
  const sent = requestPlain(origin, { method: incoming.method, path: incoming.url, headers })
  sent.on('response', (received) => {
    response.writeHead(received.statusCode ?? 500, received.rawHeaders)
    received.pipe(response)
  })
  sent.on('error', () => response.destroy())
  incoming.pipe(sent)
}

export const openGate = async ({ origin, tls = {} }: GateOptions): Promise<Gate> => {
  const pem = await certificate({ names: ['127.0.0.1', 'localhost', 'api.test'], days: [-1, 1] })
  let received = 0
  const server = createServer({ ...pem, ...tls }, (incoming, response) => {
    received += 1
    passOn(origin, incoming, response)
  })
  server.on('tlsClientError', () => {})
  const { host, port } = new URL(await listening(server))
  return { origin: `https://${host}`, ca: pem.cert, port, received: () => received }
}
