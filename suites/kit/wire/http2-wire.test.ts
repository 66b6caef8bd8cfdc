// HTTP/2 on the wire: what is sent and read is exact, and what goes wrong is told apart.
import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  type IncomingHttpHeaders as Headers,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Pool } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { plain } from '../../../tests/plain-request.ts'
import { createClient } from './client.ts'
import { openHttp2 } from './http2-wire.ts'
import { direct } from './reach.ts'
import type { WireRequest } from './wire-request.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`./fixtures/${name}.pem`, import.meta.url), 'utf8')
const ca = fixture('loopback-certificate')

type Act = (stream: ServerHttp2Stream, path: string) => void

const serving = async (act: Act) => {
  const heard: string[][] = []
  const sessions = new Set<ServerHttp2Session>()
  const sockets: Socket[] = []
  const server = createSecureServer({
    cert: ca,
    key: fixture('loopback-key'),
    strictSingleValueFields: false,
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {})
  })
  server.on('connection', (socket: Socket) => sockets.push(socket))
  server.on(
    'stream',
    (stream: ServerHttp2Stream, headers: Headers, _flags: number, raw: string[]) => {
      stream.on('error', () => {})
      heard.push(raw)
      act(stream, String(headers[':path']))
    },
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { signal } = new AbortController()
  const reach = { ...direct, ca, http2: true }
  const client = createClient({ origin, timeoutMs: 1_500, reach, signal })
  onTestFinished(client.close)
  return { client, heard, sessions, origin }
}

const served: Act = (stream) => {
  stream.respond({ ':status': 200 })
  stream.end('[]')
}

const twice: WireRequest['headers'] = [
  ['Authorization', 'Basic a'],
  ['Authorization', 'Bearer b'],
]

test('a request goes as it stands, doubled headers too; names in small letters', async () => {
  const bodies: string[] = []
  const { client, heard } = await serving(async (stream) => {
    bodies.push(Buffer.concat(await stream.toArray()).toString())
    served(stream, '')
  })
  const path = '/v1//pets?limit=%20%zz&a={}|^`'
  const headers = [...twice, ['X-Name', ' \tinner  spaces ']] as const
  const { response } = await client.send({ ...plain, method: 'POST', path, headers, body: 'añb' })
  expect(response).toMatchObject({ status: 200, http: '2' })
  expect(bodies).toEqual(['añb'])
  const [lines = []] = heard
  expect(lines.slice(lines.indexOf(':path'))).toEqual([
    ...[':path', path, 'authorization', 'Basic a', 'authorization', 'Bearer b'],
    ...['x-name', 'inner  spaces', 'content-length', '4'],
  ])
})

test('undici would join the headers that are doubled: so it is not used here', async () => {
  const { heard, origin } = await serving((stream) => {
    stream.respond({ ':status': 200, 'x-ratelimit-limit': ['1', '2'] })
    stream.end()
  })
  const pool = new Pool(origin, { allowH2: true, connect: { ca, ALPNProtocols: ['h2'] } })
  onTestFinished(() => pool.destroy())
  const { headers, body } = await pool.request({
    path: '/',
    method: 'GET',
    headers: twice.flat(),
    responseHeaders: 'raw',
  })
  await body.dump()
  expect(heard[0]).toContain('Basic a, Bearer b')
  expect(headers).toContain('1, 2')
})

test('an answer comes as it stands: doubled headers, what is interim left out', async () => {
  const { client } = await serving((stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>' })
    stream.respond({ ':status': 404, 'x-twice': ['1', '2'], date: 'now' })
    stream.end('{}')
  })
  const { response } = await client.send(plain)
  expect(response?.status).toBe(404)
  expect(response?.headers).toEqual([
    ['x-twice', '1'],
    ['x-twice', '2'],
    ['date', 'now'],
  ])
})

