// The connections of HTTP/2: one for requests after another, and others beside it.

import type { ReceivedResponse } from '../exchange.ts'
import { connectionsMost } from './http1-wire.ts'
import { Http1Required, type Http2Connection, openHttp2 } from './http2-wire.ts'
import type { OpenSocket } from './open-socket.ts'
import { WireError } from './wire-faults.ts'
import type { WireRequest } from './wire-request.ts'

export interface Http2Pool {
  /** @throws Http1Required where the target does not offer it; what `faultOf` understands */
  readonly send: (request: WireRequest, signal: AbortSignal) => Promise<ReceivedResponse>
  readonly close: () => void
}

/** Lets so many go on at the same time; the others wait in turn. */
const createDoor = (most: number) => {
  const waiting: (() => void)[] = []
  let inside = 0
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (inside < most) {
      inside += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const cut = () => {
      waiting.splice(waiting.indexOf(resolve), 1)
      reject(new WireError({ noAnswer: 'timeout' }))
    }
    waiting.push(resolve)
    signal.addEventListener('abort', cut, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', cut))
  }
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else inside -= 1
  }
  return { enter, leave }
}

/** Connections that bear one request at a time. */
const createLane = (origin: URL, open: OpenSocket, most: number): Http2Pool => {
  const door = createDoor(most)
  const all = new Set<Http2Connection>()
  const idle: Http2Connection[] = []

  const drop = (connection: Http2Connection) => {
    all.delete(connection)
    connection.close()
  }

  const reuse = (): Http2Connection | undefined => {
    for (let each = idle.pop(); each; each = idle.pop()) {
      if (each.isUsable()) return each
      drop(each)
    }
    return undefined
  }

  const add = async (): Promise<Http2Connection> => {
    const socket = await open(['h2', 'http/1.1'])
    if (socket.alpnProtocol !== 'h2') {
      socket.on('error', () => {}).destroy()
      throw new Http1Required()
    }
    const connection = openHttp2(origin, socket)
    all.add(connection)
    return connection
  }

  const send = async (request: WireRequest, signal: AbortSignal): Promise<ReceivedResponse> => {
    await door.enter(signal)
    try {
      const used = request.fresh ? undefined : reuse()
      const connection = used ?? (await add())
      try {
        const response = await connection.send(request, signal)
        return used ? response : { ...response, opened: true }
      } finally {
        if (connection.isUsable() && !request.fresh) idle.push(connection)
        else drop(connection)
      }
    } finally {
      door.leave()
    }
  }

  const close = () => {
    idle.splice(0)
    for (const each of all) drop(each)
  }
  return { send, close }
}

export const createHttp2Pool = (origin: URL, open: OpenSocket): Http2Pool => {
  const one = createLane(origin, open, 1)
  const own = createLane(origin, open, connectionsMost)
  return {
    send: (request, signal) => (request.connection === 'one' ? one : own).send(request, signal),
    close: () => {
      one.close()
      own.close()
    },
  }
}
