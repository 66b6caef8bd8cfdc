// The gate between autocannon and the target: a server on a local socket that takes each request
// of autocannon, so that autocannon holds no key and verifies no certificate.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Answers a request of autocannon. @param status the target's, or `lostStatus` */
export type Reply = (status: number) => void

/** Stands for a request without a whole response; it is not counted as the target's. */
export const lostStatus = 599

/** A connection that autocannon opens anew may come before the end of the former one. */
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
 * @param carry takes a request; while it gives no reply, that connection sends nothing more
 */
export const openGate = async (connections: number, carry: (reply: Reply) => void) => {
  // Replies are held as long as the target takes, which has a limit of its own.
  const server = createServer({ maxHeaderSize: 4_096, keepAliveTimeout: 0 })
  server.maxConnections = connections + spareConnections
  server.on('request', (_request, response) => {
    response.sendDate = false
    carry((status) => {
      const isFinal = status >= 200 && status <= 599
      response.writeHead(isFinal ? status : lostStatus, { 'Content-Length': 0 }).end()
    })
  })
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
  return { socketPath: place.path, close }
}
