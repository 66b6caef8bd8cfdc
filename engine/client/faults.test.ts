// Requests without a response: the kind of the fault, and a hint where the target may speak TLS.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
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

const fixture = (name: string) =>
  readFileSync(new URL(`./fixtures/${name}.pem`, import.meta.url), 'utf8')
const pem = { key: fixture('loopback-key'), cert: fixture('loopback-certificate') }

const opened = async (server: Promise<RawServer>): Promise<RawServer> => {
  const ready = await server
  onTestFinished(ready.close)
  return ready
}

/** Reads the head of a request, then does this. */
const afterHead = (act: (socket: Socket) => void) =>
  opened(serveBytes((socket) => socket.once('data', () => act(socket))))

const clientOf = (origin: string, differing: Partial<ClientOptions> = {}) => {
  const { signal } = new AbortController()
  const client = createClient({ origin, timeoutMs: 5_000, reach: direct, signal, ...differing })
  onTestFinished(client.close)
  return client
}

const endOf = async (origin: string, differing: Partial<ClientOptions> = {}) => {
  const { response, noAnswer, noAnswerWhy } = await clientOf(origin, differing).send(plain)
  return response ? [response.status] : [noAnswer, noAnswerWhy]
}

const head = 'HTTP/1.1 200 OK\r\n'
const unreadHead = 'undici cannot read its head, from Content-Length on'
const longHead = 'its head is longer than 64 KiB'

test.for([
  ['', 'reset', 'no byte was received; did you mean https://?'],
  [`${head}Content-Le`, 'reset', undefined],
  [`${head}Content-Length: 9\r\n\r\nhalf`, 'reset', undefined],
  [`${head}Transfer-Encoding: chunked\r\n\r\n9\r\nhalf`, 'reset', undefined],
  ['hello', 'not-http', 'Expected HTTP/, RTSP/ or ICE/'],
  ['garbage\n', 'not-http', 'Expected HTTP/, RTSP/ or ICE/'],
  ['HTTP/1.1 OK\r\n\r\n', 'not-http', 'Invalid status code'],
  ['HTTP/1.1 000 OK\r\n\r\n', 'not-http', 'its status is below 100'],
  ['HTTP/1.1 0 OK\r\n\r\n', 'not-http', 'Invalid status code'],
  [`${head}Content-Length: two\r\n\r\n`, 'not-http', 'Invalid character in Content-Length'],
  [
    '\x15\x03\x01\x00\x02\x02\x46',
    'not-http',
    'the server speaks TLS on this port; did you mean https://?',
  ],
  [`${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\n`, 'unread', longHead],
  [`${head}${'X-Many: a\r\n'.repeat(10_000)}\r\n`, 'unread', longHead],
  [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]',
    'unread',
    'it begins with 100 Continue, which was not requested',
  ],
  [`${head}Content-Length: 2 \t\r\n\r\n[]`, 'unread', unreadHead],
  [`${head}Content-Length: 3\r\nContent-Length: 2\r\n\r\n[]`, 'unread', unreadHead],
] as const)('a server that sends %j and closes', async ([text, noAnswer, why]) => {
  const { origin } = await afterHead((socket) => socket.end(text, 'latin1'))
  expect(await endOf(origin)).toEqual([noAnswer, why])
})

test('a closed port is a refusal', async () => {
  expect(await endOf(await closedOrigin())).toEqual(['refused', undefined])
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
  expect(await client.send(plain)).toMatchObject({ noAnswer: 'reset' })
  expect((await client.send(plain)).noAnswerWhy).toBeUndefined()
})

describe('TLS', () => {
  const serveTls = () => opened(serveActsOverTls(pem, () => ({ status: 200, body: '[]' })))

  test('with a certificate that is not trusted fails, and sends nothing', async () => {
    const server = await serveTls()
    expect((await endOf(server.origin))[0]).toBe('tls')
    expect(server.heard).toEqual([])
    expect(await endOf(server.origin, { reach: { ...direct, ca: pem.cert } })).toEqual([200])
  })

  test('and plain HTTP do not understand each other', async () => {
    const [plainHttp, tls] = [await opened(serveActs(() => ({ status: 200 }))), await serveTls()]
    expect((await endOf(plainHttp.origin.replace('http:', 'https:')))[0]).toBe('tls')
    const why = 'no byte was received; did you mean https://?'
    expect(await endOf(tls.origin.replace('https:', 'http:'))).toEqual(['reset', why])
  })
})
