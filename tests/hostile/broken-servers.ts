// Targets that are broken as a whole: with most of them a run cannot start.
import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { atTestEnd } from '../at-test-end.ts'
import {
  type Ending,
  fails,
  impossible,
  legal,
  onRequest,
  pour,
  raw,
  type Spoil,
  spoiling,
  type Target,
  undecided,
  unjudged,
} from './servers.ts'

export interface Hostile {
  readonly does: string
  readonly start: () => Promise<Target>
  readonly ends: Ending
  /** Absent: the limit of every other target. */
  readonly memoryMostMiB?: number
}

const bytes = (does: string, ends: Ending, act: (socket: Socket) => void): Hostile => ({
  does,
  start: () => onRequest(act),
  ends,
})

const says = (does: string, ends: Ending, text: string): Hostile =>
  bytes(does, ends, (socket) => socket.end(text))

/** Writes this slowly, again and again, for as long as anyone listens. */
export const drip = (socket: Socket, piece: string): void => {
  const timer = setInterval(() => socket.write(piece), 20)
  socket.on('close', () => clearInterval(timer))
}

const json = 'Content-Type: application/json\r\n'
const httpText = (status: string, headers: string, body: string): string =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`

const refusing = (retryAfter: string): Hostile =>
  bytes(`refuses all, with Retry-After: ${retryAfter}`, undecided, (socket) => {
    const refusal = httpText('429 X', `${json}Retry-After: ${retryAfter}\r\n`, '{}')
    socket.write(refusal)
    socket.on('data', () => socket.write(refusal))
  })

/** A queue of one that is full: the system does not respond to new connections. */
const neverAccepts = async (): Promise<Target> => {
  const worker = new Worker(new URL('./never-accepts.mjs', import.meta.url))
  atTestEnd(async () => {
    await worker.terminate()
  })
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  return { baseUrl: `http://127.0.0.1:${port}/v1`, clockUrl: null }
}

/** No UTF-8, so each is kept as text and in base64, and read by no check. */
const longNoise = Buffer.alloc(900 * 1024, 0xff)

/** The first object of a body begins so. */
const withFirst = (body: Buffer, begin: string): Buffer =>
  Buffer.from(body.toString().replace('{', begin))

const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '), { level: 1 })
const manyValues = Buffer.from(`[${'{},'.repeat(349_000)}{}]`)

const blanks = Buffer.alloc(1_100_000, ' ')
const tree = `{"tree":${'['.repeat(100_000)}${']'.repeat(100_000)},`
const chunkOfBlanks = `1000\r\n${' '.repeat(4_096)}\r\n`

/** The reference, of which every response is spoilt. */
const inEach = (does: string, ends: Ending, spoil: Spoil, memoryMostMiB?: number): Hostile => ({
  does,
  start: () => spoiling(() => true, spoil),
  ends,
  ...(memoryMostMiB !== undefined && { memoryMostMiB }),
})

const longType = `application/json;${' '.repeat(12_000)}charset=utf-8`
/** A connection serves one request, and is reset at the next. */
const used = new WeakSet<Socket>()
const noSuchKey = Buffer.from('{"code":"unauthorized","message":"No such key.","status":401}')

