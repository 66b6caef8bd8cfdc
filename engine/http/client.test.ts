// The client, at servers that respond well, with anything that HTTP allows, or not at all.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createSecureContext, type TlsOptions } from 'node:tls'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { opened, serveActs, serveBytes, serveWith } from '../../tests/raw-server.ts'
import { createClient, steadyMs } from './client.ts'
import { type Destination, direct } from './connection-options.ts'
import { maxConnections, type WireRequest } from './http1.ts'

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`fixtures/${name}.pem`, import.meta.url))

/** A request as plain as can be. */
const plain: WireRequest = {
  ...{ method: 'GET', path: '/v1/pets', headers: [], body: null, connection: 'shared' },
}

const maxBodyBytes = 1024 * 1024
const maxEndBytes = 16 * maxBodyBytes
const maxCutBytes = 8 * 1024
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const clientOf = (origin: string, differing: Partial<Destination> = {}) => {
  const { signal } = new AbortController()
  const client = createClient({
    origin: new URL(origin),
    timeoutMs: 5_000,
    reach: direct,
    signal,
    ...differing,
  })
  onTestFinished(client.close)
  return client
}

/** Reads the head of a request, then does this. */
const afterHead = (act: (socket: Socket) => void) =>
  opened(serveBytes((socket) => socket.once('data', () => act(socket))))

