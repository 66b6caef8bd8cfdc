// Connections to servers that do not speak HTTP or are not trusted: bounded, and no key is sent.
import dns from 'node:dns'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { direct } from '../engine/http/connection-options.ts'
import { atTestEnd } from '../tests/at-test-end.ts'
import { driven, ok, opened, statuses } from '../tests/drive.ts'
import { certificate as makeCertificate } from '../tests/hostile/certificate-servers.ts'
import { closedOrigin, serveActsOverTls, serveBytes } from '../tests/raw-server.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../engine/http/fixtures/${name}.pem`, import.meta.url), 'utf8')
const certificate = fixture('loopback-certificate')
const pem = { key: fixture('loopback-key'), cert: certificate }

describe('a server that does not speak HTTP', () => {
  test('is not retried as fast as it refuses', async () => {
    const { sent, neverSent, ended, why } = await driven(await closedOrigin(), { connections: 3 })
    expect([sent, neverSent, ended, why]).toEqual([0, 23, 'unreachable', 'ECONNREFUSED'])
  })

  test.for([
    ['closes each connection', ''],
    ['says what is no HTTP', 'hello\r\n\r\n'],
    [
      'sends more responses than it got requests',
      `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`.repeat(3),
    ],
    ['never ends its headers', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}`],
    ['has a body beyond all bounds', `HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(2_000_000)}`],
  ] as const)('and %s ends the load', async ([, bytes]) => {
    const { origin } = await opened(
      serveBytes((socket) => {
        socket.on('data', () => {
          if (bytes === '') socket.destroy()
          else socket.write(bytes)
        })
      }),
    )
    const result = await driven(
      origin,
      { amount: 100_000, durationMs: 400 },
      { responseTimeoutMs: 100 },
    )
    expect(['done', 'unreachable']).toContain(result.ended)
    expect(result.durationMs).toBeLessThan(2_000)
  })

  test('that accepts and says nothing is given up after a while', async () => {
    const { origin } = await opened(serveBytes(() => {}))
    const load = { connections: 2, overallMs: 400 }
    const { ended, all } = await driven(origin, load, { responseTimeoutMs: 150 })
    expect(ended).toBe('overall-timeout')
    expect(statuses(all).filter((each) => each === 'timeout').length).toBeGreaterThan(1)
  })
})

/** A name with several addresses, whose order changes; modules are loaded once per worker. */
const resolveInTurns = () => {
  const own = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  const all = [{ address: '::1', family: 6 }, ...own]
  let times = 0
  const lookup = (_host: string, _options: object, done: (...given: unknown[]) => void) => {
    times += 1
    done(null, times % 2 === 0 ? all : all.toReversed())
  }
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup)
  syncBuiltinESMExports()
  atTestEnd(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

test('new connections go to the addresses in turn, whatever the order of a resolver', async () => {
  const reached: (string | undefined)[] = []
  const server = createServer(({ socket }, response) => {
    reached.push(socket.localAddress)
    response.end('[]')
  })
  await once(server.listen(0, '0.0.0.0'), 'listening')
  resolveInTurns()
  atTestEnd(() => void server.close())
  const { port } = server.address() as AddressInfo
  const load = { amount: 4, connections: 1, newConnections: true } as const
  expect((await driven(`http://two.test:${port}`, load)).answered).toBe(4)
  const [one, two] = ['127.0.0.1', '127.0.0.2']
  expect(reached).toEqual([one, two, one, two])
})

describe('over TLS', () => {
  const trusting = { ...direct, ca: certificate }

  const expired = () => makeCertificate({ names: ['127.0.0.1'], days: [-3, -1] })

  test.for([
    [
      'is not trusted',
      '127.0.0.1',
      async () => ({ own: pem, ca: null }),
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
    [
      'is for another name',
      'localhost',
      async () => ({ own: pem, ca: certificate }),
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    [
      'has expired',
      '127.0.0.1',
      async () => {
        const own = await expired()
        return { own, ca: own.cert }
      },
      'CERT_HAS_EXPIRED',
    ],
  ] as const)('nothing is sent where the certificate %s', async ([, host, given, because]) => {
    const { own, ca } = await given()
    const server = await opened(serveActsOverTls(own, () => ok))
    const named = server.origin.replace('127.0.0.1', host)
    const { sent, ended, why } = await driven(named, {}, { reach: { ...direct, ca } })
    expect([sent, ended, why]).toEqual([0, 'unreachable', because])
    expect(server.heard).toEqual([])
  })

  test('nothing but a handshake is sent to a server of plain HTTP', async () => {
    const chunks: Buffer[] = []
    const plain = await opened(
      serveBytes((socket) => {
        socket.on('data', (chunk) => {
          chunks.push(chunk)
          socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
        })
      }),
    )
    const { sent, ended } = await driven(plain.origin.replace('http:', 'https:'))
    expect([sent, ended]).toEqual([0, 'unreachable'])
    // 0x16: a record of a handshake.
    expect(chunks.map(([first]) => first)).toEqual(chunks.map(() => 0x16))
    const received = Buffer.concat(chunks).toString('latin1')
    for (const part of ['/v1/pets', 'Bearer', 'key-of-free-1']) expect(received).not.toContain(part)
  })

  test('any certificate is accepted with insecure', async () => {
    const server = await opened(serveActsOverTls(pem, () => ok))
    expect(
      (await driven(server.origin, {}, { reach: { ...direct, insecure: true } })).answered,
    ).toBe(23)
  })

  test('a client certificate is sent to a server that requests one', async () => {
    const wants = { ...pem, requestCert: true, rejectUnauthorized: true, ca: certificate }
    const server = await opened(serveActsOverTls(wants, () => ok))
    const shown = { ...trusting, identity: { cert: certificate, key: pem.key } }
    expect((await driven(server.origin, {}, { reach: shown })).answered).toBe(23)
    expect((await driven(server.origin, {}, { reach: trusting })).answered).toBe(0)
    expect(server.heard).toHaveLength(23)
  })
})
