// The files that open sockets, against hostile servers: each wait and each body has a limit.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeFacts } from '../../../tests/fakes/fake-domain-facts.ts'
import { opened, serveBytes } from '../../../tests/raw-server.ts'
import { platformHost } from '../../demo/start-demo.ts'
import { type DnsQuery, decodeQuery, encodeResponse, plainName } from '../../rules/dns-records.ts'
import { type ProbeOrder, pageOrder } from '../facts.ts'
import { queryDns } from './dns-client.ts'
import { probe } from './probe.ts'

const timeoutMs = 150
const name = 'www.example.com'
const question = { name, type: 'CNAME' } as const

/** A DNS server over UDP that sends the given packets. */
const responding = async (reply: (bytes: Buffer) => readonly Uint8Array[]) => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  socket.on('message', (bytes, from) => {
    for (const each of reply(bytes)) socket.send(each, from.port, from.address)
  })
  return `127.0.0.1:${socket.address().port}`
}

const honest = (bytes: Buffer, change: { id?: number; name?: string; truncated?: boolean }) => {
  const query = decodeQuery(bytes) as DnsQuery
  const record = { name, type: 'CNAME', ttl: 60, data: platformHost } as const
  const { truncated = false, ...rest } = change
  const flags = { rcode: 'NOERROR', authoritative: true, truncated } as const
  return encodeResponse({ ...query, ...rest }, { ...flags, answers: [record] })
}

test('a response is accepted, forged ones before it are not', async () => {
  const resolver = await responding((bytes) => [
    honest(bytes, { id: (bytes.readUInt16BE(0) + 1) % 65_536 }),
    honest(bytes, { name: 'other.example.com' }),
    Buffer.from('no packet at all'),
    Buffer.alloc(0),
    honest(bytes, {}),
  ])
  const reply = await queryDns(resolver, question, 5_000)
  expect(reply).toMatchObject({ rcode: 'NOERROR', answers: [{ data: platformHost }] })
})

test.for([
  ['silence', [], 'timeout'],
  ['noise', [Buffer.from('no packet at all'), Buffer.alloc(3)], 'malformed'],
  [
    'a pointer to itself',
    [Buffer.from('000081800001000000000000c00c00050001', 'hex')],
    'malformed',
  ],
] as const)('%s is no response', async ([, packets, failed]) => {
  const resolver = await responding(() => [...packets])
  expect(await queryDns(resolver, question, timeoutMs)).toEqual({ failed })
})

test('a truncated response is requested over TCP, where no server listens', async () => {
  const resolver = await responding((bytes) => [honest(bytes, { truncated: true })])
  expect(await queryDns(resolver, question, timeoutMs)).toEqual({ failed: 'no server' })
})

test('a name in another letter case is the same name', async () => {
  const spelt = (bytes: Buffer) => [honest(bytes, { name: name.toUpperCase() })]
  const reply = await queryDns(await responding(spelt), question, 5_000)
  expect(reply).toMatchObject({ rcode: 'NOERROR' })
  expect(plainName('WWW.Example.com.')).toBe(name)
})

test.for([
  ['with DNSSEC alone', 0x10, true],
  ['in any case', 0, undefined],
] as const)('a question that fails %s', async ([, disabled, isBogus]) => {
  const resolver = await responding((bytes) => {
    const answer = honest(bytes, {})
    // The response code is in the last four bits of the flags.
    if ((bytes.readUInt16BE(2) & disabled) === 0) answer[3] = ((answer[3] ?? 0) & 0xf0) | 2
    return [answer]
  })
  const reply = await queryDns(resolver, question, 5_000)
  expect(reply).toMatchObject({ rcode: 'SERVFAIL' })
  expect('isBogus' in reply ? reply.isBogus : undefined).toBe(isBogus)
})

/** @returns its port */
const serve = async (greet: (socket: Socket) => void): Promise<number> =>
  Number(new URL((await opened(serveBytes(greet))).origin).port)

const limits = { connectMs: 600, responseMs: timeoutMs, bodyBytes: 1_000 }

const send = (port: number, scheme: ProbeOrder['scheme']) => {
  const { settings } = makeFacts([], [], { httpsPort: port })
  return probe({ ...pageOrder(settings, name, '127.0.0.1'), scheme }, { ca: null, limits })
}

test.for([
  ['https', 'tls', 'no handshake', () => {}],
  ['http', 'http', 'no response', () => {}],
  ['https', 'tls', 'text instead of a handshake', (socket: Socket) => socket.end('hello')],
  ['http', 'http', 'text instead of a response', (socket: Socket) => socket.end('hello')],
  ['http', 'http', 'a closed connection', (socket: Socket) => socket.destroy()],
  [
    'http',
    'http',
    'headers without end',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = setInterval(() => socket.write(`a: ${'b'.repeat(9_000)}\r\n`), 1)
      socket.on('close', () => clearInterval(more))
    },
  ],
  [
    'http',
    'http',
    'a slow body',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n')
      const more = setInterval(() => socket.write('a'), 20)
      socket.on('close', () => clearInterval(more))
    },
  ],
] as const)('%s: %s: %s', async ([scheme, stage, , greet]) => {
  const { response, failed, ms } = await send(await serve(greet), scheme)
  expect(response).toBeNull()
  expect(failed?.stage).toBe(stage)
  expect(ms).toBeLessThan(5_000)
})

test('a long body is cut, and its redirect is not followed', async () => {
  const port = await serve((socket) => {
    socket.once('data', () => {
      const head = 'HTTP/1.1 302 Found\r\nLocation: http://203.0.113.9/\r\n\r\n'
      socket.write(head + 'x'.repeat(5_000))
    })
  })
  const { response } = await send(port, 'http')
  expect(response).toMatchObject({ status: 302, cut: true })
  expect(response?.body).toHaveLength(1_000)
})

test('an address without a route is not connected to', async () => {
  const { settings } = makeFacts([], [])
  const { failed, tls } = await probe(pageOrder(settings, name, 'ff0e::1'), { ca: null, limits })
  expect([failed?.stage, tls]).toEqual(['connect', null])
})

test('a port without a server refuses the connection', async () => {
  const { failed } = await send(1, 'https')
  expect(failed).toEqual({ stage: 'connect', code: 'ECONNREFUSED' })
})
