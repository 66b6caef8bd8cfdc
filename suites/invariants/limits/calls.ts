// The calls of a key as its limiter may have seen them: when, counted or refused, what was said.

import type { Trace } from '../../../engine/check.ts'
import type { Answered } from '../../../engine/exchange.ts'
import { statusOf } from '../../../engine/exchange.ts'
import { dateMs, rateHeaders, windowOf } from '../../../engine/quota/rate-headers.ts'
import { isFromBelow, operationOf } from '../../answers.ts'
import { datesTell } from '../dates.ts'

const windowMs = { minute: 60_000, day: 86_400_000 } as const

/** What an answer says of the window that it speaks of. */
interface Said {
  readonly limit: number
  readonly remaining: number
  readonly reset: number
  readonly windowMs: number
}

/** The target decided on it at some moment from `fromMs` to `toMs`, by its own time. */
export interface Call {
  readonly exchange: Answered
  readonly seq: number
  readonly fromMs: number
  readonly toMs: number
  /** Answered 200 or 201: it counts for certain. */
  readonly served: boolean
  /** 429, or 401 or 403, which may be how a ban looks. */
  readonly refused: boolean
  readonly said: Said | undefined
  /** Its Date, where those of the run tell the time at the target. */
  readonly dateMs: number | undefined
}

const saidBy = (exchange: Answered, trace: Trace): Said | undefined => {
  const status = statusOf(exchange)
  const isOfKey = operationOf(exchange) !== undefined && !isFromBelow(exchange) && status < 500
  const numbers = rateHeaders(exchange)
  if (!isOfKey || status === 401 || status === 403 || !numbers) return undefined
  const { limit, remaining, reset } = numbers
  const window = windowOf(limit, trace.quotaOf(exchange.key ?? ''))
  return window && { limit, remaining, reset, windowMs: windowMs[window] }
}

const callOf = (exchange: Answered, trace: Trace): Call => {
  const { seq, sentMs, receivedMs, movedMs, meanwhileMs = 0 } = exchange
  const status = statusOf(exchange)
  return {
    exchange,
    seq,
    fromMs: sentMs + movedMs,
    toMs: receivedMs + movedMs + meanwhileMs,
    served: status === 200 || status === 201,
    refused: [429, 401, 403].includes(status),
    said: saidBy(exchange, trace),
    dateMs: datesTell(trace) ? dateMs(exchange) : undefined,
  }
}

export interface Calls {
  /** In the order in which they were sent. */
  readonly byKey: ReadonlyMap<string, readonly Call[]>
  readonly of: (exchange: Answered) => Call
  /** Whether every request whose number lies between two was answered. */
  readonly noneLost: (a: Call, b: Call) => boolean
}

const read = (trace: Trace): Calls => {
  const byExchange = new Map<Answered, Call>()
  const byKey = new Map<string, Call[]>()
  for (const exchange of trace.exchanges.toSorted((a, b) => a.seq - b.seq)) {
    const call = callOf(exchange, trace)
    byExchange.set(exchange, call)
    if (exchange.key === null) continue
    const own = byKey.get(exchange.key) ?? []
    own.push(call)
    byKey.set(exchange.key, own)
  }
  const places = new Map([...byExchange.values()].map(({ seq }, place) => [seq, place]))
  const placeOf = ({ seq }: Call) => places.get(seq) ?? 0
  return {
    byKey,
    of: (exchange) => byExchange.get(exchange) ?? callOf(exchange, trace),
    noneLost: (a, b) => placeOf(b) - placeOf(a) === b.seq - a.seq,
  }
}

const known = new WeakMap<Trace, Calls>()

/** Read once for all invariants over a trace. */
export const callsIn = (trace: Trace): Calls => {
  const calls = known.get(trace) ?? read(trace)
  known.set(trace, calls)
  return calls
}

/** All calls with the key of one. */
export const callsWith = (exchange: Answered, trace: Trace): readonly Call[] =>
  callsIn(trace).byKey.get(exchange.key ?? '') ?? []

/** Whether one was answered before the other was sent. */
export const isBefore = (a: Call, b: Call): boolean => a.toMs <= b.fromMs && a.seq < b.seq

/** Whether both speak of the same kind of window. */
export const areAlike = (a: Call, b: Call): boolean =>
  a.said !== undefined && a.said.limit === b.said?.limit

/** What a Date and a Reset may be off together: both are whole seconds, and a Date may be old. */
const roundingMs = 3_500

/** Whether a call may have come after the reset that an earlier answer announced. */
export const mayBePast = (reset: number, call: Call): boolean =>
  (call.dateMs ?? Number.POSITIVE_INFINITY) + roundingMs >= reset * 1000

/** The latest of these that was answered before a call was sent. */
export const latestBefore = (calls: readonly Call[], call: Call): Call | undefined => {
  let latest: Call | undefined
  for (const other of calls) {
    if (isBefore(other, call) && (!latest || other.toMs > latest.toMs)) latest = other
  }
  return latest
}

/**
 * Refusals that may be a ban: each follows another one with nothing served in between. A ban hides
 * the count, and the count may be whole after it.
 */
const maybeBans = (calls: readonly Call[]): Call[] => {
  const refusals = calls.filter(({ refused }) => refused)
  return refusals.filter((call) =>
    refusals.some(
      (other) =>
        other !== call &&
        other.fromMs <= call.toMs &&
        !calls.some((one) => one.served && isBefore(other, one) && isBefore(one, call)),
    ),
  )
}

const bansByCalls = new WeakMap<readonly Call[], Call[]>()

const bansIn = (calls: readonly Call[]): Call[] => {
  const found = bansByCalls.get(calls) ?? maybeBans(calls)
  bansByCalls.set(calls, found)
  return found
}

export const mayBeBan = (call: Call, calls: readonly Call[]): boolean =>
  bansIn(calls).includes(call)

/** Whether the key may have been banned at some moment of a span. */
export const mayBeBanned = (calls: readonly Call[], fromMs: number, toMs: number): boolean =>
  bansIn(calls).some((ban) => ban.toMs >= fromMs && ban.fromMs <= toMs)