describe('a response', () => {
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

  test.each([' ', '\t', ' \t '])('may have %j after its length', async (space) => {
    // In a body the same text is left as it is.
    const body = '[\r\nContent-Length: 5 \r\n]'
    const { origin, connections } = await opened(
      serveBytes((socket) =>
        socket.on('data', () => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 24${space}\r\n\r\n${body.slice(0, -1)}`)
          setImmediate(() => socket.write(body.slice(-1)))
        }),
      ),
    )
    const client = clientOf(origin)
    for (const connection of ['shared', 'shared', 'separate'] as const) {
      const { response } = await client.send({ ...plain, connection })
      expect(`${response?.headers.flat().map((text) => text.trim())}`).toBe('Content-Length,24')
      expect(String(Buffer.from(response?.bytes ?? []))).toBe(body)
    }
    // One after another share a connection.
    expect(connections()).toBe(2)
  })

  const endless = Buffer.alloc(maxEndBytes + 1)
  const long = endless.subarray(0, maxEndBytes)
  const encodedLong = Buffer.concat([endless, randomBytes(maxBodyBytes)])

  test.each([
    ['', endless, null],
    ['', long, true],
    ['gzip', gzipSync(endless), null],
    ['gzip', gzipSync(long), true],
    ['gzip', gzipSync(encodedLong), null],
    ['deflate', deflateRawSync(encodedLong), null],
    ['br', brotliCompressSync(encodedLong, fast), null],
    ['gzip, zstd', zstdCompressSync(gzipSync(encodedLong)), null],
    ['gzip', gzipSync(randomBytes(2 * maxBodyBytes)), true],
  ] as const)('in the coding "%s" has no end after 16 MiB', async (coding, body, isCut) => {
    const headers = [['Content-Encoding', coding]] as const
    const { origin } = await opened(serveActs(() => ({ status: 200, headers, body })))
    const { response, noResponse } = await clientOf(origin).send(plain)
    expect(response?.cut ?? null).toBe(isCut)
    expect(response?.bytes.length ?? 0).toBe(isCut ? maxCutBytes : 0)
    expect(noResponse).toBe(isCut ? null : 'endless')
  })
})

test('a response that is still being read ends with the time of the run', async () => {
  const { origin } = await afterHead((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write(' '), 20)
    socket.on('close', () => clearInterval(timer))
  })
  // Without that its timeout would end the test.
  const client = clientOf(origin, { timeoutMs: 600_000 })
  const { response, noResponse } = await client.send({ ...plain, deadlineMs: steadyMs() + 100 })
  expect([response, noResponse]).toEqual([null, 'timeout'])
})

test('a path of any visible characters is sent unchanged', async () => {
  const odd = [
    ...['//', '/v1//pets', '/pets/../pets', '/pets/./', '/pets/%2e%2e', '/pets?limit=%20%zz'],
    ...['/pets?', '/pets?a=1&a=1&=&&', "/pets/1'OR'1'='1", '/pets/{petId}?x=[1]|^`\\'],
  ]
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  const path = fc.string({ unit: visible, maxLength: 40 }).map((text) => `/${text}`)
  const paths = [...odd, ...fc.sample(path, { seed: 1, numRuns: 100 })]
  const server = await opened(serveActs(() => ({ status: 200 })))
  const client = clientOf(server.origin)
  for (const path of paths) await client.send({ ...plain, path })
  expect(server.heard.map(({ path }) => path)).toEqual(paths)
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

  test('sent at the same time leave when each of them has a connection', async () => {
    const identity = { key: fixture('loopback-key'), cert: fixture('loopback-certificate') }
    let handshakes = 0
    const connected: number[] = []
    const options: TlsOptions = {
      ...identity,
      SNICallback: (_name, done) => {
        const delayMs = handshakes === 2 ? 100 : 0
        handshakes += 1
        setTimeout(() => done(null, createSecureContext(identity)), delayMs)
      },
    }
    const server = createServer(options, (_request, response) => {
      connected.push(handshakes)
      response.end('[]')
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const client = clientOf(`https://localhost:${port}`, { reach: { ...direct, insecure: true } })
    await Promise.all(Array.from({ length: 20 }, () => client.send(own)))
    expect(connected).toEqual(Array(20).fill(20))
  })

  test('beyond the connections wait, and are sent once one is free', async () => {
    const held: ServerResponse[] = []
    const origin = await serveWith((_request, response) => {
      held.push(response)
      if (held.length >= maxConnections) for (const each of held) each.end('[]')
    })
    const client = clientOf(origin)
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
    const client = clientOf(origin, { signal: interrupt.signal })
    const leaving = vi.fn()
    const all = Array.from({ length: 300 }, () => client.send({ ...own, leaving }))
    interrupt.abort()
    const ended = await Promise.allSettled(all)
    expect(leaving).toHaveBeenCalledTimes(maxConnections)
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(300 - maxConnections)
  })
})

const endOf = async (origin: string, differing: Partial<Destination> = {}) => {
  const { noResponse, noAnswerWhy } = await clientOf(origin, differing).send(plain)
  return [noResponse, noAnswerWhy]
}

const head = 'HTTP/1.1 200 OK\r\n'
const faultyHead = 'its head is faulty at Content-Length, or behind it'
const longHead = 'its head is longer than 64 KiB'

test.for([
  ['', 'reset', 'no byte was received; did you mean https://?'],
  [`${head}Content-Le`, 'reset', undefined],
  [`${head}Content-Length: 9\r\n\r\nhalf`, 'reset', undefined],
  [`${head}Transfer-Encoding: chunked\r\n\r\n9\r\nhalf`, 'reset', undefined],
  ['hello', 'not-http', 'Expected HTTP/, RTSP/ or ICE/'],
  ['HTTP/1.1 OK\r\n\r\n', 'not-http', 'Invalid status code'],
  ['HTTP/1.1 000 OK\r\n\r\n', 'not-http', 'its status is below 100'],
  [`${head}Content-Length: two\r\n\r\n`, 'not-http', 'Invalid character in Content-Length'],
  [
    '\x15\x03\x01\x00\x02\x02\x46',
    'not-http',
    'the server speaks TLS on this port; did you mean https://?',
  ],
  [`${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\n`, 'unread', longHead],
  [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]',
    'unread',
    'it begins with 100 Continue, which was not requested',
  ],
  [`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]`, 'unread', faultyHead],
] as const)('a server that sends %j and closes', async ([text, noResponse, why]) => {
  const { origin } = await afterHead((socket) => socket.end(text, 'latin1'))
  expect(await endOf(origin)).toEqual([noResponse, why])
})

test('a response shows that its connection was opened for it', async () => {
  const { origin } = await afterHead((socket) => {
    socket.end('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]')
  })
  const client = clientOf(origin)
  for (const connection of ['shared', 'shared', 'separate', 'separate'] as const) {
    expect(await client.send({ ...plain, connection })).toMatchObject({
      response: { opened: true },
    })
  }
})

test.for([
  ['before the head', ''],
  ['within the body', `${head}Content-Length: 9\r\n\r\nhalf`],
])('silence %s is a timeout', async ([, text = '']) => {
  const { origin } = await afterHead((socket) => socket.write(text))
  expect(await endOf(origin, { timeoutMs: 30 })).toEqual(['timeout', undefined])
})

test('a response is not waited for once the run has ended', async () => {
  const stop = new AbortController()
  const { origin } = await opened(
    serveActs(() => {
      stop.abort()
      return 'silence'
    }),
  )
  expect(await endOf(origin, { signal: stop.signal })).toEqual(['timeout', undefined])
})

test('a server that has answered gets no hint when it closes', async () => {
  let seen = 0
  const { origin } = await opened(serveActs(() => (seen++ === 0 ? { status: 200 } : 'drop')))
  const client = clientOf(origin)
  await client.send(plain)
  expect(await client.send(plain)).toMatchObject({ noResponse: 'reset' })
  expect((await client.send(plain)).noAnswerWhy).toBeUndefined()
})
