// The driver: every request that is put on the wire is accounted for, whatever the server does.
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { driven, ok, opened, plain, serving, statuses, targetAt } from '../tests/drive.ts'
import { type Act, serveBytes } from '../tests/raw-server.ts'
import type { Sample } from './connection.ts'
import { drive } from './driver.ts'

describe('an amount', () => {
  test.for([1, 5, 23, 200])('is exact from %i connections', async (connections) => {
    const server = await serving(() => ok)
    const { sent, answered, neverSent, ended } = await driven(server.origin, { connections })
    expect([sent, answered, neverSent, ended]).toEqual([23, 23, 0, 'done'])
    expect(server.heard).toHaveLength(23)
    expect(server.connections()).toBe(Math.min(connections, 23))
  })

  test('is sent with its key', async () => {
    const server = await serving(() => ok)
    const { all } = await driven(server.origin)
    expect(new Set(server.heard.map(({ key }) => key))).toEqual(new Set(['key-of-free-1']))
    expect(new Set(all.map(({ key }) => key))).toEqual(new Set(['free-1']))
  })

  test('has a new connection for each request if configured', async () => {
    const server = await serving(() => ok)
    const { answered } = await driven(server.origin, { newConnections: true })
    expect(answered).toBe(23)
    expect(server.connections()).toBe(23)
  })
})

describe('an amount with a time', () => {
  test.for([1, 7, 64])('of %i is never exceeded, whatever the time', async (amount) => {
    const server = await serving(() => ok)
    const load = { amount, durationMs: 5_000, connections: 16 }
    const { sent, neverSent } = await driven(server.origin, load)
    expect([sent, neverSent, server.heard.length]).toEqual([amount, 0, amount])
  })

  test('is not exceeded if the server closes each connection without a response', async () => {
    const server = await serving(({ path }) => (path === '' ? ok : 'drop'))
    const load = { amount: 9, durationMs: 5_000, connections: 4 }
    const { sent } = await driven(server.origin, load)
    expect(sent).toBeLessThanOrEqual(9)
    expect(server.heard.length).toBeLessThanOrEqual(9)
  })
})

test('a sample has the headers, the body, and a latency that is no whole number', async () => {
  const server = await serving(() => ok)
  const { all } = await driven(server.origin, { keep: 2, connections: 1 })
  const [{ response, sentMs, receivedMs }, , third] = all as [Sample, Sample, Sample]
  expect(third.response?.bytes).toHaveLength(0)
  expect(String(response?.bytes)).toBe('[1]')
  expect(response?.headers).toContainEqual(['X-RateLimit-Remaining', '5'])
  const ms = receivedMs - sentMs
  expect(ms).toBeGreaterThan(0)
  expect(Number.isInteger(ms)).toBe(false)
})

test('a time ends the load, and in-flight requests are waited for', async () => {
  const server = await serving(() => ok)
  const { sent, lost, neverSent } = await driven(server.origin, { amount: 100_000, durationMs: 60 })
  expect(sent).toBeGreaterThan(5)
  expect([lost, neverSent]).toEqual([0, 0])
  expect(server.heard).toHaveLength(sent)
})

