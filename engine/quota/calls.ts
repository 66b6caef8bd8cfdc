// The calls of a key as its limiter may have seen them: when, counted or refused, with which
// numbers.

import type { Trace } from '../check/declare.ts'
import { type AnsweredExchange, isSuccess, memoized, statusCode } from '../check/exchange.ts'
import { isFromBelow, recognizeOperation } from '../check/operations.ts'
import {
  dateMs,
  dayMs,
  toMs as endMs,
  minuteMs,
  type RateHeaders,
  rateHeaders,
  fromMs as startMs,
} from './rate-headers.ts'
import { datesTell } from './target-dates.ts'

const windowMs = { minute: minuteMs, day: dayMs } as const

/** The numbers of a response, with the length of the window that they are about. */
interface Said extends RateHeaders {
  readonly windowMs: number
}

/** The target decided on it between `fromMs` and `toMs`, by its own time. */
export interface Call {
  readonly exchange: AnsweredExchange
  readonly seq: number
  readonly fromMs: number
  readonly toMs: number
  /** A success: it counts for certain. */
  readonly served: boolean
  /** 429, or 401 or 403, which may be how a ban looks. */
  readonly refused: boolean
  readonly said: Said | undefined
  /** Its Date, if those of the run show the time at the target. */
  readonly dateMs: number | undefined
  /** Its place among the calls of its key. */
  readonly place: number
  /** How many calls of its key were served, up to this one and including it. */
  readonly servedCount: number
  /** The latest `toMs` and the latest `fromMs` of a served call, likewise. */
  readonly latestToMs: number
  readonly latestServedFromMs: number
}

/**
 * Whether the numbers are about the key. The numbers on a 401 or 403 to a valid key may be about
 * no key at all; the check that sent the request judges that response.
 */
export const isOfKey = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null &&
  recognizeOperation(exchange) !== undefined &&
  !isFromBelow(exchange) &&
  statusCode(exchange) < 500 &&
  ![401, 403].includes(statusCode(exchange))

const saidBy = (exchange: AnsweredExchange): Said | undefined => {
  const said = isOfKey(exchange) ? rateHeaders(exchange) : undefined
  return said?.window && { ...said, windowMs: windowMs[said.window] }
}

const callOf = (exchange: AnsweredExchange, trace: Trace, before: Call | undefined): Call => {
  const status = statusCode(exchange)
  const served = isSuccess(exchange)
  const [fromMs, toMs] = [startMs(exchange), endMs(exchange)]
  const beforeAllMs = Number.NEGATIVE_INFINITY
  return {
    exchange,
    seq: exchange.seq,
    fromMs,
    toMs,
    served,
    refused: status === 429 || status === 401 || status === 403,
    said: saidBy(exchange),
    dateMs: datesTell(trace) ? dateMs(exchange) : undefined,
    place: before ? before.place + 1 : 0,
    servedCount: (before?.servedCount ?? 0) + (served ? 1 : 0),
    latestToMs: Math.max(before?.latestToMs ?? beforeAllMs, toMs),
    latestServedFromMs: Math.max(
      before?.latestServedFromMs ?? beforeAllMs,
      served ? fromMs : beforeAllMs,
    ),
  }
}

/** Read once for all invariants over a trace. */
export const callsIn = memoized((trace: Trace) => {
  const byExchange = new Map<AnsweredExchange, Call>()
  const byKey = new Map<string, Call[]>()
  for (const exchange of trace.exchanges.toSorted((a, b) => a.seq - b.seq)) {
    const own = exchange.key === null ? [] : (byKey.get(exchange.key) ?? [])
    const call = callOf(exchange, trace, own.at(-1))
    byExchange.set(exchange, call)
    own.push(call)
    if (exchange.key !== null) byKey.set(exchange.key, own)
  }
  const places = new Map([...byExchange.values()].map(({ seq }, place) => [seq, place]))
  const placeOf = ({ seq }: Call) => places.get(seq) ?? 0
  return {
    /** In the order in which they were sent. */
    byKey: byKey as ReadonlyMap<string, readonly Call[]>,
    of: (exchange: AnsweredExchange): Call =>
      byExchange.get(exchange) ?? callOf(exchange, trace, undefined),
    /** Whether every request between two was answered. */
    noneLost: (a: Call, b: Call) => placeOf(b) - placeOf(a) === b.seq - a.seq,
  }
})

const none: readonly Call[] = []

export const listCalls = (key: string | null, trace: Trace): readonly Call[] =>
  callsIn(trace).byKey.get(key ?? '') ?? none

/** Whether one was answered before the other was sent. */
export const isBefore = (a: Call, b: Call): boolean => a.toMs <= b.fromMs && a.seq < b.seq

/** Whether both are about the same kind of window. */
export const areAlike = (a: Call, b: Call): boolean =>
  a.said !== undefined && a.said.limit === b.said?.limit

/** How far Date and Reset may be off together: whole seconds, and a Date may be cached. */
export const roundingMs = 3_500

/** Whether a call may have come after the reset that an earlier response announced. */
export const mayBePast = (reset: number, call: Call): boolean =>
  (call.dateMs ?? Number.POSITIVE_INFINITY) + roundingMs >= reset * 1000

/** The latest of a key's calls that are about the same window, fit, and ended before a call. */
export const latestBefore = (
  calls: readonly Call[],
  call: Call,
  fits: (other: Call) => boolean = () => true,
): Call | undefined => {
  if (!call.said) return undefined
  let latest: Call | undefined
  for (let place = call.place - 1; place >= 0; place -= 1) {
    const other = calls[place] as Call
    if (latest && other.latestToMs < latest.toMs) break
    const isOne = areAlike(other, call) && isBefore(other, call) && fits(other)
    if (isOne && (!latest || other.toMs >= latest.toMs)) latest = other
  }
  return latest
}

/**
 * Refusals that may be a ban: each follows another one with nothing served in between. A ban hides
 * the count, which may be whole again after it.
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

const bansIn = memoized(maybeBans)

export const mayBeBan = (call: Call, calls: readonly Call[]): boolean =>
  bansIn(calls).includes(call)

/** Whether the key may have been banned at some moment of a span. */
export const mayBeBanned = (calls: readonly Call[], fromMs: number, toMs: number): boolean =>
  bansIn(calls).some((ban) => ban.toMs >= fromMs && ban.fromMs <= toMs)
