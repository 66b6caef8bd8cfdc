// The reference with single spoilt responses: checks about anything else must end as usual.
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Hostile } from './broken-servers.ts'
import {
  breaks,
  type Ending,
  legal,
  pour,
  raw,
  type Spoil,
  spoiling,
  unread,
  type ValidResponse,
} from './servers.ts'

/** The lists of one status alone. */
const isMeant = (path: string): boolean => path.includes('status=pending')
/** The checks of these responses, and the clauses. */
const ofThem = /pending|^status-due$|^(walk|answer|body|header|headers|limit|pet|list|response)-/

const spoilt = (does: string, ends: Ending, spoil: Spoil): Hostile => ({
  does,
  start: () => spoiling(isMeant, spoil),
  ends,
})

const withBody = (does: string, ends: Ending, change: (body: Buffer) => Buffer | string): Hostile =>
  spoilt(does, ends, (socket, response) => {
    socket.write(raw({ ...response, body: Buffer.from(change(response.body) as Buffer) }))
  })

const withHead = (
  does: string,
  ends: Ending,
  headers: (response: ValidResponse) => Readonly<Record<string, string | null>>,
): Hostile =>
  spoilt(does, ends, (socket, response) => socket.write(raw(response, headers(response))))

/** What is written for the head, in other words, and then closed or not. */
const withText = (does: string, ends: Ending, text: (whole: string) => string): Hostile =>
  spoilt(does, ends, (socket, response) => {
    socket.write(text(raw(response).toString('latin1')), 'latin1')
  })

const broken = breaks(ofThem)
/** A should is violated, and nothing else. */
const coded: Ending = { ...legal, concerns: /^body-coding-identity$/ }
const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '), { level: 1 })
const members = Array.from({ length: 1_000_000 }, (_, at) => `"m${at}":0`)
const millionMembers = Buffer.from(`[{${members.join()}}]`)
const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Length': null }
const empty = Buffer.alloc(0)

const bodies: readonly Hostile[] = [
  spoilt('never ends its body', broken, (socket, response) => {
    socket.write(raw({ ...response, body: Buffer.from('[') }, { 'Content-Length': '99999999999' }))
    pour(socket, Buffer.alloc(65_536, ' '))
  }),
  spoilt('never ends its chunks', broken, (socket, response) => {
    socket.write(raw({ ...response, body: empty }, chunked))
    pour(socket, `1000\r\n${' '.repeat(4096)}\r\n`)
  }),
  withHead('sends less than it announced', broken, ({ body }) => ({
    'Content-Length': String(body.length + 10),
  })),
  withHead('sends more than it announced', broken, ({ body }) => ({
    'Content-Length': String(body.length - 10),
  })),
  spoilt('sends chunks that are none', broken, (socket, response) => {
    socket.write(raw({ ...response, body: Buffer.from('zz\r\nnone\r\n') }, chunked))
  }),
  spoilt('resets within the body', broken, (socket, response) => {
    socket.write(raw({ ...response, body: Buffer.from('[') }, { 'Content-Length': '100' }), () =>
      socket.resetAndDestroy(),
    )
  }),
  spoilt('packs a bomb in gzip, unasked', broken, (socket, response) => {
    socket.write(raw({ ...response, body: bomb }, { 'Content-Encoding': 'gzip' }))
  }),
  withBody('sends UTF-16', broken, (body) => Buffer.from(body.toString(), 'utf16le')),
  withBody('sends what is no UTF-8', broken, () =>
    Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d]),
  ),
  withBody('sends a NUL', broken, (body) => `${body}\0`),
  withBody('nests its JSON deeply', broken, () => '['.repeat(200_000)),
  {
    ...withBody(
      'never closes a string of escaped quotes',
      broken,
      () => `"${'\\"'.repeat(524_000)}`,
    ),
    // Each escape is searched for a key.
    memoryMostMiB: 500,
  },
  withBody('sends a number beyond all bounds', broken, (body) =>
    body.toString().replace(/"id":-?\d+/g, `"id":${'9'.repeat(5_000)}`),
  ),
  {
    // Each value is many times as long in memory as it is here.
    ...withBody('sends as many values as 1 MiB holds', legal, () => `[${'{},'.repeat(349_000)}{}]`),
    memoryMostMiB: 500,
  },
  withBody('sends a million members', legal, () => millionMembers),
  ...['9', '1.9', '-0.9', '1e9', '9e-9'].map((number) =>
    withBody(`has a number of a million digits, as in ${number}`, legal, (body) =>
      body.toString().replace(/\}(?=\]$)/, `,"more":${number}${'9'.repeat(1_000_000)}}`),
    ),
  ),
  withBody('sends a body of 2 MiB', legal, () => `[${' '.repeat(2 * 1024 * 1024)}]`),
  withBody('nests a member deeper than is read', legal, (body) =>
    // A name may have a brace of its own.
    body
      .toString()
      .replace(/"(?:[^"\\]|\\.)*"|\}/g, (found) =>
        found === '}' ? `,"tree":${'['.repeat(600)}${']'.repeat(600)}}` : found,
      ),
  ),
  spoilt('packs its body in a coding that nobody knows', coded, (socket, response) => {
    socket.write(raw(response, { 'Content-Encoding': 'x-snappy' }))
  }),
  spoilt('names a coding that its body is not in', broken, (socket, response) => {
    socket.write(raw(response, { 'Content-Encoding': 'gzip' }))
  }),
  spoilt('packs its body in gzip, and that in zstd', coded, (socket, response) => {
    const body = zstdCompressSync(gzipSync(response.body))
    socket.write(raw({ ...response, body }, { 'Content-Encoding': 'gzip, zstd' }))
  }),
  spoilt('has an empty stream of gzip after another, without an end', coded, (socket, response) => {
    const body = Buffer.concat([gzipSync(response.body), ...Array(40_000).fill(gzipSync(''))])
    socket.write(raw({ ...response, body }, { 'Content-Encoding': 'gzip' }))
  }),
  withBody(
    'sends commands to whatever runs the job',
    broken,
    () => `##vso[task.setvariable variable=a;isOutput=true]b ##[add-mask]a\n::set-output name=a::b`,
  ),
  withBody('sends a page for people', broken, () => '<script>alert(1)</script>\u001b[2J'),
]

