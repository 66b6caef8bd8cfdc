// Sends a request of a check: adds address, key and headers, keeps within quotas and records it. A
// key that was revoked during the run is found out, and used no more.

import { isUtf8 } from 'node:buffer'
import { cutShort } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  chooseRoot,
  controlId,
  type Exchange,
  get,
  type Header,
  inLetterCase,
  isAnswered,
  isSuccess,
  isUnsent,
  type SentRequest,
  statusCode,
  withPlainCoding,
} from '../../history/exchange.ts'
import { interrupted, NoResponseError, Untested } from '../../history/outcome.ts'
import { isRefused, isShutOut, rateHeaders } from '../../history/rate-headers.ts'
import { isRefusedForKey } from '../../model/limiter/calls.ts'
import { describeRequest, read } from '../../model/read.ts'
import { peculiarIn } from '../check/findings.ts'
import type { Connection } from '../http/http1.ts'
import type { Budget } from '../quota/budget.ts'
import type { Governor } from '../quota/governor.ts'
import type { RunOptions } from './run-options.ts'
import type { Session } from './session.ts'

const bodyParts = (body: ApiRequest['body']): Pick<SentRequest, 'body' | 'bodyBase64'> => {
  if (body === null || typeof body === 'string') return { body }
  const bytes = Buffer.from(body)
  const text = { body: bytes.toString() }
  return isUtf8(bytes) ? text : { ...text, bodyBase64: bytes.toString('base64') }
}

/** The body as it is sent: after its padding, if it has one. */
const outgoing = ({ body, padding = 0 }: ApiRequest): ApiRequest['body'] => {
  if (padding === 0) return body
  const own = Buffer.from((body ?? '') as string)
  const all = Buffer.alloc(padding + own.length, ' ')
  own.copy(all, padding)
  return all
}

type Credentials = Pick<ApiRequest, 'authorization' | 'scheme'>

const authorizationOf = ({ authorization, scheme }: Credentials, key: string | null): Header[] => {
  if (key !== null) return [['Authorization', `${scheme} ${key}`]]
  if (authorization === null || authorization === 'valid') return []
  return authorization.map((value) => ['Authorization', value])
}

/** A request as it is sent: with its address, its key and the configured headers. */
export const addressed = (
  { options, baseUrl }: Session,
  { method, from, path, headers, names, body, padding, framing, ...rest }: ApiRequest,
  key: string | null,
): SentRequest => {
  const own = authorizationOf(rest, key)
  return {
    method,
    url: `${chooseRoot(baseUrl, from)}${path}`,
    headers: inLetterCase(withPlainCoding([...own, ...options.headers, ...headers]), names),
    ...bodyParts(body),
    ...(padding !== undefined && { padding }),
    ...(framing !== undefined && { framing }),
  }
}

export const throwIfInterrupted = ({ signal }: Pick<RunOptions, 'signal'>) => {
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
  const isLate = exchange.noResponse === 'timeout' || exchange.noResponse === 'not-connected'
  const over = isLate ? budget.full() : null
  return over === null ? new NoResponseError(exchange) : new Untested('budget', over, [exchange])
}

/** A timer may end a little early: once it has ended, no time is left. */
const timerMs = 2