test.for<[string, Act, string]>([
  ['that is silent', () => {}, 'timeout'],
  ['that stops in a body', (stream) => stream.respond({ ':status': 200 }), 'timeout'],
  ['that resets', (stream) => stream.destroy(new Error('a fault')), 'reset'],
  ['that goes', (stream) => stream.session?.destroy(), 'reset'],
  [
    'that says for ever that it will answer',
    (stream) => {
      const timer = setInterval(() => {
        if (stream.destroyed) return clearInterval(timer)
        for (let told = 0; told < 50; told += 1) stream.additionalHeaders({ ':status': 103 })
        return undefined
      }, 1)
    },
    'timeout',
  ],
  [
    'with headers beyond all bounds',
    (stream) => {
      const value = 'a'.repeat(8_000)
      const many = Array.from({ length: 100 }, (_, at) => [`x-${at}`, value] as const)
      stream.respond({ ':status': 200, ...Object.fromEntries(many) })
      stream.end()
    },
    'reset',
  ],
  [
    'with less than it said',
    (stream) => {
      stream.respond({ ':status': 200, 'content-length': '9' })
      stream.end('half')
    },
    'reset',
  ],
])('a server %s gives no answer, and the next one comes', async ([, act, noAnswer]) => {
  const { client } = await serving((stream, path) =>
    path === '/bad' ? act(stream, path) : served(stream, path),
  )
  expect((await client.send(plain)).response?.status).toBe(200)
  const { response, noAnswer: given } = await client.send({ ...plain, path: '/bad' })
  expect([response, given]).toEqual([null, noAnswer])
  expect((await client.send(plain)).response?.status).toBe(200)
})

test('a body without end is cut, and the next request is answered', async () => {
  const { client } = await serving((stream, path) => {
    if (path !== '/long') return served(stream, path)
    stream.respond({ ':status': 200 })
    const chunk = Buffer.alloc(65_536, 'a')
    const pour = () => {
      while (!stream.destroyed && stream.write(chunk)) {}
    }
    stream.on('drain', pour)
    return pour()
  })
  const { response } = await client.send({ ...plain, path: '/long' })
  expect(response).toMatchObject({ cut: true })
  expect(response?.bytes).toHaveLength(64 * 1024)
  expect((await client.send(plain)).response?.status).toBe(200)
})

test('one after another share a connection, and each of a crowd has its own', async () => {
  const { client, sessions } = await serving((stream, path) => {
    setImmediate(() => served(stream, path))
  })
  for (let sent = 0; sent < 5; sent += 1) await client.send(plain)
  expect(sessions.size).toBe(1)
  await Promise.all(
    Array.from({ length: 5 }, () => client.send({ ...plain, connection: 'own' as const })),
  )
  expect(sessions.size).toBe(6)
})

test('what cannot be sent is no answer of the target, and stops nothing', async () => {
  const { client, heard } = await serving(served)
  const wrong = { ...plain, headers: [['X-Name', 'a\r\nb']] as const }
  await expect(client.send(wrong)).rejects.toThrow()
  await expect(client.send({ ...plain, path: '/a b' })).rejects.toThrow()
  await expect(client.send({ ...plain, headers: [['X-\u043a', 'a']] })).rejects.toThrow()
  await expect(client.send({ ...plain, headers: [['Connection', 'close']] })).rejects.toThrow()
  expect(heard).toEqual([])
  expect((await client.send(plain)).response?.status).toBe(200)
})

test('a connection that a GOAWAY has ended gracefully is gone once it is closed', async () => {
  const { origin } = await serving((stream, path) => {
    served(stream, path)
    stream.session?.goaway(0)
  })
  const { hostname, port } = new URL(origin)
  const socket = connectTls({ host: hostname, port: Number(port), ca, ALPNProtocols: ['h2'] })
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  const connection = openHttp2(new URL(origin), socket)
  const { status } = await connection.send(plain, new AbortController().signal)
  expect(status).toBe(200)
  await vi.waitFor(() => expect(connection.isUsable()).toBe(false))
  connection.close()
  expect(socket.destroyed).toBe(true)
})
