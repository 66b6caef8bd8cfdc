// Sends the requests of checks: adds address, key and headers, keeps within quotas and records
// everything. Stops using a key that is revoked during the run.

import { isUtf8 } from 'node:buffer'
import { cutShort } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  chooseRoot,
  type Exchange,
  type Header,
  isAnswered,
  markTogether,
  type SentRequest,
  statusCode,
  withPlainCoding,
} from '../../history/exchange.ts'
import { interrupted, NoResponseError, Untested } from '../../history/outcome.ts'
import { isRefused } from '../../history/rate-headers.ts'
import type { Pace } from '../check/context.ts'
import type { Names } from '../check/naming.ts'
import type { Client, Connections } from '../http/client.ts'
import type { Connection } from '../http/http1.ts'
import type { Budget } from '../quota/budget.ts'
import type { Governor } from '../quota/governor.ts'
import type { GovernedKey } from '../quota/ledger.ts'
import type { Journal } from './journal.ts'
import type { RunOptions } from './run-options.ts'

interface Parts {
  readonly options: Pick<RunOptions, 'headers' | 'signal'>
  readonly baseUrl: URL
  readonly client: Client
  readonly governor: Governor
  readonly budget: Budget
  readonly pace: Pick<Pace, 'movedMs'>
  readonly keys: readonly (GovernedKey & { readonly key: string })[]
  /** The number of the next exchange. */
  readonly nextSeq: () => number
  /** Our own clock on the wall, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly connections: Pick<Connections, 'countShared'>
  readonly isFresh: boolean
  readonly names: Pick<Names, 'countSent'>
  /** Written to before a request is sent. */
  readonly journal: Journal
  /** Marks an exchange whose Date contradicts the time at the target. */
  readonly dated: (exchange: Exchange) => Exchange
  /** Called with every exchange when it ends. */
  readonly record: (exchange: Exchange) => void
}

/**
 * Sends one request of a check.
 * @param connection that of all that is sent in turn, unless others are in flight at the same time
 * @throws Untested (blocked, budget, interrupted), NoResponseError
 */
export type Ask = (
  check: string,
  request: ApiRequest,
  connection?: Connection,
) => Promise<AnsweredExchange>

/** Waits for all, even if one fails: no request may be in flight when its check has ended. */
export const allEnded = async <T>(pending: readonly Promise<T>[]): Promise<readonly T[]> => {
  await Promise.allSettled(pending)
  return Promise.all(pending)
}

const bodyParts = (body: ApiRequest['body']): Pick<SentRequest, 'body' | 'bodyBase64'> => {
  if (body === null || typeof body === 'string') return { body }
  const bytes = Buffer.from(body)
  const text = { body: bytes.toString() }
  return isUtf8(bytes) ? text : { ...text, bodyBase64: bytes.toString('base64') }
}

/** The body as it is sent: after its padding, if it has one. */
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

/** A request as it is sent: with its address, its key and the configured headers. */
const addressed = (
  { options, baseUrl }: Parts,
  apiRequest: ApiRequest,
  key: string | null,
): SentRequest => {
  return {
    method: apiRequest.method,
    url: `${chooseRoot(baseUrl, apiRequest.from)}${apiRequest.path}`,
    headers: withPlainCoding([
      ...authorizationOf(apiRequest, key),
      ...options.headers,
      ...apiRequest.headers,
    ]),
    ...bodyParts(apiRequest.body),
    ...(apiRequest.padding !== undefined && { padding: apiRequest.padding }),
    ...(apiRequest.framing !== undefined && { framing: apiRequest.framing }),
  }
}

const throwIfInterrupted = (signal: AbortSignal) => {
  if (signal.aborted) throw interrupted()
}

/** A request that insists is sent whatever is left of the quota of its minute. */
const chooseKey = async (apiRequest: ApiRequest, governor: Governor): Promise<string> => {
  if (!apiRequest.insists || apiRequest.key === undefined) return governor.admit(apiRequest.key)
  governor.requireDayPermitted(apiRequest.key)
  governor.take(apiRequest.key)
  return apiRequest.key
}

/** A request that ended with the time of the run says nothing about the target. */
const lossOf = (exchange: Exchange, budget: Budget): Error => {
  const over = exchange.noResponse === 'timeout' ? budget.full() : null
  return over === null ? new NoResponseError(exchange) : new Untested('budget', over, [exchange])
}

interface Sending {
  readonly check: string
  readonly apiRequest: ApiRequest
  readonly connection: Connection
}

/** A timer may end a little early: once it has ended, no time is left. */
const timerMs = 2

