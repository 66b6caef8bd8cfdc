// Sends what a check asks for: address, key and headers added, quota kept, everything recorded.
import { isUtf8 } from 'node:buffer'
import type { Budget } from './budget.ts'
import type { Client } from './client.ts'
import type { Answered, Exchange, SentRequest } from './exchange.ts'
import { isAnswered, statusOf } from './exchange.ts'
import type { Governor } from './governor.ts'
import { NoAnswerError } from './no-answer.ts'
import type { Notes } from './notes.ts'
import { Untested } from './outcome.ts'
import type { ApiRequest, Header } from './request.ts'

export interface AskerParts {
  readonly baseUrl: URL
  readonly client: Client
  readonly governor: Governor
  readonly budget: Budget
  /** Told of a call with a key before it is sent. */
  readonly notes: Pick<Notes, 'sending' | 'unsent'>
  /** The number of the next exchange. */
  readonly nextSeq: () => number
  readonly keyOf: (label: string) => string
  /** Further headers of every request. */
  readonly headers: readonly Header[]
  readonly signal: AbortSignal
  /** How far the target's clock has been moved. */
  readonly movedMs: () => number
  /** Our own clock on the wall, in Unix milliseconds. */
  readonly wallMs: () => number
  /** Told of every exchange as it ends. */
  readonly record: (exchange: Exchange) => void
}

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

/** Puts a request on the wire, and numbers it. */
const createTransmit = (parts: AskerParts): Transmit => {
  const basePath = parts.baseUrl.pathname.replace(/\/+$/, '')
  return async (check, asked, label, own) => {
    parts.budget.take(check)
    const seq = parts.nextSeq()
    const at = new Date(parts.wallMs()).toISOString()
    const movedMs = parts.movedMs()
    const stamp = { seq, at, movedMs, check, key: label, asked }
    const path = asked.from === 'base' ? `${basePath}${asked.path}` : asked.path
    const key = label === null ? null : parts.keyOf(label)
    const headers = [...authorizationOf(asked, key), ...parts.headers, ...asked.headers]
    const { method, body } = asked
    const connection = own ? 'own' : 'one'
    const answer = await parts.client.send({ method, path, headers, body, connection })
    const meanwhileMs = parts.movedMs() - movedMs
    const url = `${parts.baseUrl.origin}${path}`
    const request = { method, url, headers, ...bodyParts(body) }
    return { ...stamp, request, ...answer, ...(meanwhileMs > 0 && { meanwhileMs }) }
  }
}

const unlessInterrupted = (signal: AbortSignal) => {
  if (signal.aborted) throw new Untested('interrupted', 'the run was interrupted')
}

export const createAsker = (parts: AskerParts): Ask => {
  const transmit = createTransmit(parts)

  /** Sends, and lets the governor know how it ended. */
  const transmitWith = async (
    label: string,
    check: string,
    asked: ApiRequest,
    own: boolean,
  ): Promise<{ exchange: Exchange; refused: boolean }> => {
    let exchange: Exchange | undefined
    parts.notes.sending(label)
    try {
      exchange = await transmit(check, asked, label, own)
    } finally {
      if (!exchange) parts.notes.unsent(label)
      if (!exchange || !isAnswered(exchange)) parts.governor.lost(label)
    }
    const refused = isAnswered(exchange) && parts.governor.learn(label, exchange)
    return { exchange, refused }
  }

  const choose = async (asked: ApiRequest): Promise<string> => {
    if (!asked.insists || asked.key === undefined) return parts.governor.admit(asked.key)
    parts.governor.take(asked.key)
    return asked.key
  }

  return async (check, asked, own) => {
    unlessInterrupted(parts.signal)
    const isKeyed = asked.authorization === 'valid'
    const label = isKeyed ? await choose(asked) : null
    const { exchange, refused } =
      label === null
        ? { exchange: await transmit(check, asked, null, own), refused: false }
        : await transmitWith(label, check, asked, own)
    parts.record(exchange)
    if (!isAnswered(exchange)) {
      // The target may yet have answered.
      unlessInterrupted(parts.signal)
      throw new NoAnswerError(exchange)
    }
    if ((refused || statusOf(exchange) === 429) && !asked.insists) {
      const whose = label === null ? 'a request without a valid key' : `key ${label}`
      throw new Untested('blocked', `${whose} was answered ${statusOf(exchange)}`, [exchange])
    }
    return exchange
  }
}
