// Small servers on loopback that handle each request exactly as a test wants.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { atTestEnd } from './at-test-end.ts'

/** One request as it came. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query, raw. */
  readonly path: string
  readonly key: string | null
  /** The number of its connection, from 1. */
  readonly connection: number
}

export interface RawAnswer {
  readonly status: number
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
}

/** A response, a connection that is closed without one, or nothing at all. */
export type Act = RawAnswer | 'drop' | 'silence'

export interface RawServer {
  readonly origin: string
  readonly heard: readonly ReceivedRequest[]
  readonly connections: () => number
  readonly close: () => Promise<void>
}

const host = '127.0.0.1'

const listen = async (server: Server, scheme: string, heard: ReceivedRequest[]) => {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  const { port } = server.address() as AddressInfo
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((done) => server.close(() => done()))
  }
  const connections = () => sockets.length
  return { origin: `${scheme}://${host}:${port}`, heard, connections, close }
}

const perform = (act: Act, response: ServerResponse) => {
  if (act === 'silence') return
  if (act === 'drop') {
    response.socket?.destroy()
    return
  }
  const { status, headers = [], body = '' } = act
  response.writeHead(status, headers.flat())
  response.end(body)
}

const keyIn = (request: IncomingMessage): string | null =>
  /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null

/** @param act called for each request, with how many came before it */
const listener = (
  heard: ReceivedRequest[],
  act: (request: ReceivedRequest, before: number) => Act,
) => {
  const sockets = new Map<Socket, number>()
  return (request: IncomingMessage, response: ServerResponse) => {
    const connection = sockets.get(request.socket) ?? sockets.size + 1
    sockets.set(request.socket, connection)
    const { method = '', url: path = '' } = request
    const one = { method, path, key: keyIn(request), connection }
    heard.push(one)
    perform(act(one, heard.length - 1), response)
  }
}

export const serveActs = (
  act: (request: ReceivedRequest, before: number) => Act,
): Promise<RawServer> => {
  const heard: ReceivedRequest[] = []
  return listen(createHttpServer(listener(heard, act)), 'http', heard)
}

/** Serves acts over TLS, with a self-signed certificate. */
export const serveActsOverTls = (
  pem: TlsOptions,
  act: (request: ReceivedRequest, before: number) => Act,
): Promise<RawServer> => {
  const heard: ReceivedRequest[] = []
  return listen(createHttpsServer(pem, listener(heard, act)), 'https', heard)
}

/** A server of bytes. */
export const serveBytes = (connected: (socket: Socket) => void): Promise<RawServer> =>
  listen(createServer(connected), 'http', [])

/** Stopped after the test. */
export const opened = async (server: Promise<RawServer>): Promise<RawServer> => {
  const ready = await server
  atTestEnd(ready.close)
  return ready
}

/** Starts any server. @returns its origin */
export const listening = async (server: Server): Promise<string> =>
  (await opened(listen(server, 'http', []))).origin

/** Handles requests until the test ends. @returns the origin */
export const serveWith = (handle: RequestListener): Promise<string> =>
  listening(createHttpServer(handle))

/** An address on which nothing listens. */
export const closedOrigin = async (): Promise<string> => {
  const { origin, close } = await serveBytes(() => {})
  await close()
  return origin
}

/** A port that nobody has right now, for a program that has to be given one. */
export const freePort = async (): Promise<number> => Number(new URL(await closedOrigin()).port)