/** @param label the key, if it has one */
const transmit = async (
  parts: Parts,
  { check, apiRequest, ...on }: Sending,
  label: string | null,
): Promise<Exchange> => {
  const { budget, pace, journal, connections } = parts
  budget.take(check)
  const seq = parts.nextSeq()
  const at = new Date(parts.wallMs()).toISOString()
  const movedMs = pace.movedMs()
  const key = parts.keys.find((each) => each.label === label)
  const request = addressed(parts, apiRequest, key?.key ?? null)
  parts.names.countSent(request.body)
  const connection = apiRequest.fresh || parts.isFresh ? 'fresh' : on.connection
  const { unsent, ...result } = await parts.client.send({
    method: request.method,
    path: request.url.slice(parts.baseUrl.origin.length),
    headers: request.headers,
    body: outgoing(apiRequest),
    connection,
    deadlineMs: budget.deadlineMs + timerMs,
    leaving: () => journal({ kind: 'sending', seq, check, key: label }),
    ...(apiRequest.framing !== undefined && { framing: apiRequest.framing }),
  })
  if (connection === 'shared') connections.countShared(seq, result)
  if (unsent) {
    budget.giveBack(check)
    throw interrupted()
  }
  const movedInFlightMs = pace.movedMs() - movedMs
  const quota = key && { quota: key.quota }
  const { response } = result
  const isLong = response && !budget.mayRead(response.bytes.length)
  const kept = isLong ? { response: cutShort(response) } : {}
  const stamp = { seq, at, movedMs, check, key: label, ...quota, apiRequest, request }
  const moved = movedInFlightMs > 0 ? { meanwhileMs: movedInFlightMs } : {}
  return parts.dated({ ...stamp, ...result, ...kept, ...moved })
}

/** Chooses a key, sends, informs the governor, and records the exchange. */
export const createAsk = (parts: Parts): Ask => {
  const { governor, options } = parts

  /** @returns the exchange, and whether the target refused the key as over quota */
  const sendWithKey = async (sending: Sending) => {
    const label = await chooseKey(sending.apiRequest, governor)
    let exchange: Exchange | undefined
    try {
      exchange = await transmit(parts, sending, label)
    } finally {
      if (!exchange || !isAnswered(exchange)) governor.release(label, exchange !== undefined)
    }
    return { exchange, refused: isAnswered(exchange) && governor.learn(label, exchange) }
  }

  /**
   * One of several Authorization values may be a valid key. The target may count the request on it,
   * so one request of its quota is reserved.
   */
  const sendWithoutKey = async (sending: Sending) => {
    const { carries } = sending.apiRequest
    const carried = carries && (await governor.admit(carries))
    try {
      return { exchange: await transmit(parts, sending, null), refused: false }
    } finally {
      // No longer in flight; `learn` is not for the response to an invalid key.
      if (carried) governor.release(carried)
    }
  }

  return async (check, apiRequest, connection = 'shared') => {
    throwIfInterrupted(options.signal)
    const send = apiRequest.authorization === 'valid' ? sendWithKey : sendWithoutKey
    const { exchange, refused } = await send({ check, apiRequest, connection })
    parts.record(exchange)
    if (!isAnswered(exchange)) {
      throwIfInterrupted(options.signal)
      throw lossOf(exchange, parts.budget)
    }
    if ((refused || isRefused(exchange)) && !apiRequest.insists) {
      const { key } = exchange
      const whose = key === null ? 'a request without a valid key' : `key ${key}`
      throw new Untested('blocked', `${whose} got ${statusCode(exchange)}`, [exchange])
    }
    return exchange
  }
}

/** Sends requests at the same time, each on a connection of its own. */
export const askTogether =
  ({ ask, governor }: { readonly ask: Ask; readonly governor: Governor }, id: string) =>
  async (requests: readonly ApiRequest[]): Promise<readonly AnsweredExchange[]> => {
    const keyed = requests.filter(({ authorization }) => authorization === 'valid')
    const labels = new Set(keyed.map(({ key }) => key))
    const [label] = labels.size === 1 ? labels : []
    await governor.waitForRoom(keyed.length, label)
    // After a reset the free quota is unknown until the first response.
    const [first] = governor.isUnsure() ? keyed : []
    const alone = first && (await ask(id, first))
    const rest = requests.filter((request) => request !== first)
    const others = await allEnded(rest.map((request) => ask(id, request, 'separate')))
    if (others.length > 1) markTogether(others)
    if (!first || !alone) return others
    return requests.map((request) =>
      request === first ? alone : (others[rest.indexOf(request)] as AnsweredExchange),
    )
  }
