// Hostile or broken servers: of raw bytes, or the reference with one spoilt response, and how
// a run at one has to end.
import { type IncomingMessage, request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { listening, serveWith } from '../raw-server.ts'
import { serveReference } from '../serve-reference.ts'

export interface Target {
  readonly baseUrl: string
  readonly clockUrl: string | null
}

export const key = 'petvet-test-key-hostile'

/** Does this to every connection, once its request has begun. */
export const onRequest = async (act: (socket: Socket) => void): Promise<Target> => {
  const origin = await listening(createServer((socket) => socket.once('data', () => act(socket))))
  return { baseUrl: `${origin}/v1`, clockUrl: null }
}

/** The response of the reference, before it is spoilt. */
export interface ValidResponse {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** Writes a response, or something else, in place of the valid one. */
export type Spoil = (socket: Socket, response: ValidResponse) => void

const pairs = (flat: readonly string[]): [string, string][] =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? '', flat[2 * i + 1] ?? ''])

const ask = async (origin: string, incoming: IncomingMessage): Promise<ValidResponse> => {
  const sent = request(`${origin}${incoming.url}`, {
    method: incoming.method ?? '',
    headers: incoming.headers,
    agent: false,
  })
  incoming.pipe(sent)
  const incomingResponse = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
  })
  const body = Buffer.concat(await incomingResponse.toArray())
  return {
    status: incomingResponse.statusCode ?? 0,
    headers: pairs(incomingResponse.rawHeaders),
    body,
  }
}

/** The head and body as a server writes them, with other headers if given. */
export const raw = (
  { status, headers, body }: ValidResponse,
  other: Readonly<Record<string, string | null>> = {},
): Buffer => {
  const replaced = Object.keys(other).map((name) => name.toLowerCase())
  const own = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', ...replaced]
  const lines = [
    ...headers.filter(([name]) => !own.includes(name.toLowerCase())),
    ...(replaced.includes('content-length') ? [] : [['Content-Length', String(body.length)]]),
    ...Object.entries(other).filter(([, value]) => value !== null),
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`), body])
}

/** Writes this again and again, each time as soon as the last one has left. */
export const pour = (socket: Socket, part: Buffer | string): void => {
  const more = () => {
    for (let wrote = true; wrote && socket.writable; ) wrote = socket.write(part)
  }
  socket.on('drain', more)
  more()
}

/** The reference behind a proxy that spoils the responses to selected requests. */
export const spoiling = async (
  isMeant: (path: string, before: number) => boolean,
  spoil: Spoil,
): Promise<Target> => {
  const reference = await serveReference({ keys: [{ plan: 'free', key }], clockPort: 0 })
  const inner = new URL(reference.url).origin
  let before = 0
  const origin = await serveWith(async (incoming) => {
    const meant = isMeant(incoming.url ?? '', before)
    before += 1
    const response = await ask(inner, incoming)
    if (meant) spoil(incoming.socket, response)
    else incoming.socket.write(raw(response))
  })
  return { baseUrl: `${origin}/v1`, clockUrl: reference.clockUrl ?? null }
}

export interface Ending {
  /** The exit code; where it depends on which requests are hit, a pattern of them. */
  readonly code: number | string
  /** What its terminal report says. */
  readonly says: RegExp
  /** The checks that may end differently from the valid reference. */
  readonly concerns: RegExp | null
  /** Whether at least one of them must fail. */
  readonly mustFail: boolean
}

/** It ends so, and no check ends differently from the valid reference. */
const ending = (code: Ending['code'], says: RegExp): Ending => ({
  code,
  says,
  concerns: null,
  mustFail: false,
})

export const impossible = (says: RegExp): Ending => ending(3, says)

export const fails = (says: RegExp): Ending => ending(1, says)

export const undecided = ending(4, /undecided/)

/** No body is read: nothing fails, and the run stays undecided (ruling 11). */
export const unjudged = ending(4, /blocked: a body .* is not read/)

/** It is strange and legal, and so much of it may be left untested that the run is undecided. */
export const unread: Ending = {
  ...ending('[04]', /conformant|undecided|violations? found/),
  concerns: /^(response|create-together|list|get|header|body|pet|answer|date|limit|error)-/,
}

/** The spoilt responses violate the requirements of these checks, and no other check fails. */
export const breaks = (concerns: RegExp): Ending => ({
  ...fails(/not conformant/),
  concerns,
  mustFail: true,
})

/** It is strange and legal: every check ends as with the valid reference. */
export const legal = ending(0, /conformant|no violations found/)