/** Sends whatever is left of any quota. @param label the key, if it has one */
export const transmit = async (
  session: Session,
  check: string,
  apiRequest: ApiRequest,
  on: Connection,
  label: string | null,
): Promise<Exchange> => {
  const { budget, pace } = session
  const seq = session.nextSeq()
  const at = new Date(session.wallMs()).toISOString()
  const movedMs = pace.movedMs()
  const key = session.keys.find((each) => each.label === label)
  const request = addressed(session, apiRequest, key?.key ?? null)
  session.names.countSent(request.body)
  const connection = apiRequest.fresh || session.isFresh ? 'fresh' : on
  session.history.begin({ seq, key: label, sentMs: pace.now() - movedMs, movedMs })
  const result = await session.client
    .send({
      method: request.method,
      path: request.url.slice(session.baseUrl.origin.length),
      headers: request.headers,
      body: outgoing(apiRequest),
      connection,
      deadlineMs: budget.deadlineMs + timerMs,
      leaving: () => {
        budget.take(check, label)
        session.journal({ kind: 'sending', seq, check, key: label })
      },
      ...(apiRequest.framing !== undefined && { framing: apiRequest.framing }),
    })
    .catch((error) => {
      session.history.cancel({ seq })
      throw error
    })
  if (isUnsent(result)) budget.count(check, label, -1)
  if (connection === 'shared') session.connections.countShared(seq, result)
  const meanwhileMs = pace.movedMs() - movedMs
  const { response } = result
  const isLong = response && !budget.mayRead(response.bytes.length)
  return session.dated({
    ...{ seq, at, movedMs, check, key: label, apiRequest, request, ...result },
    ...(key && { quota: key.quota }),
    ...(isLong && { response: cutShort(response) }),
    ...(meanwhileMs > 0 && { meanwhileMs }),
    ...(session.clockAheadMs && { clockAheadMs: session.clockAheadMs }),
  })
}

/**
 * Chooses a key, sends, informs the governor, and records the exchange.
 * @param connection that of all that is sent in turn, unless others are in flight at the same time
 * @throws Untested (blocked, budget, interrupted), NoResponseError
 */
const send = async (
  session: Session,
  check: string,
  apiRequest: ApiRequest,
  connection: Connection = 'shared',
): Promise<AnsweredExchange> => {
  const { governor, options } = session
  throwIfInterrupted(options)
  const { authorization, carries, insists } = apiRequest
  const label = authorization === 'valid' ? await chooseKey(apiRequest, governor) : null
  // One of several Authorization values may be a valid key, on which the target may count it.
  const counted = label ?? (carries && (await governor.admit(carries)))
  const exchange = await transmit(session, check, apiRequest, connection, label).catch((error) => {
    if (counted) governor.release(counted)
    throw error
  })
  const isHeard = label !== null && isAnswered(exchange)
  const isOverQuota = isHeard && governor.learn(label, exchange)
  const mayCount = label !== null && !isUnsent(exchange)
  if (counted && !isHeard) governor.release(counted, mayCount)
  session.record(exchange)
  if (!isAnswered(exchange)) {
    throwIfInterrupted(options)
    throw lossOf(exchange, session.budget)
  }
  if ((isOverQuota || isRefused(exchange)) && !insists) {
    const whose = label === null ? 'a request without a valid key' : `key ${label}`
    throw new Untested('blocked', `${whose} got ${statusCode(exchange)}`, [exchange])
  }
  return exchange
}

/** A check cannot go on, as its key worked before and is invalid now: revoked, or expired. */
export class KeyWithdrawn extends Untested {}

/**
 * Sent to confirm a 401: two operations, as a cache may hold the 401 of one of them, on connections
 * of their own, as one may hold what was refused on it.
 */
const controls = [get('/pets?limit=1'), get('/pets/1')].map((request) => ({
  ...request,
  fresh: true as const,
}))

/**
 * Whether only a revoked key explains a 401: the key was served before, and no key was refused
 * since then. After a refusal, of any key, the 401 might be a ban.
 */
const isSurprise = (
  trace: readonly AnsweredExchange[],
  { key, seq, response }: Exchange,
): boolean => {
  if (key === null || response?.status !== 401) return false
  const before = trace.filter((one) => one.key !== null && one.seq < seq)
  const last = before.findLast((one) => one.key === key && isSuccess(one))
  if (last === undefined) return false
  return !before.some((one) => one.seq > last.seq && [403, 429].includes(statusCode(one)))
}

/**
 * Whether a ban explains a 401 or 403: it says that no calls remain, where by what is known some
 * did, and the key was served just before. Requests of another client have drawn it.
 */
