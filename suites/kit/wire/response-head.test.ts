// An unasked 100 is dropped wherever it is cut into pieces; every other byte comes as it was sent.
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { plain } from '../../../tests/plain-request.ts'
import { serveBytes } from '../../../tests/raw-server.ts'
import { createClient } from './client.ts'
import { direct } from './reach.ts'
import { withPlainHeads } from './response-head.ts'

const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'
const unasked = 'HTTP/1.1 100 Continue\r\n\r\n'
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'

/** What comes of pieces through a socket to which a request was written, or not. */
const readFrom = (pieces: readonly string[], isAsked: boolean): string => {
  const left = pieces.filter((piece) => piece !== '').map((piece) => Buffer.from(piece))
  const fake = { read: () => left.shift() ?? null, write: () => true }
  const socket = withPlainHeads(fake as unknown as Socket)
  if (isAsked) socket.write('GET / HTTP/1.1\r\n\r\n')
  const found: Buffer[] = []
  for (let part = socket.read(); part !== null; part = socket.read()) found.push(part)
  return Buffer.concat(found).toString()
}

const inPieces = (text: string, cuts: readonly number[]): string[] => {
  const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length]
  return places.slice(1).map((to, index) => text.slice(places[index], to))
}

test.each([
  ['before the answer', unasked + final, final],
  ['with headers of its own', `HTTP/1.1 100 X\r\nA: b\r\n\r\n${final}`, final],
  ['several times', unasked + unasked + final, final],
  ['beside other interim answers', hints + unasked + hints + final, hints + hints + final],
  ['without a reason', `HTTP/1.1 100\r\n\r\n${final}`, final],
  ['in the body', final.replace('[]', 'HTTP/1.1 100 X\r\n\r\n'), undefined],
  ['only nearly', `HTTP/1.1 1000 X\r\n\r\n${final}`, undefined],
  ['as a change of protocol', 'HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n...', undefined],
  ['as no HTTP', '220 mail.example.com ESMTP\r\n', undefined],
])('%s', (_where, sent, read) => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
      expect(readFrom(inPieces(sent, cuts), true)).toBe(read ?? sent)
    }),
    { seed: 1, numRuns: 50 },
  )
})

test.each([
  ['after the number', 'Content-Length: 2 \t'],
  ['in a head of small letters', 'content-length:2 '],
])('blanks %s of a length are no part of it', (_where, line) => {
  const written = final.replace(/Content-Length: \d+/, line)
  const read = final.replace(/Content-Length: \d+/, line.trimEnd())
  expect(written).not.toBe(read)
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
      expect(readFrom(inPieces(written, cuts), true)).toBe(read)
    }),
    { seed: 1, numRuns: 50 },
  )
})

test('what was not asked for at all comes as it is', () => {
  expect(readFrom([unasked, final], false)).toBe(unasked + final)
})

test('a head without an end is held no longer than any head may be', () => {
  const long = `HTTP/1.1 100 ${'a'.repeat(70_000)}`
  expect(readFrom(inPieces(long, [5, 9_000, 68_000]), true)).toBe(long)
})

test('the answer that follows is read, on the same connection again and again', async () => {
  const server = await serveBytes((socket) => {
    socket.on('data', () => {
      socket.write(unasked)
      setImmediate(() => socket.write(final))
    })
  })
  onTestFinished(server.close)
  const { signal } = new AbortController()
  const { origin } = server
  const client = createClient({ origin, timeoutMs: 5_000, reach: direct, signal })
  onTestFinished(client.close)
  for (const method of ['GET', 'POST', 'POST']) {
    const { response } = await client.send({ ...plain, method, body: null })
    expect(response?.status).toBe(200)
  }
  expect(server.connections()).toBe(1)
})