const spoilt: readonly Hostile[] = [
  // The memory of its run: the bodies that it may keep, and their redacted copies.
  inEach(
    'sends 900 KiB of noise in every response',
    fails(/\d musts? violated/),
    (socket, response) => socket.write(raw({ ...response, body: longNoise })),
    400,
  ),
  // No body of it is read, so that none is judged.
  inEach(
    'sends 1 MiB of blanks before every body',
    unjudged,
    (socket, response) => {
      socket.write(raw({ ...response, body: Buffer.concat([blanks, response.body]) }))
    },
    400,
  ),
  inEach(
    'packs a bomb of 300 MiB in every response',
    impossible(/had not ended after 16 MiB/),
    (socket, response) => {
      socket.write(raw({ ...response, body: bomb }, { 'Content-Encoding': 'gzip' }))
    },
    400,
  ),
  inEach(
    'sends as many values as 1 MiB holds in every response',
    unjudged,
    (socket, response) => socket.write(raw({ ...response, body: manyValues })),
    500,
  ),
  inEach('nests each body 100,000 deep', unjudged, (socket, response) => {
    socket.write(raw({ ...response, body: withFirst(response.body, tree) }))
  }),
  inEach('ends no list', impossible(/had not ended after 16 MiB/), (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${json}Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n`)
    pour(socket, chunkOfBlanks)
  }),
  inEach('has a number of a million digits in every body', unjudged, (socket, response) => {
    const more = `{"more":${'9'.repeat(1_000_000)},`
    socket.write(raw({ ...response, body: withFirst(response.body, more) }))
  }),
  {
    // Its key is served sixty times, and then is none.
    does: 'takes its key for invalid from some request on',
    start: () =>
      spoiling(
        (_path, before) => before >= 60,
        (socket, response) => socket.write(raw({ ...response, status: 401, body: noSuchKey })),
      ),
    ends: { ...undecided, says: /free-1 worked before and gets 401 now: it was revoked/ },
  },
  {
    does: 'sends garbage in place of most of its responses',
    start: () =>
      spoiling(
        (_path, before) => before >= 12 && before % 5 > 0,
        (socket) => socket.end('GARBAGE 99 nothing\r\n\r\n'),
      ),
    ends: impossible(
      /most of the latest control requests got no response: the response is not HTTP/,
    ),
  },
  inEach('resets each connection at its second request', legal, (socket, response) => {
    if (used.has(socket)) socket.resetAndDestroy()
    else socket.write(raw(response))
    used.add(socket)
  }),
  inEach(
    'sends 100 Continue before every response, unrequested',
    impossible(/begins with 100 Continue/),
    (socket, response) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      socket.write(raw(response))
    },
  ),
  inEach('has a long row of blanks within a header of every response', legal, (socket, response) =>
    socket.write(raw(response, { 'Content-Type': longType })),
  ),
]

const late = impossible(/timed out/)
const strange = impossible(/not HTTP/)
const closed = impossible(/closed before the response was complete/)

export const wholes: readonly Hostile[] = [
  { does: 'never accepts a connection', start: neverAccepts, ends: late },
  bytes('is silent', late, () => {}),
  bytes('sends a byte now and then', late, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Long: ')
    drip(socket, 'a')
  }),
  bytes('sends its body slowly, without an end', late, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${json}\r\n`)
    drip(socket, ' ')
  }),
  bytes('sends headers without an end', impossible(/its head is longer than 64 KiB/), (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    pour(socket, `X-More: ${'a'.repeat(1_000)}\r\n`)
  }),
  bytes('sends interim responses without an end', late, (socket) => {
    drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')
  }),
  bytes('closes at once', closed, (socket) => socket.destroy()),
  bytes('resets the connection', closed, (socket) => socket.resetAndDestroy()),
  says('speaks something else', strange, '220 mail.example.com ESMTP\r\n'),
  says('sends a body without a head', strange, '[]'),
  says(
    'switches to another protocol unasked',
    impossible(/./),
    'HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n',
  ),
  says('redirects to itself', fails(/redirect/), httpText('302 X', 'Location: /v1/pets\r\n', '')),
  says('refuses the key', impossible(/refused with 401/), httpText('401 X', json, '{}')),
  says('is out of order', fails(/50[0-9]|5xx/), httpText('503 X', json, '{}')),
  refusing('31536000'),
  refusing('-1'),
  refusing('Thu, 01 Jan 2099 00:00:00 GMT'),
  {
    does: 'speaks plain HTTP where TLS is expected',
    start: async () => {
      const { baseUrl } = await onRequest((socket) => socket.end(httpText('200 X', json, '[]')))
      return { baseUrl: baseUrl.replace('http:', 'https:'), clockUrl: null }
    },
    ends: impossible(/TLS/),
  },
  ...spoilt,
]
