// The driver: every request that is put on the wire is accounted for, whatever the server does, and
// however often it is sent.
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { driven, ok, opened, plain, serving, statuses, targetAt } from '../tests/drive.ts'
import { serveBytes, serveWith } from '../tests/raw-server.ts'
import { isProof } from '../tests/sample.ts'
import type { Sample } from './connection.ts'
import { drive } from './driver.ts'

/** How often, and how many requests over how many connections. */
const rounds = isProof ? 20 : 1
const sizes = [
  ...[[23, 1] as const, [60, 50] as const],
  ...(isProof ? [[60, 10] as const, [300, 200] as const] : []),
]

const afterwards = (response: ServerResponse, run: () => void) => {
  response.on('finish', () => setImmediate(run))
  response.end('[1]')
}

const whole = Buffer.alloc(1024 * 1024, 'a')

/** What a server does, with how many requests came before. */
type Kind = (response: ServerResponse, before: number) => void

const kinds: Readonly<Record<string, Kind>> = {
  'keeps connections': (response) => response.end('[1]'),
  'closes each connection after its response': (response) =>
    response.setHeader('Connection', 'close').end('[1]'),
  'drops every seventh request without a response': (response, before) => {
    if (before % 7 === 6) response.socket?.destroy()
    else response.end('[1]')
  },
  'closes idle connections': (response) => {
    const { socket } = response
    afterwards(response, () => socket?.end())
  },
  'sends RST after the response': (response) => {
    const { socket } = response
    afterwards(response, () => socket?.resetAndDestroy())
  },
  'is slow': (response) => void setTimeout(() => response.end('[1]'), 20),
  'answers with 1 MiB': (response) => response.end(whole),
}

/** A connection may be closed while a request is written to it. */
const racing = ['closes idle connections', 'sends RST after the response']

describe.each(Object.entries(kinds))('an amount is exact at a server that %s:', (name, act) => {
  test.for(sizes)('%i requests over %i connections', async ([amount, connections]) => {
    const wrong: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      // A server for each round: what was lost in an earlier one may still be heard.
      let heard = 0
      const answer: RequestListener = (_request, response) => {
        act(response, heard)
        heard += 1
      }
      const load = { amount, connections, keep: 0 }
      const { answered, lost, neverSent } = await driven(await serveWith(answer), load)
      const isHeard = racing.includes(name)
        ? heard >= answered && heard <= answered + lost
        : heard === answered + lost
      if (isHeard && answered + lost + neverSent === amount) continue
      wrong.push(`heard ${heard}, answered ${answered}, lost ${lost}, never sent ${neverSent}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('an amount', () => {
  test('is sent with its key, over as many connections as needed', async () => {
    const server = await serving(() => ok)
    const { all, ended } = await driven(server.origin, { connections: 200 })
    expect([server.connections(), ended]).toEqual([23, 'done'])
    expect(new Set(server.heard.map(({ key }) => key))).toEqual(new Set(['key-of-free-1']))
    expect(new Set(all.map(({ key }) => key))).toEqual(new Set(['free-1']))
  })

  test('has a new connection for each request if configured', async () => {
    const server = await serving(() => ok)
    const { answered } = await driven(server.origin, { newConnections: true })
    expect([answered, server.connections()]).toEqual([23, 23])
  })

  test.for([1, 64])('of %i with a time is never exceeded, whatever the time', async (amount) => {
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

  test('leaves all first requests before any response arrives', async () => {
    const server = await serving(() => ok)
    const { all } = await driven(server.origin, { connections: 8, amount: 20 })
    const sent = all.map(({ sentMs }) => sentMs).sort((a, b) => a - b)
    expect(sent).toHaveLength(20)
    expect(sent[7]).toBeLessThan(Math.min(...all.map(({ receivedMs }) => receivedMs)))
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
  expect([ms > 0, Number.isInteger(ms)]).toEqual([true, false])
})

test('a time ends the load, and in-flight requests are waited for', async () => {
  const server = await serving(() => ok)
  const { sent, lost, neverSent } = await driven(server.origin, { amount: 100_000, durationMs: 60 })
  expect(sent).toBeGreaterThan(5)
  expect([lost, neverSent]).toEqual([0, 0])
  expect(server.heard).toHaveLength(sent)
})

describe('every request is accounted for', () => {
  test('where no response comes', async () => {
    const server = await serving((_heard, before) => (before === 2 ? 'silence' : ok))
    const { all } = await driven(server.origin, {}, { responseTimeoutMs: 150 })
    expect(statuses(all).filter((each) => each === 'timeout')).toHaveLength(1)
    expect(statuses(all).filter((each) => each === 200)).toHaveLength(22)
  })

  const body = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

  test.for<[string, (socket: Socket) => void, string | number]>([
    ['does not end', (to) => to.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n['), 'timeout'],
    ['ends with its connection', (to) => to.end('HTTP/1.1 200 OK\r\n\r\n[]'), 200],
    ['comes after an interim response', (to) => to.write(`${early}${body}`), 200],
  ])('where a body %s', async ([, speak, status]) => {
    const server = serveBytes((socket) => void socket.on('data', () => speak(socket)))
    const load = { amount: 4, connections: 4 }
    const { origin } = await opened(server)
    const { all } = await driven(origin, load, { responseTimeoutMs: 150 })
    expect(statuses(all)).toEqual(Array(4).fill(status))
    if (status === 200) expect(String(all[0]?.response?.bytes)).toBe('[]')
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

test('a load while all is served ends with the first refusal', async () => {
  const server = await serving((_heard, before) => (before < 30 ? ok : { status: 429 }))
  const load = { amount: 500, connections: 10, whileServed: true } as const
  const { sent, ended, neverSent, lost } = await driven(server.origin, load)
  expect([ended, neverSent, lost, server.heard.length]).toEqual(['refused', 0, 0, sent])
  expect(sent).toBeGreaterThan(30)
  expect(sent).toBeLessThanOrEqual(40)
})
