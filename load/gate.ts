// The gate between autocannon and the target: a server on a local socket that takes each request
// of an autocannon connection, so that autocannon holds no key and verifies no certificate.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Answers a request of autocannon. @param status the target's, or `lostStatus` */
export type Reply = (status: number) => void

export interface Gate {
  readonly socketPath: string
  /** What the first request of a connection has to carry. */
  readonly headers: Readonly<Record<string, string>>
  readonly close: () => void
}

/** Stands for a request without a whole response; it is not counted as the target's. */
export const lostStatus = 599

const tokenHeader = 'x-petvet-gate'
/** Connections besides those of autocannon, which are refused for want of the token. */
const spareConnections = 8
/** A path of a socket may have 103 bytes on macOS. */
const maxRootLength = 60

/** A folder that only this user can enter; a pipe of Windows has no place in one. */
const makePlace = (): { readonly path: string; readonly remove: () => void } => {
  const name = randomBytes(12).toString('hex')
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\petvet-${name}`, remove: () => {} }
  const root = tmpdir().length <= maxRootLength ? tmpdir() : '/tmp'
  const folder = mkdtempSync(join(root, 'petvet-gate-'))
  return {
    path: join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * Opens a gate for one load.
 * @param connections how many autocannon opens
 * @param carry takes a request of the connection at this position, counted from 0; while it gives
 * no reply, that connection sends nothing more
 */
export const openGate = async (
  connections: number,
  carry: (position: number, reply: Reply) => void,
): Promise<Gate> => {
  const token = randomBytes(24).toString('hex')
  const expected = Buffer.from(token)
  const isOurs = ({ headers }: IncomingMessage): boolean => {
    const sent = Buffer.from(String(headers[tokenHeader] ?? ''))
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  }
  const positions = new WeakMap<Socket, number>()
  let known = 0
  /** The position of a connection whose first request carries the token; else undefined. */
  const positionOf = (request: IncomingMessage): number | undefined => {
    const position = positions.get(request.socket)
    if (position !== undefined) return position
    if (!isOurs(request)) return undefined
    positions.set(request.socket, known % connections)
    known += 1
    return positions.get(request.socket)
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.sendDate = false
    const position = positionOf(request)
    if (position === undefined) {
      response.writeHead(403, { Connection: 'close', 'Content-Length': 0 }).end()
      return
    }
    carry(position, (status) => {
      const isFinal = status >= 200 && status <= 599
      response.writeHead(isFinal ? status : lostStatus, { 'Content-Length': 0 }).end()
    })
  }
  // Replies are held as long as the target takes, which has a limit of its own.
  const server = createServer({ maxHeaderSize: 4_096, keepAliveTimeout: 0 }, answer)
  server.maxConnections = connections + spareConnections
  const place = makePlace()
  process.once('exit', place.remove)
  const close = (): void => {
    server.close()
    server.closeAllConnections()
    place.remove()
    process.off('exit', place.remove)
  }
  try {
    server.listen(place.path)
    await once(server, 'listening')
  } catch (error) {
    close()
    throw error
  }
  return { socketPath: place.path, headers: { [tokenHeader]: token }, close }
}
