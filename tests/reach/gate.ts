// A TLS door before a server of plain HTTP, as a proxy of production stands there: over HTTP/2 or
// HTTP/1.1, with or without a client certificate, and with faults of its own.
import { type RequestListener, request as requestPlain } from 'node:http'
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import { certificate } from '../hostile/certificates.ts'

export interface GateOptions {
  /** The origin that stands behind it. */
  readonly origin: string
  /** Whether it offers HTTP/2 beside HTTP/1.1. */
  readonly http2: boolean
  readonly tls?: Partial<TlsOptions>
  /** Told of each request before it goes on; true: it was dealt with. */
  readonly instead?: (request: Http2ServerRequest, response: Http2ServerResponse) => boolean
}

export interface Gate {
  readonly origin: string
  /** The certificate that vouches for it. */
  readonly ca: string
  readonly port: number
  /** The version of HTTP of each request. */
  readonly versions: readonly string[]
  readonly connections: () => number
  readonly sessions: ReadonlySet<ServerHttp2Session>
}

/** What belongs to the connection on the other side. */
const ofConnection = /^(?::.*|connection|keep-alive|transfer-encoding|host)$/i

const linesOf = (flat: readonly string[]): [string, string][] =>
  Array.from({ length: flat.length / 2 }, (_, i): [string, string] => [
    flat[2 * i] ?? '',
    flat[2 * i + 1] ?? '',
  ]).filter(([name]) => !ofConnection.test(name))

const joined = (lines: readonly [string, string][]): Record<string, string[]> => {
  const values: Record<string, string[]> = {}
  for (const [name, value] of lines) values[name] = [...(values[name] ?? []), value]
  return values
}

const passOn = (origin: string, asked: Http2ServerRequest, response: Http2ServerResponse) => {
  const { host } = new URL(origin)
  const headers = ['Host', host, ...linesOf(asked.rawHeaders).flat()]
  const sent = requestPlain(origin, { method: asked.method, path: asked.url, headers })
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 500, joined(linesOf(answer.rawHeaders)))
    answer.pipe(response)
  })
  sent.on('error', () => response.stream?.close())
  asked.pipe(sent)
}

export const openGate = async (options: GateOptions): Promise<Gate> => {
  const { origin, http2, tls = {}, instead } = options
  const pem = await certificate({ names: ['127.0.0.1', 'localhost', 'api.test'], days: [-1, 1] })
  const versions: string[] = []
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<Socket>()
  const settings = {
    ...pem,
    allowHTTP1: true,
    strictSingleValueFields: false,
    ...tls,
  }
  const hear = (asked: Http2ServerRequest, response: Http2ServerResponse) => {
    versions.push(asked.httpVersion)
    asked.on('error', () => {})
    response.on('error', () => {})
    if (!instead?.(asked, response)) passOn(origin, asked, response)
  }
  const server = http2
    ? createSecureServer(settings, hear)
    : createHttpsServer(settings, hear as unknown as RequestListener)
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.on('error', () => {})
    session.on('close', () => sessions.delete(session))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const at = `https://127.0.0.1:${port}`
  return { origin: at, ca: pem.cert, port, versions, connections: () => connections, sessions }
}
