// A test clock on loopback, valid or with a fault that a test injects.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clockPath, handleClock, testClock } from '../reference/clock.ts'
import type { ApiResponse } from '../reference/message.ts'

/** How it handles a request; `respond` calls the valid clock, and may be left out. */
type ClockAct = (method: string, respond: () => ApiResponse) => ApiResponse | 'silence' | 'drop'

const startMs = Date.UTC(2026, 10, 20, 12)
const host = '127.0.0.1'

export const serveClock = async (
  act: ClockAct,
): Promise<{ url: string; requests: () => number; close: () => Promise<void> }> => {
  const door = handleClock(testClock(startMs, () => performance.now()))
  let requests = 0
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = '', url: target = '' } = request
    requests += 1
    const apiCall = { method, target, header: () => undefined, body, connection: request.socket }
    const result = act(method, () => door(apiCall) as ApiResponse)
    if (result === 'drop') request.socket.destroy()
    if (typeof result === 'string') return
    response.writeHead(result.status, result.headers).end(result.body)
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((done) => server.close(() => done()))
  }
  return { url: `http://${host}:${port}${clockPath}`, requests: () => requests, close }
}