const heads: readonly Hostile[] = [
  withText('has a character in a header that none has', broken, (whole) =>
    whole.replace('\r\n', '\r\nX-Strange: a\0b\r\n'),
  ),
  withText('folds a header', broken, (whole) => whole.replace('\r\n', '\r\nX-Long: a\r\n b\r\n')),
  withText('announces two lengths', unread, (whole) =>
    whole.replace('\r\n', '\r\nContent-Length: 7\r\n'),
  ),
  withText('announces a length and chunks', broken, (whole) =>
    whole.replace('\r\n', '\r\nTransfer-Encoding: chunked\r\n'),
  ),
  withText('has a header of 100 kB', unread, (whole) =>
    whole.replace('\r\n', `\r\nX-Long: ${'a'.repeat(100_000)}\r\n`),
  ),
  withText('has 3,000 headers', legal, (whole) =>
    whole.replace('\r\n', `\r\n${'X-Many: a\r\n'.repeat(3_000)}`),
  ),
  withText('has a status of four digits', broken, (whole) => whole.replace(' 200 ', ' 2000 ')),
  withText('has a status of another kind', broken, (whole) => whole.replace(' 200 ', ' 999 ')),
  withHead('says commands in its headers', broken, () => ({
    'X-RateLimit-Limit': '##[error]60',
    'Content-Type': 'text/plain; ##vso[task.complete result=Succeeded;]',
    'X-Other': '##[group]::error::',
  })),
  withHead('says Remaining twice, and not the same', broken, () => ({
    'X-RateLimit-Remaining': '7\r\nX-RateLimit-Remaining: 9',
  })),
  withHead('says a Reset that no number holds', broken, () => ({
    'X-RateLimit-Reset': '9'.repeat(400),
  })),
  withHead('says another media type as well', broken, () => ({
    'Content-Type': 'application/json\r\nContent-Type: text/html',
  })),
  spoilt('redirects to another host', broken, (socket, response) => {
    socket.write(raw({ ...response, status: 307 }, { Location: 'http://127.0.0.1:1/v1/pets' }))
  }),
  spoilt('sends a body with a 204', broken, (socket, response) => {
    socket.write(raw({ ...response, status: 204 }))
  }),
  spoilt('is out of order now and then', broken, (socket, response) => {
    socket.write(raw({ ...response, status: 503, body: Buffer.from('{}') }))
  }),
]

const strange: readonly Hostile[] = [
  withText(
    'sends ten interim responses before',
    legal,
    (whole) => `${'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(10)}${whole}`,
  ),
  withText(
    'says to continue before, unasked',
    unread,
    (whole) => `HTTP/1.1 100 Continue\r\n\r\n${whole}`,
  ),
  withHead('has spaces after a length', legal, ({ body }) => ({
    'Content-Length': `${body.length} \t`,
  })),
  withHead('offers another protocol', legal, () => ({ Upgrade: 'h2c', Connection: 'Upgrade' })),
  withHead('says it is another day', { ...legal, concerns: /^date-advances$/ }, () => ({
    Date: 'Mon, 01 Jan 2001 00:00:00 GMT',
  })),
  withHead('says no day at all', { ...legal, concerns: /^date-present$/ }, () => ({
    Date: 'yesterday',
  })),
  withBody('pads its JSON', legal, (body) => `${' '.repeat(100_000)}${body}\n\n`),
  withBody('adds members that a careless reader obeys', legal, (body) =>
    body
      .toString()
      // A brace within a string is a part of a name.
      .replace(/"(?:[^"\\]|\\.)*"|\}/g, (found) =>
        found === '}' ? ',"__proto__":{"polluted":true},"constructor":"\\u001b[2J"}' : found,
      ),
  ),
  spoilt('responds as HTTP/1.0, and closes', legal, (socket, response) => {
    const whole = raw(response).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0')
    socket.end(whole, 'latin1')
  }),
  spoilt('closes after each response without announcing it', legal, (socket, response) => {
    socket.end(raw(response))
  }),
  {
    does: 'drops each ninth connection without a response',
    start: () =>
      spoiling(
        (_path, before) => before % 9 === 5,
        (socket) => socket.destroy(),
      ),
    ends: unread,
  },
]

export const hostileResponses: readonly Hostile[] = [...bodies, ...heads, ...strange]
