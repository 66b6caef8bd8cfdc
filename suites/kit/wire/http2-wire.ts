// HTTP/2 to one origin: a connection bears one request at a time, as over HTTP/1.1, so that what is
// asked about connections and crowds means the same. Headers go and come as they stand, doubled
// ones too, and nothing is sent a second time unasked.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { ReceivedResponse } from '../exchange.ts'
import { withoutEnds } from '../field-value.ts'
import type { Header } from '../request.ts'
import { readBytes } from './read-body.ts'
import { steadyMs } from './steady-time.ts'
import { faultOf, WireError } from './wire-faults.ts'
import type { WireRequest } from './wire-request.ts'

/** As many as fit into the head of an answer that HTTP/1.1 would take. */
const headersMost = 2_000
/** One that was idle for longer may be closed by the target at any moment. */
const idleMostMs = 4_000

/** One connection, and what it bears. */
export interface Http2Connection {
  /** @throws WireError; a TypeError where it cannot be sent */
  readonly send: (request: WireRequest, signal: AbortSignal) => Promise<ReceivedResponse>
  /** Whether the next request may be sent on it. */
  readonly isUsable: () => boolean
  readonly close: () => void
}

/** Space around a value is no part of it, and forbidden here (RFC 9113, 8.2.1). */
const fieldsOf = (headers: readonly Header[]): string[] =>
  headers.flatMap(([name, value]) => [name.toLowerCase(), withoutEnds(value)])

/** What HTTP/1.1 could not send is not sent here: the library would take it out, or send it. */
const refuse = ({ path, headers }: WireRequest): void => {
  const isSound =
    /^[\x21-\xff]+$/.test(path) &&
    headers.every(
      ([name, value]) =>
        /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    )
  if (!isSound) throw new TypeError('it has characters that no request has')
}

const headOf = (origin: URL, { method, path, headers, body }: WireRequest): string[] => [
  ...[':method', method, ':scheme', 'https', ':authority', origin.host, ':path', path],
  ...fieldsOf(headers),
  ...(body === null ? [] : ['content-length', String(Buffer.byteLength(body))]),
]

const pairs = (flat: readonly string[]): Header[] =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? '', flat[2 * i + 1] ?? ''])

/** Error codes by their number (RFC 9113, 7). */
const errorNames = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT'],
  ...['STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR'],
  ...['CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
]

/** With these the target says that it has not looked at the request. */
const unheard = ['REFUSED_STREAM', 'ENHANCE_YOUR_CALM']

/** The target wants this request over HTTP/1.1; it has not looked at it. */
export class Http1Required extends Error {}

interface State {
  /** What the target said in a GOAWAY, which ends the connection. */
  goaway: string | undefined
  idleSinceMs: number
  /** What ended it below HTTP, such as an alert of TLS. */
  error: unknown
}

const late = () => new WireError({ noAnswer: 'timeout' })
const broken = 'it offers HTTP/2 and does not speak it; --http1 asks for HTTP/1.1'

const endOf = (
  error: unknown,
  stream: ClientHttp2Stream,
  { goaway, error: below }: State,
): Error => {
  const said = errorNames[stream.rstCode ?? 0] ?? 'NO_ERROR'
  const name = said === 'NO_ERROR' ? (goaway ?? said) : said
  if (name === 'HTTP_1_1_REQUIRED') return new Http1Required()
  const fault = faultOf(below ?? error)
  if (fault.noAnswer === 'tls') return new WireError(fault)
  if (unheard.includes(name)) return new WireError({ noAnswer: 'busy', why: `HTTP/2 ${name}` })
  // The library speaks of what is no HTTP/2 as an error of its own.
  if ((error as NodeJS.ErrnoException).code === 'ERR_HTTP2_ERROR') {
    return new WireError({ noAnswer: 'not-http', why: broken })
  }
  return new WireError({ noAnswer: 'reset', ...(name !== 'NO_ERROR' && { why: `HTTP/2 ${name}` }) })
}

/** Whether as much came as was said, where it was said. */
const isShort = (headers: readonly Header[], { length }: Uint8Array): boolean => {
  const said = headers.find(([name]) => name === 'content-length')?.[1]
  return said !== undefined && length > 0 && Number(said) !== length
}

const answerTo = async (stream: ClientHttp2Stream): Promise<ReceivedResponse> => {
  const closed = new Promise((resolve) => stream.once('close', resolve))
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
  stream.once('response', (_headers, _flags, raw) => resolve(raw))
  stream.once('error', reject)
  stream.once('close', () => reject(new Error('closed')))
  const head = pairs(await promise)
  const [bytes, cut] = await readBytes(stream)
  const status = Number(head.find(([name]) => name === ':status')?.[1])
  const headers = head.filter(([name]) => !name.startsWith(':'))
  // Only then it is known whether the body came to its end, or was ended by a reset.
  await closed
  const isWhole = (stream.rstCode ?? 0) === 0 && !isShort(headers, bytes)
  if (!cut && !isWhole) throw new Error('cut off')
  return { status, headers, bytes, cut, http: '2' }
}

const sessionOver = (origin: URL, socket: TLSSocket, state: State): ClientHttp2Session => {
  const options = {
    createConnection: () => socket,
    settings: { enablePush: false },
    maxHeaderListPairs: headersMost,
    // Two lines of Authorization are a question that is asked.
    strictSingleValueFields: false,
  }
  const session = connect(origin, options)
  session.on('goaway', (code) => {
    state.goaway = errorNames[code] ?? 'NO_ERROR'
  })
  const remember = (error: unknown) => {
    state.error ??= error
  }
  session.on('error', remember)
  socket.on('error', remember)
  // It keeps no process from its end by itself.
  session.unref()
  return session
}

export const openHttp2 = (origin: URL, socket: TLSSocket): Http2Connection => {
  const state: State = {
    goaway: undefined,
    idleSinceMs: steadyMs(),
    error: undefined,
  }
  const session = sessionOver(origin, socket, state)
  const isOpen = () => !session.closed && !session.destroyed && state.goaway === undefined

  /** Sends on a stream, which is let go of when time is up. */
  const sendOn = async (
    stream: ClientHttp2Stream,
    body: WireRequest['body'],
    signal: AbortSignal,
  ): Promise<ReceivedResponse> => {
    const cut = () => stream.close(constants.NGHTTP2_CANCEL)
    // Another error may follow the first one.
    stream.on('error', () => {})
    signal.addEventListener('abort', cut, { once: true })
    try {
      if (body !== null) stream.end(body)
      return await answerTo(stream)
    } catch (error) {
      // What the connection has to say of it comes after the stream has ended.
      await new Promise((resolve) => setImmediate(resolve))
      throw signal.aborted ? late() : endOf(error, stream, state)
    } finally {
      signal.removeEventListener('abort', cut)
    }
  }

  const send: Http2Connection['send'] = async (request, signal) => {
    refuse(request)
    if (signal.aborted) throw late()
    session.ref()
    try {
      const head = headOf(origin, request)
      const stream = session.request(head, { endStream: request.body === null })
      return await sendOn(stream, request.body, signal)
    } finally {
      state.idleSinceMs = steadyMs()
      if (!session.destroyed) session.unref()
    }
  }
  return {
    send,
    isUsable: () => isOpen() && steadyMs() - state.idleSinceMs < idleMostMs,
    close: () => {
      session.destroy()
      // Of a session that a GOAWAY has closed that only ends our side, and the target may never
      // end its own.
      socket.destroy()
    },
  }
}
