// Time that a test moves: the Date of this process, the counters in Redis, and the door to both.
import { createServer, type Server } from 'node:http'
import { createClient } from 'redis'
import { handleClock, type TestClock, testClock } from '../../reference/clock.ts'
import { receive, send } from '../../reference/socket.ts'

const dayMs = 86_400_000

/**
 * All code in this process that reads the time gets the clock's, as libraries have no other. It
 * starts at noon, so that what is judged does not depend on how near midnight a test runs.
 */
export const moveDate = (): TestClock => {
  const noon = Date.now() - (Date.now() % dayMs) + dayMs / 2
  const clock = testClock(noon, () => performance.now())
  globalThis.Date = new Proxy(Date, {
    construct: (real, given, newTarget) =>
      Reflect.construct(real, given.length === 0 ? [clock.now()] : given, newTarget),
    get: (real, name) => (name === 'now' ? clock.now : Reflect.get(real, name)),
  })
  return clock
}

/** Brings the end of every counter nearer: Redis has its own time. */
const nearer = `
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local left = redis.call('PTTL', key) - tonumber(ARGV[1])
    if left > 0 then redis.call('PEXPIRE', key, left) else redis.call('DEL', key) end
  end`

const redisMover = async (path: string): Promise<(ms: number) => Promise<unknown>> => {
  const client = createClient({ socket: { path, tls: false } })
  await client.connect()
  return (ms) => client.eval(nearer, { arguments: [String(ms)] })
}

/** The test clock's address; it responds when all counters have moved. */
export const serveClock = async (clock: TestClock, redisSocket: string): Promise<Server> => {
  const door = handleClock(clock)
  const moveRedis = redisSocket === '' ? () => Promise.resolve() : await redisMover(redisSocket)
  return createServer((message, response) => {
    receive(message, 1_024, async (request) => {
      const beforeMs = clock.now()
      const sent = await door(request)
      if (request.method === 'POST') await moveRedis(clock.now() - beforeMs)
      send(response, sent, false)
    })
  })
}