describe('every request is accounted for', () => {
  test('where each response closes its connection', async () => {
    const close: Act = { status: 429, headers: [['Connection', 'close']], body: '{}' }
    const server = await serving(() => close)
    const { answered, lost } = await driven(server.origin)
    expect([answered, lost, server.heard.length]).toEqual([23, 0, 23])
  })

  test('where connections are dropped now and then', async () => {
    const server = await serving((_heard, before) => (before % 3 === 0 ? 'drop' : ok))
    const { all, neverSent } = await driven(server.origin)
    expect(server.heard).toHaveLength(23)
    expect(statuses(all).filter((each) => each === 'reset')).toHaveLength(8)
    expect(neverSent).toBe(0)
  })

  test('where no response comes', async () => {
    const server = await serving((_heard, before) => (before === 2 ? 'silence' : ok))
    const { all } = await driven(server.origin, {}, { responseTimeoutMs: 150 })
    expect(statuses(all).filter((each) => each === 'timeout')).toHaveLength(1)
    expect(statuses(all).filter((each) => each === 200)).toHaveLength(22)
  })

  const speaking = async (speak: (socket: Socket) => void) =>
    (await opened(serveBytes((socket) => void socket.on('data', () => speak(socket))))).origin

  test('where a body does not end', async () => {
    const origin = await speaking((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1')
    })
    const { all } = await driven(origin, { amount: 2, connections: 2 }, { responseTimeoutMs: 150 })
    expect(statuses(all)).toEqual(['timeout', 'timeout'])
  })

  test('where the body ends with its connection', async () => {
    const origin = await speaking((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[1]'))
    const { all } = await driven(origin, { amount: 4, connections: 2 })
    expect(statuses(all)).toEqual([200, 200, 200, 200])
    expect(String(all[0]?.response?.bytes)).toBe('[1]')
  })

  test('where an interim response comes first', async () => {
    const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const origin = await speaking((socket) => socket.write(`${early}${whole}`))
    const { all } = await driven(origin, { amount: 4, connections: 2 })
    expect(statuses(all)).toEqual([200, 200, 200, 200])
  })
})

describe('a load', () => {
  test('is cut when the run is interrupted', async () => {
    const controller = new AbortController()
    const server = await serving((_heard, before) => {
      if (before === 10) controller.abort()
      return before < 10 ? ok : 'silence'
    })
    const started = performance.now()
    const { ended, neverSent } = await driven(server.origin, {}, { signal: controller.signal })
    expect(ended).toBe('interrupted')
    expect(neverSent).toBeGreaterThan(0)
    expect(performance.now() - started).toBeLessThan(1_500)
  })

  test('is cut while its first requests are held for connections that do not open', async () => {
    const silent = await opened(serveBytes(() => {}))
    const controller = new AbortController()
    const ending = driven(
      silent.origin.replace('http:', 'https:'),
      {},
      { signal: controller.signal },
    )
    await expect.poll(silent.connections).toBe(5)
    controller.abort()
    const { ended, sent, neverSent } = await ending
    expect([ended, sent, neverSent]).toEqual(['interrupted', 0, 23])
  })

  test('ends where its listener has a fault, with that fault', async () => {
    const server = await serving(() => ok)
    const load = { ...plain, amount: 100_000, durationMs: 5_000 }
    const faulty = drive(targetAt(server.origin, {}), load, () => {
      throw new Error('full')
    })
    await expect(faulty).rejects.toThrow('full')
  })
})

test('bodies beyond the memory limit are not kept, which shows', async () => {
  const server = await serving(() => ({ status: 200, body: 'a'.repeat(1_000_000) }))
  const { all } = await driven(server.origin, { amount: 40, keep: 40 })
  const kept = all.reduce((sum, { response }) => sum + (response?.bytes.length ?? 0), 0)
  expect(kept).toBeGreaterThan(10_000_000)
  expect(kept).toBeLessThan(24_000_000)
  const isWhole = all.map(({ response }) => response?.bytes.length === 1_000_000)
  expect(all.map(({ response }) => !response?.cut)).toEqual(isWhole)
})

test.for([1, 10])(
  'a load while all is served ends with the first refusal, %i at once',
  async (connections) => {
    const server = await serving((_heard, before) => (before < 30 ? ok : { status: 429 }))
    const load = { amount: 500, connections, whileServed: true } as const
    const { sent, ended, neverSent, lost } = await driven(server.origin, load)
    expect([ended, neverSent, lost, server.heard.length]).toEqual(['refused', 0, 0, sent])
    expect(sent).toBeGreaterThan(30)
    expect(sent).toBeLessThanOrEqual(30 + connections)
  },
)

test('all first requests of an amount leave before any response arrives', async () => {
  const server = await serving(() => ok)
  const { all } = await driven(server.origin, { connections: 8, amount: 20 })
  expect(all).toHaveLength(20)
  const sent = all.map(({ sentMs }) => sentMs).sort((a, b) => a - b)
  const firstAnswer = Math.min(...all.map(({ receivedMs }) => receivedMs))
  expect(sent[7]).toBeLessThan(firstAnswer)
})
