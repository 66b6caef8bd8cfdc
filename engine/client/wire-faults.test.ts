// What no answer may mean: a hint where the target looks as if it spoke TLS, and none elsewhere.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { plain } from '../../tests/plain-request.ts'
import { type RawServer, serveActs, serveActsOverTls, serveBytes } from '../../tests/raw-server.ts'
import { createClient } from './client.ts'
import { direct } from './reach.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`./fixtures/${name}.pem`, import.meta.url), 'utf8')
const pem = { key: fixture('loopback-key'), cert: fixture('loopback-certificate') }

/** Asks a server so often, in plain HTTP. @returns what became of the last request */
const endingAt = async (server: Promise<RawServer>, times: number) => {
  const { origin, close } = await server
  const { signal } = new AbortController()
  const plainOrigin = origin.replace('https:', 'http:')
  const client = createClient({ origin: plainOrigin, timeoutMs: 5_000, reach: direct, signal })
  onTestFinished(async () => {
    await client.close()
    await close()
  })
  for (let sent = 1; sent < times; sent += 1) await client.send(plain)
  const { noAnswer, noAnswerWhy } = await client.send(plain)
  return [noAnswer, noAnswerWhy]
}

const afterHead = (act: (socket: Socket) => void) =>
  serveBytes((socket) => socket.once('data', () => act(socket)))

test('a server of TLS that closes may speak https', async () => {
  const server = serveActsOverTls(pem, () => ({ status: 200 }))
  const why = 'not a byte of it came; does it speak https?'
  expect(await endingAt(server, 1)).toEqual(['reset', why])
})

test('a server that sends an alert speaks https', async () => {
  const server = afterHead((socket) => socket.end('150301000202460a', 'hex'))
  expect(await endingAt(server, 1)).toEqual(['not-http', 'it is TLS: is it https:// ?'])
})

test.for([
  ['HTTP/1.1 200 OK\r\nContent-Le', 'reset', undefined],
  ['hello', 'not-http', 'Expected HTTP/, RTSP/ or ICE/'],
  ['HTTP/1.1 000 OK\r\n\r\n', 'not-http', 'its status is below 100'],
  ['HTTP/1.1 0 OK\r\n\r\n', 'not-http', 'Invalid status code'],
] as const)('what closes after %j does not', async ([text, noAnswer, why]) => {
  expect(
    await endingAt(
      afterHead((socket) => socket.end(text)),
      1,
    ),
  ).toEqual([noAnswer, why])
})

test('what has answered does not', async () => {
  let seen = 0
  const server = serveActs(() => (seen++ === 0 ? { status: 200 } : 'drop'))
  expect(await endingAt(server, 2)).toEqual(['reset', undefined])
})
