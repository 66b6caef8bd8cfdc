// The wire, against servers that answer well, badly, or not at all.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { plain } from '../../tests/plain-request.ts'
import {
  closedOrigin,
  type RawServer,
  serveActs,
  serveActsOverTls,
  serveBytes,
} from '../../tests/raw-server.ts'
import { type ClientOptions, createClient } from './client.ts'
import { direct } from './reach.ts'

const bodyMostBytes = 1024 * 1024
const cutMostBytes = 64 * 1024

const fixture = (name: string) =>
  readFileSync(new URL(`./fixtures/${name}.pem`, import.meta.url), 'utf8')
const certificate = fixture('loopback-certificate')
const pem = { key: fixture('loopback-key'), cert: certificate }

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const opened = async (server: Promise<RawServer>): Promise<RawServer> => {
  const ready = await server
  open.push(ready)
  return ready
}

const clientOf = (origin: string, differing: Partial<ClientOptions> = {}) => {
  const { signal } = new AbortController()
  const usual = { timeoutMs: 5_000, reach: direct, signal }
  const client = createClient({ origin, ...usual, ...differing })
  open.unshift(client)
  return client
}

const fetchFrom = (origin: string, differing: Partial<ClientOptions> = {}) =>
  clientOf(origin, differing).send(plain)

/** Reads the head of a request, then does this. */
const afterHead = (act: (socket: Socket) => void) =>
  opened(serveBytes((socket) => socket.once('data', () => act(socket))))

describe('an answer', () => {
  test('that redirects is not followed', async () => {
    const other = await opened(serveActs(() => ({ status: 200 })))
    const { origin } = await opened(
      serveActs(() => ({ status: 302, headers: [['Location', `${other.origin}/v1/pets`]] })),
    )
    const { response } = await fetchFrom(origin)
    expect(response?.status).toBe(302)
    expect(other.connections()).toBe(0)
  })

  test('keeps its headers as they came: order, letter case, each value', async () => {
    const lines = ['x-twice: 1', 'X-Other: \xe9', 'X-Twice: 2', 'Content-Length: 0']
    const head = `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`
    const { origin } = await afterHead((socket) => socket.end(head, 'latin1'))
    const { response } = await fetchFrom(origin)
    expect(response?.headers.map((pair) => pair.join(': '))).toEqual(lines)
  })

  test.for([
    [bodyMostBytes, false, bodyMostBytes],
    [bodyMostBytes + 1, true, cutMostBytes],
    [3 * bodyMostBytes, true, cutMostBytes],
  ] as const)('of %i bytes is read up to the cap', async ([size, isCut, kept]) => {
    const body = new Uint8Array(size).fill(97)
    const { origin } = await opened(serveActs(() => ({ status: 200, body })))
    const { response } = await fetchFrom(origin)
    expect(response?.bytes).toHaveLength(kept)
    expect(response?.cut).toBe(isCut)
  })

  test('that never ends is cut, and the next request is answered', async () => {
    const chunk = Buffer.alloc(65_536, 'a')
    const { origin } = await opened(
      serveBytes((socket) => {
        const pour = () => {
          while (socket.writable && socket.write(chunk)) {}
        }
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n')
          socket.on('drain', pour)
          pour()
        })
      }),
    )
    const client = clientOf(origin)
    const [first, second] = [await client.send(plain), await client.send(plain)]
    expect(first.response?.cut).toBe(true)
    expect(second.response?.cut).toBe(true)
  })

  test('without a body is whole', async () => {
    const { origin } = await opened(serveActs(() => ({ status: 204 })))
    const { response, sentMs, receivedMs } = await fetchFrom(origin)
    expect(response).toMatchObject({ status: 204, cut: false })
    expect(response?.bytes).toHaveLength(0)
    expect(receivedMs).toBeGreaterThanOrEqual(sentMs)
  })
})

