// The calls of a key as its limiter may have seen them. Derived from the history alone.

import {
  type AnsweredExchange,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../../history/exchange.ts'
import {
  appliedQuota,
  clocksOf,
  datesTell,
  dayMs,
  toMs as endMs,
  givenDateMs,
  minuteMs,
  rateHeaders,
  readWaitMs,
  refusalOf,
  fromMs as startMs,
} from '../../history/rate-headers.ts'
import { isFromBelow } from '../from-below.ts'
import { read } from '../read.ts'

/** Resets are whole seconds, and two replicas may round them differently. */
export const graceMs = 3_000
/** Date is whole seconds, and may be cached. */
export const roundingMs = 3_500

export interface Window {
  readonly name: 'minute' | 'day'
  readonly limit: number
  readonly ms: number
}

/** The target decided on it between `fromMs` and `toMs`, by its own time. */
export interface Call {
  readonly exchange: AnsweredExchange
  /** All calls of its key in the order of sending, and its place among them. */
  readonly all: readonly Call[]
  readonly place: number
  /** The one that was sent before it. */
  readonly before: Call | undefined
  readonly seq: number
  readonly status: number
  readonly fromMs: number
  readonly toMs: number
  readonly served: boolean
  /** 429, or 401 or 403 to a valid request, which may be how a ban looks. */
  readonly refused: boolean
  /** The window that its headers are about, with what they say of it. */
  readonly window: Window | undefined
  readonly remaining: number
  readonly reset: number
  /** The time at the target by this machine and by Date; none without a Date to be believed. */
  readonly clocksMs: readonly number[]
  readonly waitMs: number | undefined
  /** The latest end of the calls up to this one: earlier places end no later. */
  readonly latestMs: number
  /** How long its key was silent before it. */
  readonly silentMs: number
  /** No other call of its key was in flight with it. */
  quiet: boolean
  /** Other refusals with nothing served since: with one or more this one may be a ban. */
  refusals: number
  /** Those of them that were answered before it was sent. */
  earlierRefusals: number
  /** Its key was refused within a day before, and refusals of a day may add up to a ban. */
  refusedLately: boolean
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

export const windowsOf = (exchange: AnsweredExchange): readonly [Window, Window] => {
  const { perMinute, perDay } = appliedQuota(exchange)
  return [
    { name: 'minute', limit: perMinute, ms: minuteMs },
    { name: 'day', limit: perDay, ms: dayMs },
  ]
}

/**
 * Whether a call was refused for its key: by 429, or as a ban may look. A request that is not valid
 * may get 401 or 403 for what it is, and so may one with another spelling of the scheme.
 */
export const isRefusedForKey = (exchange: AnsweredExchange): boolean => {
  const refusal = refusalOf(exchange)
  if (refusal !== 'ban') return refusal === 'quota'
  const { operation, parts } = read(exchange)
  return (
    operation !== undefined && parts.every(({ is, kind }) => is === 'valid' && kind !== 'scheme')
  )
}

const readCall = (exchange: AnsweredExchange, all: readonly Call[], isDated: boolean): Call => {
  const before = all.at(-1)
  const said = isOfKey(exchange) ? rateHeaders(exchange) : undefined
  const [fromMs, toMs] = [startMs(exchange), endMs(exchange)]
  const here = Date.parse(exchange.at) + exchange.movedMs + toMs - fromMs
  const date = isDated ? givenDateMs(exchange) : undefined
  return {
    exchange,
    all,
    place: all.length,
    before,
    seq: exchange.seq,
    status: statusCode(exchange),
    fromMs,
    toMs,
    served: recognizeOperation(exchange) !== undefined && isSuccess(exchange),
    refused: isRefusedForKey(exchange),
    window: windowsOf(exchange).find(({ name }) => name === said?.window),
    remaining: said?.remaining ?? 0,
    reset: said?.reset ?? 0,
    clocksMs: date === undefined ? [] : clocksOf(here, date),
    waitMs: readWaitMs(exchange),
    latestMs: Math.max(before?.latestMs ?? toMs, toMs),
    silentMs: fromMs - (before?.latestMs ?? Number.NEGATIVE_INFINITY),
    quiet: false,
    refusals: 0,
    earlierRefusals: 0,
    refusedLately: false,
  }
}

/** Times are rounded to microseconds, each by itself. */
const slackMs = 0.002

/** Whether one was answered before the other was sent. */
export const isBefore = (a: Call, b: Call): boolean => a.toMs <= b.fromMs + slackMs && a.seq < b.seq

/** The calls of one key in the order of sending, with what every law needs of them. */
export const readCalls = (exchanges: readonly AnsweredExchange[]): readonly Call[] => {
  const calls: Call[] = []
  const isDated = datesTell({ exchanges })
  for (const exchange of exchanges) calls.push(readCall(exchange, calls, isDated))
  const refused = calls.filter((call) => call.refused)
  for (const call of calls) {
    const next = calls[call.place + 1]
    const last = refused.findLast((one) => isBefore(one, call))
    call.refusedLately = last !== undefined && call.fromMs - last.toMs <= forgottenMs
    call.quiet = call.silentMs >= -slackMs && (next?.fromMs ?? call.toMs) >= call.toMs - slackMs
  }
  for (const call of refused) {
    const served = calls.findLast((one) => one.served && isBefore(one, call))
    const sinceMs = served?.fromMs ?? Number.NEGATIVE_INFINITY
    const some = refused.filter(
      (one) => one !== call && one.fromMs < call.toMs && one.toMs > sinceMs,
    )
    call.refusals = some.length
    call.earlierRefusals = some.filter((one) => isBefore(one, call)).length
  }
  return calls
}

/** A ban hides the count, which may be whole again after it. */
export const mayBeBan = (call: Call): boolean => call.refused && call.refusals > 0

/** Refusals of a day may add up to a ban. */
const forgottenMs = dayMs + 3_600_000

/** `from 33 on a 200 of GET /pets to 59 on a 400 of POST /pets`: others may be counted apart. */
export const fromTo = (from: Call, to: Call): string => {
  const [before, after] = [from, to].map(
    ({ status, exchange }) => ` on a ${status} of ${read(exchange).name}`,
  )
  const [first, last] = before === after ? ['', ''] : [before, after]
  return `from ${from.remaining}${first} to ${to.remaining}${last}`
}

/** Time in which other clients may call: none passes while the test clock is moved. */
export const realMs = (from: Call, to: Call): number =>
  to.exchange.sentMs - from.exchange.receivedMs

/** So long another client hardly uses up what has just come back. */
export const promptMs = 1_500

/** Whether its response says that nothing remains. */
export const isSpent = ({ window, remaining }: Call): boolean =>
  window !== undefined && remaining === 0

/** Between calls this close together nobody else is refused again and again. */
const soonMs = 250

/**
 * Whether no other client can have been refused before: the call had just been served the last one
 * that remained. And the key was not withdrawn, as it is served later.
 */
export const isOwnEnd = (latest: Call, call: Call): boolean =>
  isSpent(latest) &&
  latest.seq + 1 === call.seq &&
  realMs(latest, call) <= soonMs &&
  call.all.slice(call.place).some((later) => later.served)

/** Whether the Reset of one response may have come when another was decided, by any clock. */
export const mayBePast = (from: Call, to: Call): boolean =>
  to.clocksMs.length === 0 || to.clocksMs.some((ms) => ms + roundingMs >= from.reset * 1000)

/** Whether a window may have ended between two calls: at its Reset, or as a later one shows. */
export const mayHaveEnded = (from: Call, to: Call): boolean =>
  mayBePast(from, to) || to.reset >= from.reset + (from.window?.ms ?? 0) / 1000 - 2

/** Whether it has come by all clocks. */
export const isPast = (from: Call, to: Call): boolean =>
  to.clocksMs.length > 0 &&
  to.clocksMs.every((ms) => ms - (to.toMs - to.fromMs) > from.reset * 1000 + 1_000)

/** The other calls that may have been decided after a moment and before a call. */
export const overlapping = (sinceMs: number, to: Call): readonly Call[] => {
  const found: Call[] = []
  for (let { before: call } = to; call && call.latestMs > sinceMs; call = call.before) {
    if (call.toMs > sinceMs) found.push(call)
  }
  for (let at = to.place + 1; ; at += 1) {
    const call = to.all[at]
    if (!call || call.fromMs >= to.toMs) return found
    found.push(call)
  }
}

/** Calls that may have been decided after one call and before another. */
export const between = (from: Call, to: Call): readonly Call[] =>
  overlapping(from.fromMs, to).filter((call) => call !== from)

type Fits = (call: Call) => boolean

/** So many calls an anchor may lie back: all minutes of the plans fit into this, twice. */
const maxReach = 2_500

/** The latest response about the same window, or any, that was there before a call was sent. */
const latestBefore = (call: Call, fits: Fits): Call | undefined => {
  let latest: Call | undefined
  for (let { before: other } = call; other; other = other.before) {
    if (other.place < call.place - maxReach) break
    if (latest && other.latestMs < latest.toMs) break
    if (call.window && other.window?.name !== call.window.name) continue
    if (!isBefore(other, call) || !fits(other)) continue
    if (!latest || other.toMs > latest.toMs) latest = other
  }
  return latest
}

/**
 * The responses that bound what a call may find: the latest, and the latest that nothing
 * overlapped, since in a burst the latest one bounds badly.
 */
export const anchorsOf = (call: Call, fits: Fits): Set<Call> => {
  const quiet = latestBefore(call, (one) => one.quiet && fits(one))
  const all = [latestBefore(call, fits), quiet]
  return new Set(all.filter((one) => one !== undefined))
}

/**
 * Whether numbers of a declared window are missing in the responses: another client received
 * them.
 */
export const skipsNumbers = (some: readonly Call[]): boolean => {
  const counted = some.filter((call) => call.window && !call.refused)
  const groups = Map.groupBy(counted, (call) => `${call.window?.name} ${call.reset}`)
  return [...groups.values()].some((group) => {
    const seen = new Set(group.map(({ remaining }) => remaining))
    return Math.max(...seen) - Math.min(...seen) + 1 > seen.size
  })
}
