// A test clock on loopback, valid or with a fault that a test injects.

import { clockPath, handleClock, testClock } from '../reference/clock.ts'
import type { ApiResponse } from '../reference/message.ts'
import { serveWith } from './raw-server.ts'

/** How it handles a request; `respond` calls the valid clock, and may be left out. */
type ClockAct = (method: string, respond: () => ApiResponse) => ApiResponse | 'silence'

const startMs = Date.UTC(2026, 10, 20, 12)

/** Stopped after the test. */
export const serveClock = async (act: ClockAct) => {
  const door = handleClock(testClock(startMs, () => performance.now()))
  let requests = 0
  const origin = await serveWith(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = '', url: target = '' } = request
    requests += 1
    const apiCall = { method, target, header: () => undefined, body, connection: request.socket }
    const result = act(method, () => door(apiCall) as ApiResponse)
    if (result === 'silence') return
    response.writeHead(result.status, result.headers).end(result.body)
  })
  return { url: `${origin}${clockPath}`, requests: () => requests }
}
