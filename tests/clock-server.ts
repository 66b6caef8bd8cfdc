// A test clock on loopback, sound or with a fault that a test gives it.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clockPath, handleClock, testClock } from '../reference/clock.ts'
import type { ApiResponse } from '../reference/message.ts'

/** What it does to a request; `sound` is what the clock itself does, and may be left out. */
type ClockAct = (method: string, sound: () => ApiResponse) => ApiResponse | 'silence' | 'drop'

const startMs = Date.UTC(2026, 10, 20, 12)
const host = '127.0.0.1'

export const serveClock = async (
  act: ClockAct,
): Promise<{ url: string; asked: () => number; close: () => Promise<void> }> => {
  const door = handleClock(testClock(startMs, () => performance.now()))
  let asked = 0
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = '', url: target = '' } = request
    asked += 1
    const question = { method, target, header: () => undefined, body, connection: request.socket }
    const answer = act(method, () => door(question) as ApiResponse)
    if (answer === 'drop') request.socket.destroy()
    if (typeof answer === 'string') return
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((done) => server.close(() => done()))
  }
  return { url: `http://${host}:${port}${clockPath}`, asked: () => asked, close }
}