describe('no answer', () => {
  const ending = async (origin: string, differing: Partial<ClientOptions> = {}) => {
    const { response, noAnswer } = await fetchFrom(origin, differing)
    return response ?? noAnswer
  }

  test('from a closed port is a refusal', async () => {
    expect(await ending(await closedOrigin())).toBe('refused')
  })

  test('from a silent server is a timeout', async () => {
    const { origin } = await opened(serveActs(() => 'silence'))
    expect(await ending(origin, { timeoutMs: 30 })).toBe('timeout')
  })

  test('to its end is a timeout too', async () => {
    const { origin } = await afterHead((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    )
    expect(await ending(origin, { timeoutMs: 30 })).toBe('timeout')
  })

  test.for([
    ['before the answer', ''],
    ['within its head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf'],
  ] as const)('but a connection closed %s is a reset', async ([, text]) => {
    const { origin } = await afterHead((socket) => socket.end(text))
    expect(await ending(origin)).toBe('reset')
  })

  test.for([
    'garbage\n',
    'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/1.1 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n',
  ])('but something else is not HTTP', async (text) => {
    const { origin } = await afterHead((socket) => socket.end(text))
    expect(await ending(origin)).toBe('not-http')
  })

  test.for([
    `HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(100_000)}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${'X-Many: a\r\n'.repeat(10_000)}\r\n`,
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]',
    'HTTP/1.1 200 OK\r\nContent-Length: 2 \t\r\n\r\n[]',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\n[]',
  ])('but what undici does not read is not judged', async (text) => {
    const { origin } = await afterHead((socket) => socket.end(text))
    expect(await ending(origin)).toBe('unread')
  })

  test('of a server with a certificate of its own is a failed handshake', async () => {
    const server = await opened(serveActsOverTls(pem, () => ({ status: 200 })))
    expect(await ending(server.origin)).toBe('tls')
    expect(server.heard).toEqual([])
  })

  test('over TLS from a server that speaks plain HTTP is a failed handshake', async () => {
    const { origin } = await opened(serveActs(() => ({ status: 200 })))
    expect(await ending(origin.replace('http:', 'https:'))).toBe('tls')
  })

  test('is not waited for once the run has ended', async () => {
    const stop = new AbortController()
    const { origin } = await opened(
      serveActs(() => {
        stop.abort()
        return 'silence'
      }),
    )
    expect(await ending(origin, { signal: stop.signal })).toBe('timeout')
  })
})

test('a certificate that is named is trusted', async () => {
  const server = await opened(serveActsOverTls(pem, () => ({ status: 200, body: '[]' })))
  const { response } = await fetchFrom(server.origin, { reach: { ...direct, ca: certificate } })
  expect(response?.status).toBe(200)
  expect(server.heard).toHaveLength(1)
})

describe('a path is sent as it stands', () => {
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

  test('of whatever visible characters', async () => {
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
] as const)(
  'what cannot be sent is no answer of the target, and stops nothing: %j',
  async (part) => {
    const server = await opened(serveActs(() => ({ status: 200 })))
    const client = clientOf(server.origin)
    await expect(client.send({ ...plain, ...part })).rejects.toThrow()
    expect(server.heard).toEqual([])
    const { response } = await client.send(plain)
    expect(response?.status).toBe(200)
  },
)

describe('connections', () => {
  test('requests one after another share one', async () => {
    const server = await opened(serveActs(() => ({ status: 200, body: '[]' })))
    const client = clientOf(server.origin)
    for (let sent = 0; sent < 5; sent += 1) await client.send(plain)
    expect(server.connections()).toBe(1)
  })

  test('`own` requests at the same time have several', async () => {
    const server = await opened(serveActs(() => ({ status: 200, body: '[]' })))
    const client = clientOf(server.origin)
    const all = Array.from({ length: 5 }, () => client.send({ ...plain, connection: 'own' }))
    await Promise.all(all)
    expect(new Set(server.heard.map(({ connection }) => connection)).size).toBe(5)
  })
})
