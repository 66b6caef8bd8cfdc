// What is used of autocannon's client, most of which it does not publish: so it is pinned. And
// how an answer is read off its parser, which takes an interim answer for a whole one.
import type { Socket } from 'node:net'

/** Longest body that is read; a longer one ends its connection. */
const bodyMostBytes = 1024 * 1024

/** What the parser knows when the headers of an answer are whole. */
interface Info {
  readonly statusCode: number
  readonly headers: string[]
  readonly shouldKeepAlive: boolean
}

interface Parser {
  readonly state: string
  readonly constructor: unknown
  readonly initialize: (type: string) => void
  /** @returns an Error for what is no HTTP */
  readonly execute: (chunk: Buffer) => unknown
  readonly finish: () => unknown
  [callback: number]: unknown
}

/** The names of its callbacks, which are numbers. */
interface Callbacks {
  readonly RESPONSE: string
  readonly kOnHeadersComplete: number
  readonly kOnBody: number
  readonly kOnMessageComplete: number
}

export interface Client {
  /** Undefined until it connects for the first time. */
  conn: Socket
  /** In milliseconds. */
  timeout: number
  readonly destroyed: boolean
  readonly reqsMade: number
  /** 0: no limit. */
  readonly responseMax: number
  readonly parser: Parser
  readonly pipelinedRequests: { readonly clear: () => void; readonly size: () => number }
  readonly setRequests: (requests: object[]) => void
  readonly destroy: () => void
  readonly on: (event: 'request' | 'done', heard: () => void) => void
  _connect: () => void
  _doRequest: () => void
}

export interface Answer {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly body: string | null
  /** Whether another request may follow on its connection. */
  readonly keepsAlive: boolean
}

export interface Reader {
  /** A new connection: nothing of the last one is left to be read. */
  readonly begin: () => void
  /** @returns whether it is HTTP, and an answer to a request */
  readonly read: (chunk: Buffer) => boolean
  /** The connection has ended, and with it a body that tells no length. */
  readonly end: () => void
}

const isInterim = ({ statusCode }: Info) => statusCode < 200 && statusCode !== 101

/**
 * @param answered told of each whole answer, before autocannon is
 * @param keepsBody whether the body of the next answer is wanted
 */
export const createReader = (
  client: Client,
  answered: (answer: Answer) => void,
  keepsBody: () => boolean,
): Reader => {
  const { parser } = client
  const names = parser.constructor as Callbacks
  const headersComplete = parser[names.kOnHeadersComplete] as (info: Info) => void
  const messageComplete = parser[names.kOnMessageComplete] as () => void
  let info: Info | undefined
  let chunks: Buffer[] = []
  let bytes = 0
  let isSound = true

  parser[names.kOnHeadersComplete] = (headers: Info) => {
    info = headers
    chunks = []
    bytes = 0
    // An answer that nobody asked for.
    if (client.pipelinedRequests.size() === 0) isSound = false
    else if (!isInterim(headers)) headersComplete(headers)
  }
  parser[names.kOnBody] = (body: Buffer) => {
    bytes += body.length
    if (bytes > bodyMostBytes) isSound = false
    else if (keepsBody()) chunks.push(Buffer.from(body))
  }
  parser[names.kOnMessageComplete] = () => {
    if (!info || !isSound || isInterim(info)) return
    const { statusCode: status, headers: rawHeaders, shouldKeepAlive: keepsAlive } = info
    const body = keepsBody() ? Buffer.concat(chunks).toString() : null
    info = undefined
    answered({ status, rawHeaders, body, keepsAlive })
    messageComplete()
  }
  return {
    begin: () => {
      parser.initialize(names.RESPONSE)
      isSound = true
    },
    read: (chunk) => !(parser.execute(chunk) instanceof Error) && isSound,
    end: () => {
      if (parser.state === 'BODY_RAW') parser.finish()
    },
  }
}
