// Keys that were revoked during the run: found out, and used no more.

import {
  type AnsweredExchange,
  controlId,
  type Exchange,
  get,
  isAnswered,
  isSuccess,
  statusCode,
} from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { isRefusalStatus, rateHeaders } from '../../history/rate-headers.ts'
import { isRefusedForKey } from '../../model/limiter/calls.ts'
import { send } from './send.ts'
import type { Session } from './session.ts'

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
 * Whether only a revoked key explains a 401: the key's last response other than 401 was a success,
 * and no key was refused since then. After a refusal, of any key, the 401 might be a ban.
 */
const isSurprise = (
  trace: readonly AnsweredExchange[],
  { key, seq, response }: Exchange,
): boolean => {
  if (key === null || response?.status !== 401) return false
  const before = trace.filter((one) => one.key !== null && one.seq < seq)
  const last = before.findLast((one) => one.key === key && statusCode(one) !== 401)
  if (last === undefined || !isSuccess(last)) return false
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
  return last !== undefined && !isRefusalStatus(last)
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

const throwIfWithdrawn = ({ withdrawn }: Session, key: string): void => {
  if (withdrawn.has(key)) throw new KeyWithdrawn('blocked', whyOf(key))
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

/**
 * Sends one request of a check, unless its key was found revoked.
 * @throws KeyWithdrawn, and what `send` throws
 */
export const ask: typeof send = async (session, check, apiRequest, connection) => {
  if (apiRequest.authorization === 'valid') {
    const labels = session.keys.map(({ label }) => label)
    const all = apiRequest.key === undefined ? labels : [apiRequest.key]
    if (all.every((label) => session.withdrawn.has(label))) throwIfWithdrawn(session, all[0] ?? '')
  }
  const exchange = await send(session, check, apiRequest, connection)
  // A 401 may also be the first refusal of an exhausted key: the check judges that.
  if (!apiRequest.insists) await expectValid(session, exchange)
  return exchange
}
