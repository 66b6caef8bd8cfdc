// The socket: puts a Handle on a port, with a limit on everything that comes in.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type ApiRequest, ConnectionLost, type Handle, type WriteError } from './message.ts'
import { receive, respondToMalformed, send } from './socket.ts'

interface ServeOptions {
  handle: Handle
  /** Writes the response to what is not valid HTTP, or to a fault of ours. */
  refuse: WriteError
  /** Called with each fault of ours, which the client sees as a 500. */
  onFault: (fault: unknown) => void
  host: string
  port: number
  limits: ServeLimits
}

type ServeLimits = typeof usualLimits

export const usualLimits = {
  bodyBytes: 1_048_576,
  /** The request line and the headers together. */
  headerBytes: 32_768,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 30_000,
  connections: 1_024,
  /** How long a close waits for what is in flight. */
  closeMs: 10_000,
}

export interface Served {
  url: string
  received: () => number
  close: () => Promise<void>
}

export const serve = async (options: ServeOptions): Promise<Served> => {
  const { limits } = options
  const latest = new WeakMap<object, ServerResponse>()
  const state = { closing: false, received: 0 }
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    state.received += 1
    latest.set(message.socket, response)
    receive(message, limits.bodyBytes, (request) => {
      const isWhole = message.httpVersion !== '1.1' || request.header('host') !== undefined
      if (isWhole) void respond(request, response, options, state)
      else send(response, options.refuse(400, 'bad_request', 'The Host header is missing.'), true)
    })
  }
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      requireHostHeader: false,
    },
    listener,
  )
  server.maxConnections = limits.connections
  // Node silently drops headers beyond a count, a key among them; their bytes are limited anyway.
  server.maxHeadersCount = 0
  server.on('checkExpectation', listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  respondToMalformed(server, options.refuse, latest)
  await once(server.listen(options.port, options.host), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host}:${port}`,
    received: () => state.received,
    close: () => {
      state.closing = true
      return close(server, sockets, limits.closeMs)
    },
  }
}

const respond = async (
  request: ApiRequest,
  response: ServerResponse,
  { handle, refuse, onFault }: ServeOptions,
  state: { closing: boolean },
): Promise<void> => {
  try {
    send(response, await handle(request), state.closing)
  } catch (fault) {
    if (fault instanceof ConnectionLost) response.destroy()
    else {
      onFault(fault)
      send(response, refuse(500, 'internal', 'The service failed.'), true)
    }
  }
}

/** Idle connections end at once, busy ones after their response, the rest when the time is up. */
const close = (server: Server, sockets: Iterable<Socket>, waitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), waitMs)
    server.close(() => {
      clearTimeout(deadline)
      resolve()
    })
    // One that never sent anything does not count as idle to Node.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
