// The wire: the one door of undici. No redirect is followed and no other origin is reached.
import { getCACertificates } from 'node:tls'
import { Pool, ProxyAgent } from 'undici'
import type { NoAnswer, ReceivedResponse } from './exchange.ts'
import type { Header } from './request.ts'

/** Longest body that is read; the rest is left. */
const bodyMostBytes = 1024 * 1024

/** How much is kept of a longer one: enough to show what it was. */
const cutMostBytes = 64 * 1024

/** Connections at most for requests that are sent at the same time. */
const connectionsMost = 64

export interface WireRequest {
  readonly method: string
  /** Raw path and query. */
  readonly path: string
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | null
  /** `one`: on the connection that the last such request used; `own`: beside others. */
  readonly connection: 'one' | 'own'
}

export interface WireAnswer {
  readonly response: ReceivedResponse | null
  readonly noAnswer: NoAnswer | null
  /** Monotonic milliseconds. */
  readonly sentMs: number
  readonly receivedMs: number
}

export interface Client {
  readonly send: (request: WireRequest) => Promise<WireAnswer>
  readonly close: () => Promise<void>
}

export interface ClientOptions {
  /** The only origin this client talks to. */
  readonly origin: string
  /** For the whole answer, from sending to the last byte. */
  readonly timeoutMs: number
  /** Certificates (PEM) that are trusted besides the system's. */
  readonly ca: string | null
  readonly proxy: string | null
  /** Lets go of what is under way. */
  readonly signal: AbortSignal
}

const codes: Record<string, NoAnswer> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'not-http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not-http',
  EPROTO: 'tls',
}

const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** The request could not be sent as it was asked for: that says nothing about the target. */
const ownFaults = [
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]

const isOwnFault = (error: unknown) => ownFaults.includes((error as { code?: string }).code ?? '')

/** What an error of the wire means; an unknown one is a closed connection. */
const noAnswerOf = (error: unknown): NoAnswer => {
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout'
  if (name === 'HTTPParserError' || code?.startsWith('HPE_')) return 'not-http'
  if (code !== undefined && tlsCode.test(code)) return 'tls'
  return codes[code ?? ''] ?? 'reset'
}

const pairs = (flat: readonly (Buffer | string)[]): Header[] => {
  const text = (part: Buffer | string | undefined) =>
    typeof part === 'string' ? part : Buffer.from(part ?? '').toString('latin1')
  return Array.from({ length: flat.length / 2 }, (_, i) => [
    text(flat[2 * i]),
    text(flat[2 * i + 1]),
  ])
}

const readBytes = async (body: AsyncIterable<Buffer>): Promise<[Uint8Array, cut: boolean]> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop destroys the body, and so its connection.
    if (length > bodyMostBytes) {
      return [new Uint8Array(Buffer.concat(chunks).subarray(0, cutMostBytes)), true]
    }
  }
  return [Buffer.concat(chunks), false]
}

/** A client for one origin. */
export const createClient = (options: ClientOptions): Client => {
  // To name certificates replaces those of the system, so these are named too.
  const ca = options.ca === null ? {} : { ca: [...getCACertificates('default'), options.ca] }
  const connect = { timeout: options.timeoutMs, ...ca }
  const settings = {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 2 * options.timeoutMs,
    bodyTimeout: 2 * options.timeoutMs,
    connect,
  }
  const pool = (connections: number) =>
    options.proxy === null
      ? new Pool(options.origin, { ...settings, connections })
      : new ProxyAgent({ ...settings, uri: options.proxy, requestTls: connect, connections })
  const sizes = { one: 1, own: connectionsMost }
  const pools = { one: pool(sizes.one), own: pool(sizes.own) }

  /** A pool that has refused a request takes no other one any more. */
  const renew = async (which: keyof typeof pools) => {
    const spoilt = pools[which]
    pools[which] = pool(sizes[which])
    await spoilt.destroy()
  }

  const send = async (request: WireRequest): Promise<WireAnswer> => {
    const sentMs = performance.now()
    try {
      const { statusCode, headers, body } = await pools[request.connection].request({
        origin: options.origin,
        path: request.path,
        method: request.method as 'GET',
        headers: request.headers.flat(),
        body: request.body === null ? null : Buffer.from(request.body as string),
        responseHeaders: 'raw',
        signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
      })
      const [bytes, cut] = await readBytes(body)
      const raw = pairs(headers as unknown as Buffer[])
      const response = { status: statusCode, headers: raw, bytes, cut }
      return { response, noAnswer: null, sentMs, receivedMs: performance.now() }
    } catch (error) {
      if (isOwnFault(error)) {
        await renew(request.connection)
        throw error
      }
      const noAnswer = noAnswerOf(error)
      return { response: null, noAnswer, sentMs, receivedMs: performance.now() }
    }
  }

  const close = async () => {
    await Promise.all([pools.one.destroy(), pools.own.destroy()])
  }
  return { send, close }
}