const isBanOfOther = (trace: readonly AnsweredExchange[], exchange: Exchange): boolean => {
  if (!isAnswered(exchange) || rateHeaders(exchange)?.remaining !== 0) return false
  if (statusCode(exchange) === 429 || !isRefusedForKey(exchange)) return false
  const last = trace.findLast(({ key, seq }) => key === exchange.key && seq < exchange.seq)
  return last !== undefined && !isShutOut(last)
}

const whyOf = (key: string): string =>
  `key ${key} worked before and gets 401 now: it was revoked, or has expired`

/** Leaves a key alone that the control requests do not get a response with either. */
const findOut = async (session: Session, key: string): Promise<void> => {
  for (const request of controls) {
    const again = await send(session, controlId, { ...request, key })
    if (statusCode(again) !== 401) return
  }
  session.withdraw(key)
  session.note(`${whyOf(key)}; checks that need this key are untested from then on`)
}

const throwIfWithdrawn = ({ history }: Session, key: string): void => {
  if (history.isWithdrawn(key)) throw new KeyWithdrawn('blocked', whyOf(key))
}

/** Finds out whether a 401 to a valid key shows that it was revoked. @throws KeyWithdrawn */
export const expectValid = async (session: Session, exchange: Exchange): Promise<void> => {
  const { trace, withdrawing } = session
  const { key } = exchange
  if (key === null) return
  if (statusCode(exchange) === 401) throwIfWithdrawn(session, key)
  if (isBanOfOther(trace, exchange)) {
    throw new Untested('blocked', `${key} was banned, as it seems for another client's requests`)
  }
  if (!isSurprise(trace, exchange)) return
  // Once for each key, even if a burst brings many 401s at the same time.
  const pending = withdrawing.get(key) ?? findOut(session, key)
  withdrawing.set(key, pending)
  await pending.finally(() => withdrawing.delete(key))
  throwIfWithdrawn(session, key)
}

/** So often a kind of odd request gets no response in time before no other of it is sent. */
const maxSilent = 2

const oddKindOf = (sent: Pick<Exchange, 'apiRequest'>): string | undefined => {
  const odd = peculiarIn(sent)
  return odd.length === 0 ? undefined : `${read(sent).name} ${odd.join()}`
}

/** Each takes the time of a timeout, and says no more. What was silent last may be sent again. */
const throwIfSilent = ({ silent }: Session, apiRequest: ApiRequest): void => {
  if (silent.size === 0) return
  const { times = 0, last } = silent.get(oddKindOf({ apiRequest })) ?? {}
  if (times < maxSilent || last === apiRequest) return
  const message = `requests like ${describeRequest({ apiRequest })} got no response twice`
  throw new Untested('blocked', `${message}: no other is sent`)
}

const countSilent = ({ silent }: Session, { apiRequest, noResponse }: Exchange): void => {
  const kind = oddKindOf({ apiRequest })
  if (kind === undefined || (noResponse !== 'timeout' && noResponse !== 'endless')) return
  silent.set(kind, { times: (silent.get(kind)?.times ?? 0) + 1, last: apiRequest })
}

/**
 * Sends one request of a check, unless its key was found revoked.
 * @throws KeyWithdrawn, and what `send` throws
 */
export const ask: typeof send = async (session, check, apiRequest, connection) => {
  throwIfSilent(session, apiRequest)
  if (apiRequest.authorization === 'valid') {
    const labels = session.keys.map(({ label }) => label)
    const all = apiRequest.key === undefined ? labels : [apiRequest.key]
    if (all.every((label) => session.history.isWithdrawn(label)))
      throwIfWithdrawn(session, all[0] ?? '')
  }
  const exchange = await send(session, check, apiRequest, connection).catch((error) => {
    // With others in flight another one may be the reason.
    const isAlone = error instanceof NoResponseError && connection !== 'separate'
    if (isAlone) countSilent(session, error.exchange)
    throw error
  })
  // A 401 may also be the first refusal of an exhausted key: the check judges that.
  if (!apiRequest.insists) await expectValid(session, exchange)
  session.packs?.learn(exchange)
  return exchange
}
