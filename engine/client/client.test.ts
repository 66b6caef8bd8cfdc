// The client, at servers that respond well, or with anything that HTTP allows.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { plain } from '../../tests/plain-request.ts'
import { type RawServer, serveActs, serveBytes } from '../../tests/raw-server.ts'
import { createClient } from './client.ts'
import { maxConnections } from './http1.ts'
import { direct } from './reach.ts'

const maxBodyBytes = 1024 * 1024
const maxCutBytes = 64 * 1024

const opened = async (server: Promise<RawServer>): Promise<RawServer> => {
  const ready = await server
  onTestFinished(ready.close)
  return ready
}

const clientOf = (origin: string, { signal } = new AbortController()) => {
  const client = createClient({ origin, timeoutMs: 5_000, reach: direct, signal })
  onTestFinished(client.close)
  return client
}

/** Reads the head of a request, then does this. */
const afterHead = (act: (socket: Socket) => void) =>
  opened(serveBytes((socket) => socket.once('data', () => act(socket))))

describe('a response', () => {
  test('that redirects is not followed', async () => {
    const other = await opened(serveActs(() => ({ status: 200 })))
    const { origin } = await opened(
      serveActs(() => ({ status: 302, headers: [['Location', `${other.origin}/v1/pets`]] })),
    )
    const { response } = await clientOf(origin).send(plain)
    expect(response?.status).toBe(302)
    expect(other.connections()).toBe(0)
  })

  test('keeps its headers as received: order, letter case, each value', async () => {
    const lines = ['x-twice: 1', 'X-Other: \xe9', 'X-Twice: 2', 'Content-Length: 0']
    const head = `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`
    const { origin } = await afterHead((socket) => socket.end(head, 'latin1'))
    const { response } = await clientOf(origin).send(plain)
    expect(response?.headers.map((pair) => pair.join(': '))).toEqual(lines)
  })

  test.for([
    [0, false, 0],
    [maxBodyBytes, false, maxBodyBytes],
    [maxBodyBytes + 1, true, maxCutBytes],
  ] as const)('of %i bytes is read up to the limit', async ([size, isCut, kept]) => {
    const body = new Uint8Array(size).fill(97)
    const { origin } = await opened(serveActs(() => ({ status: 200, body })))
    const { response, sentMs, receivedMs } = await clientOf(origin).send(plain)
    expect(response?.bytes).toHaveLength(kept)
    expect(response?.cut).toBe(isCut)
    expect(receivedMs).toBeGreaterThanOrEqual(sentMs)
  })

  test('that never ends is cut, and the next request is answered', async () => {
    const chunk = Buffer.alloc(65_536, 'a')
    const { origin } = await afterHead((socket) => {
      const pour = () => {
        while (socket.writable && socket.write(chunk)) {}
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.on('drain', pour)
      pour()
    })
    const client = clientOf(origin)
    const [first, second] = [await client.send(plain), await client.send(plain)]
    expect([first.response?.cut, second.response?.cut]).toEqual([true, true])
  })
})

describe('a path is sent unchanged', () => {
  const sendAll = async (paths: readonly string[]) => {
    const server = await opened(serveActs(() => ({ status: 200 })))
    const client = clientOf(server.origin)
    for (const path of paths) await client.send({ ...plain, path })
    return server.heard.map(({ path }) => path)
  }

  test('with escapes that no parser would keep', async () => {
    const paths = [
      ...['//', '/v1//pets', '/pets/../pets', '/pets/./', '/pets/%2e%2e', '/pets?limit=%20%zz'],
      ...['/pets?', '/pets?a=1&a=1&=&&', "/pets/1'OR'1'='1", '/pets/{petId}?x=[1]|^`\\'],
    ]
    expect(await sendAll(paths)).toEqual(paths)
  })

  test('with any visible characters', async () => {
    const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    const path = fc.string({ unit: visible, maxLength: 40 }).map((text) => `/${text}`)
    const paths = fc.sample(path, { seed: 1, numRuns: 100 })
    expect(await sendAll(paths)).toEqual(paths)
  })
})

test.for([
  { path: '/a b' },
  { headers: [['X-Name', '\u043a']] },
  { method: 'POST', headers: [['Content-Length', '5']], body: 'abc' },
  { headers: [['Expect', '100-continue']] },
] as const)('a request that cannot be sent is not the fault of the target: %j', async (part) => {
  const server = await opened(serveActs(() => ({ status: 200 })))
  const client = clientOf(server.origin)
  await expect(client.send({ ...plain, ...part })).rejects.toThrow()
  expect(server.heard).toEqual([])
  const { response } = await client.send(plain)
  expect(response?.status).toBe(200)
})

describe('requests', () => {
  const own = { ...plain, connection: 'separate' } as const

  test('one after another share a connection', async () => {
    const server = await opened(serveActs(() => ({ status: 200, body: '[]' })))
    const client = clientOf(server.origin)
    for (let sent = 0; sent < 5; sent += 1) await client.send(plain)
    expect(server.connections()).toBe(1)
  })

  test('at the same time have one each', async () => {
    const server = await opened(serveActs(() => ({ status: 200, body: '[]' })))
    const client = clientOf(server.origin)
    await Promise.all(Array.from({ length: 5 }, () => client.send(own)))
    expect(new Set(server.heard.map(({ connection }) => connection)).size).toBe(5)
  })

  test('beyond the connections wait, and are sent once one is free', async () => {
    const held: ServerResponse[] = []
    const server = createServer((_request, response) => {
      held.push(response)
      if (held.length >= maxConnections) for (const each of held) each.end('[]')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const all = Array.from({ length: maxConnections + 3 }, () => client.send(own))
    const responses = await Promise.all(all)
    expect(responses.filter(({ response }) => response?.status !== 200)).toEqual([])
    const firstMs = Math.min(...responses.slice(0, maxConnections).map((each) => each.receivedMs))
    const early = responses.slice(maxConnections).filter(({ sentMs }) => sentMs < firstMs)
    expect(early).toEqual([])
  })

  test('that wait when a run is interrupted are never sent', async () => {
    const { origin } = await opened(serveActs(() => 'silence'))
    const interrupt = new AbortController()
    const client = clientOf(origin, interrupt)
    let left = 0
    const leaving = () => {
      left += 1
    }
    const all = Array.from({ length: 300 }, () => client.send({ ...own, leaving }))
    interrupt.abort()
    const responses = await Promise.all(all)
    expect(left).toBe(maxConnections)
    expect(responses.filter(({ unsent }) => unsent)).toHaveLength(300 - maxConnections)
  })
})
