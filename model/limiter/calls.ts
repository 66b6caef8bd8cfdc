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
  nowHereMs,
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
  /** The one that was sent before it, and the latest that was served, refused, or quiet. */
  readonly before: Call | undefined
  readonly servedBefore: Call | undefined
  readonly refusedBefore: Call | undefined
  readonly quietBefore: Call | undefined
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
  /** How many were served up to this one. */
  readonly servedCount: number
  /** The latest end of the calls up to this one: earlier places end no later. */
  readonly latestMs: number
  /** Likewise by the clock of this machine, which no test clock moves. */
  readonly latestReceivedMs: number
  /** How long its key was silent before it. */
  readonly silentMs: number
  /** No other call of its key was in flight with it, once all are there that may have been. */
  readonly quiet: boolean
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

/** Of the scheme, and of the names of fields: letter cases that a server may not know. */
const spellings: readonly string[] = ['scheme', 'lower', 'upper']

/**
 * Whether a call was refused for its key: by 429, or as a ban may look. A request that is not valid
 * may get 401 or 403 for what it is, and so may one with another spelling of the scheme.
 */
export const isRefusedForKey = (exchange: AnsweredExchange): boolean => {
  const refusal = refusalOf(exchange)
  if (refusal !== 'ban') return refusal === 'quota'
  const { operation, parts } = read(exchange)
  return (
    operation !== undefined &&
    parts.every(({ is, kind }) => is === 'valid' && !spellings.includes(kind))
  )
}

const isQuiet = ({ silentMs, toMs }: Call, nextMs = toMs): boolean =>
  silentMs >= -slackMs && nextMs >= toMs - slackMs

/** Adds a call to those of its key, which were sent before it. */
export const addCall = (exchange: AnsweredExchange, all: Call[], isDated: boolean): Call => {
  const before = all.at(-1)
  const said = isOfKey(exchange) ? rateHeaders(exchange) : undefined
  const [fromMs, toMs] = [startMs(exchange), endMs(exchange)]
  const here = nowHereMs(exchange) + toMs - fromMs
  const date = isDated ? givenDateMs(exchange) : undefined
  const served = recognizeOperation(exchange) !== undefined && isSuccess(exchange)
  const { receivedMs } = exchange
  const call: Call = {
    exchange,
    all,
    place: all.length,
    before,
    servedBefore: before?.served ? before : before?.servedBefore,
    refusedBefore: before?.refused ? before : before?.refusedBefore,
    quietBefore: before && isQuiet(before, fromMs) ? before : before?.quietBefore,
    seq: exchange.seq,
    status: statusCode(exchange),
    fromMs,
    toMs,
    served,
    refused: isRefusedForKey(exchange),
    window: windowsOf(exchange).find(({ name }) => name === said?.window),
    remaining: said?.remaining ?? 0,
    reset: said?.reset ?? 0,
    clocksMs: date === undefined ? [] : clocksOf(here, date),
    waitMs: readWaitMs(exchange),
    servedCount: (before?.servedCount ?? 0) + Number(served),
    latestMs: Math.max(before?.latestMs ?? toMs, toMs),
    latestReceivedMs: Math.max(before?.latestReceivedMs ?? receivedMs, receivedMs),
    silentMs: fromMs - (before?.latestMs ?? Number.NEGATIVE_INFINITY),
    get quiet() {
      return isQuiet(this, all[this.place + 1]?.fromMs)
    },
  }
  all.push(call)
  return call
}

/** Times are rounded to microseconds, each by itself. */
export const slackMs = 0.002

/** Whether one was answered before the other was sent. */
export const isBefore = (a: Call, b: Call): boolean => a.toMs <= b.fromMs + slackMs && a.seq < b.seq

/** The calls that were sent after one and before its response came. */
export const laterBeside = (to: Call): readonly Call[] => {
  let end = to.place + 1
  while ((to.all[end]?.fromMs ?? to.toMs) < to.toMs) end += 1
  return to.all.slice(to.place + 1, end)
}

const latestOf = (call: Call, which: 'servedBefore' | 'refusedBefore'): Call | undefined => {
  let one = call[which]
  while (one && !isBefore(one, call)) one = one[which]
  return one
}

/** Whether a refusal before one fits, with nothing served between the two. */
const hasRefusal = (call: Call, fits: (one: Call) => boolean): boolean => {
  const sinceMs = latestOf(call, 'servedBefore')?.fromMs ?? Number.NEGATIVE_INFINITY
  for (let { refusedBefore: one } = call; one && one.latestMs > sinceMs; one = one.refusedBefore) {
    if (one.toMs > sinceMs && fits(one)) return true
  }
  return false
}

/** Whether another refusal was answered before it was sent, and nothing was served between. */
export const followsRefusal = (call: Call): boolean =>
  call.refused && hasRefusal(call, (one) => isBefore(one, call))

/** Whether it may be a ban, which hides the count, and after which that may be whole again. */
export const mayBeBan = (call: Call): boolean =>
  call.refused && (hasRefusal(call, () => true) || laterBeside(call).some(({ refused }) => refused))

/** Whether any of the calls after one, up to another, may be a ban. */
export const hasBan = (from: Call, to: Call): boolean => {
  let one: Call | undefined = to
  while (one && one.place > from.place && !mayBeBan(one)) one = one.refusedBefore
  return one !== undefined && one.place > from.place
}

/** Refusals of a day may add up to a ban. */
const forgottenMs = dayMs + 3_600_000

/** Whether its key got a refusal that is meant within a day before. */
export const wasRefusedLately = (call: Call, isMeant = (_: Call) => true): boolean => {
  let last = latestOf(call, 'refusedBefore')
  while (last && call.fromMs - last.toMs <= forgottenMs && !isMeant(last)) last = last.refusedBefore
  return last !== undefined && call.fromMs - last.toMs <= forgottenMs
}

/** The calls of one key in the order of sending, with what every law needs of them. */
export const readCalls = (exchanges: readonly AnsweredExchange[]): readonly Call[] => {
  const calls: Call[] = []
  const isDated = datesTell({ exchanges })
  for (const exchange of exchanges) addCall(exchange, calls, isDated)
  return calls
}

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

/** Whether other clients may have used up, or drawn a ban of, a key between two calls of ours. */
export const hasTimeBefore = (call: Call): boolean =>
  call.before !== undefined && realMs(call.before, call) >= promptMs

/** Whether its response says that nothing remains. */
export const isSpent = ({ window, remaining }: Call): boolean =>
  window !== undefined && remaining === 0

/** Between calls this close together nobody else is refused, or served many, again and again. */
export const soonMs = 250

/**
 * Whether no other client can have been refused before: the call had just been served the last one
 * that remained. And the key was not withdrawn, as it is served later.
 */
export const isOwnEnd = (latest: Call, call: Call): boolean =>
  isSpent(latest) &&
  latest.seq + 1 === call.seq &&
  realMs(latest, call) <= soonMs &&
  (call.all.at(-1)?.servedCount ?? 0) > (call.before?.servedCount ?? 0)

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

export const isNo429 = ({ status }: Call): boolean => status !== 429

export const isAboutQuota = (call: Call): boolean => isNo429(call) && call.window !== undefined
