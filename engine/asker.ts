// Sends what a check asks for: address, key and headers added, quota kept, everything recorded.
import { isUtf8 } from 'node:buffer'
import type { Client } from './client/client.ts'
import type { WireRequest } from './client/http1.ts'
import type { Answered, Exchange, SentRequest } from './exchange.ts'
import { isAnswered, statusOf } from './exchange.ts'
import { NoAnswerError } from './no-answer.ts'
import { Untested } from './outcome.ts'
import type { Budget } from './quota/budget.ts'
import type { Governor } from './quota/governor.ts'
import type { ApiRequest, Header } from './request.ts'
import { withPlainCoding } from './request.ts'
import type { EntryOf } from './resume/journal.ts'

export interface AskerParts {
  readonly baseUrl: URL
  readonly client: Client
  readonly governor: Governor
  readonly budget: Budget
  /** The number of the next exchange. */
  readonly nextSeq: () => number
  readonly keyOf: (label: string) => string
  /** Further headers of every request. */
  readonly headers: readonly Header[]
  /** How far the target's clock has been moved. */
  readonly movedMs: () => number
  /** Our own clock on the wall, in Unix milliseconds. */
  readonly wallMs: () => number
  /** Whether each request is to have a new connection. */
  readonly isFresh: () => boolean
  /** Called before a request is sent. */
  readonly leaving: (sending: EntryOf<'sending'>) => void
  /** Marks an exchange whose Date does not tell the time at the target. */
  readonly dated: (exchange: Exchange) => Exchange
}

/** An exchange that has ended, and whether it refused its key for its quota. */
export interface Sent {
  readonly exchange: Exchange
  readonly refused: boolean
}

export type Send = (check: string, asked: ApiRequest, own: boolean) => Promise<Sent>

/**
 * Sends one request of a check.
 * @param own whether on a connection of its own, beside others
 * @throws Untested (blocked, budget, interrupted), NoAnswerError
 */
export type Ask = (check: string, request: ApiRequest, own: boolean) => Promise<Answered>

/** Waits for all of them: one that is refused leaves no other under way behind its check. */
export const allEnded = async <T>(asked: readonly Promise<T>[]): Promise<readonly T[]> => {
  await Promise.allSettled(asked)
  return Promise.all(asked)
}

const bodyParts = (body: ApiRequest['body']): Pick<SentRequest, 'body' | 'bodyBase64'> => {
  if (body === null || typeof body === 'string') return { body }
  const bytes = Buffer.from(body)
  const text = { body: bytes.toString() }
  return isUtf8(bytes) ? text : { ...text, bodyBase64: bytes.toString('base64') }
}

/** The body as it goes out. */
const outgoing = ({ body, padding }: ApiRequest): ApiRequest['body'] =>
  padding === undefined
    ? body
    : Buffer.concat([Buffer.alloc(padding, ' '), Buffer.from((body ?? '') as string)])

const authorizationOf = (request: ApiRequest, key: string | null): Header[] => {
  if (key !== null) return [['Authorization', `${request.scheme} ${key}`]]
  const { authorization } = request
  if (authorization === null || authorization === 'valid') return []
  return authorization.map((value) => ['Authorization', value])
}

type Transmit = (
  check: string,
  asked: ApiRequest,
  label: string | null,
  own: boolean,
) => Promise<Exchange>

/** What a check asks for as it is sent: with its address, its key and the further headers. */
const addressed = (
  { baseUrl, keyOf, headers: further }: AskerParts,
  asked: ApiRequest,
  label: string | null,
): SentRequest => {
  const basePath = baseUrl.pathname.replace(/\/+$/, '')
  const path = asked.from === 'base' ? `${basePath}${asked.path}` : asked.path
  const key = label === null ? null : keyOf(label)
  const headers = withPlainCoding([...authorizationOf(asked, key), ...further, ...asked.headers])
  return {
    method: asked.method,
    url: `${baseUrl.origin}${path}`,
    headers,
    ...bodyParts(asked.body),
    ...(asked.padding !== undefined && { padding: asked.padding }),
    ...(asked.framing !== undefined && { framing: asked.framing }),
  }
}

/** Puts a request on the wire, and numbers it. */
const createTransmit =
  (parts: AskerParts): Transmit =>
  async (check, asked, label, own) => {
    parts.budget.take(check)
    const seq = parts.nextSeq()
    const at = new Date(parts.wallMs()).toISOString()
    const movedMs = parts.movedMs()
    const stamp = { seq, at, movedMs, check, key: label, asked }
    const request = addressed(parts, asked, label)
    const { method, headers, url } = request
    const path = url.slice(parts.baseUrl.origin.length)
    const connection = own ? 'own' : 'one'
    const leaving = () => parts.leaving({ kind: 'sending', seq, check, key: label })
    const fresh = (asked.fresh || parts.isFresh()) && { fresh: true as const }
    const body = outgoing(asked)
    const { framing } = asked
    const as = framing !== undefined && { framing }
    const sent: WireRequest = { method, path, headers, body, connection, leaving, ...as }
    const { unsent, ...answer } = await parts.client.send({ ...sent, ...fresh })
    if (unsent) {
      parts.budget.giveBack(check)
      throw interrupted()
    }
    const meanwhileMs = parts.movedMs() - movedMs
    return parts.dated({ ...stamp, request, ...answer, ...(meanwhileMs > 0 && { meanwhileMs }) })
  }

const interrupted = () => new Untested('interrupted', 'the run was interrupted')

const unlessInterrupted = (signal: AbortSignal) => {
  if (signal.aborted) throw interrupted()
}

/** Chooses a key, sends, and lets the governor know how it ended. */
export const createSend = (parts: AskerParts): Send => {
  const transmit = createTransmit(parts)

  const sendWith = async (label: string, check: string, asked: ApiRequest, own: boolean) => {
    let exchange: Exchange | undefined
    try {
      exchange = await transmit(check, asked, label, own)
    } finally {
      if (!exchange || !isAnswered(exchange)) parts.governor.lost(label)
    }
    const refused = isAnswered(exchange) && parts.governor.learn(label, exchange)
    return { exchange, refused }
  }

  const choose = async (asked: ApiRequest): Promise<string> => {
    if (!asked.insists || asked.key === undefined) return parts.governor.admit(asked.key)
    parts.governor.expectDay(asked.key)
    parts.governor.take(asked.key)
    return asked.key
  }

  return async (check, asked, own) => {
    if (asked.authorization === 'valid') return sendWith(await choose(asked), check, asked, own)
    const carried = asked.carries && (await parts.governor.admit(asked.carries))
    try {
      return { exchange: await transmit(check, asked, null, own), refused: false }
    } finally {
      if (carried) parts.governor.lost(carried)
    }
  }
}

/** @param record told of every exchange as it ends */
export const createAsker =
  (send: Send, signal: AbortSignal, record: (exchange: Exchange) => void): Ask =>
  async (check, asked, own) => {
    unlessInterrupted(signal)
    const { exchange, refused } = await send(check, asked, own)
    record(exchange)
    if (!isAnswered(exchange)) {
      // The target may yet have answered.
      unlessInterrupted(signal)
      throw new NoAnswerError(exchange)
    }
    if ((refused || statusOf(exchange) === 429) && !asked.insists) {
      const { key } = exchange
      const whose = key === null ? 'a request without a valid key' : `key ${key}`
      throw new Untested('blocked', `${whose} was answered ${statusOf(exchange)}`, [exchange])
    }
    return exchange
  }
