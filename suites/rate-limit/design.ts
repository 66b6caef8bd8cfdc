// Finds the limiter design that explains the responses to a key, and whether responses with a
// status count. Pure: it replays the calls of one key against each design.

import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import {
  dateMs,
  fromMs,
  isRefused,
  isServed,
  minuteMs,
  minuteSaid,
  rateHeaders,
  toMs,
} from '../../history/rate-headers.ts'
import type { Round } from './run-burst.ts'

/** A served call; times are Unix milliseconds of the target. */
interface ReplayedCall {
  readonly atMs: number
  /** From sending it to receiving its response; it was counted in between. */
  readonly spanMs: number
  readonly remaining: number
  /** The Reset of its response, in Unix seconds. */
  readonly reset: number
}

/** Remaining after each of the calls, by a design. */
type Replay = (calls: readonly ReplayedCall[], limit: number) => readonly number[]

const clockBegin = (atMs: number) => Math.floor(atMs / minuteMs) * minuteMs

/** Replicas may round a Reset up or down. */
const sameResetS = 2

/** Each window ends at its Reset. */
const fixedWindow: Replay = (calls, limit) => {
  let reset = Number.NEGATIVE_INFINITY
  let used = 0
  return calls.map((call) => {
    if (Math.abs(call.reset - reset) > sameResetS) {
      reset = call.reset
      used = 0
    }
    used += 1
    return limit - used
  })
}

const slidingLog: Replay = (calls, limit) =>
  calls.map(({ atMs }, place) => {
    const counted = calls.filter((call, at) => at <= place && call.atMs > atMs - minuteMs)
    return limit - counted.length
  })

const slidingCounter: Replay = (calls, limit) =>
  calls.map(({ atMs }, place) => {
    const beginMs = clockBegin(atMs)
    const before = calls.slice(0, place + 1)
    const current = before.filter((call) => call.atMs >= beginMs).length
    const earlier = before.filter((call) => call.atMs >= beginMs - minuteMs).length - current
    const weight = 1 - (atMs - beginMs) / minuteMs
    return Math.floor(limit - current - earlier * weight)
  })

const tokenBucket: Replay = (calls, limit) => {
  let tokens = limit
  let seenMs = calls[0]?.atMs ?? 0
  return calls.map(({ atMs }) => {
    tokens = Math.min(limit, tokens + ((atMs - seenMs) * limit) / minuteMs) - 1
    seenMs = atMs
    return Math.floor(tokens)
  })
}

const designs = {
  'fixed window': fixedWindow,
  'sliding log': slidingLog,
  'sliding counter': slidingCounter,
  'token bucket': tokenBucket,
}

type Fit = 'fits' | 'unsure' | 'contradicted'

/** A difference up to `near` may be rounding; from `far` on it contradicts the design. */
const near = 1
const far = 2

const fitOf = (replay: Replay, calls: readonly ReplayedCall[], limit: number): Fit => {
  const predicted = replay(calls, limit)
  const differences = calls.map(({ remaining, spanMs }, at) => ({
    off: Math.abs((predicted[at] ?? remaining) - remaining),
    room: Math.floor((spanMs * limit) / minuteMs),
  }))
  if (differences.some(({ off, room }) => off >= far + 2 * room)) return 'contradicted'
  return differences.every(({ off, room }) => off <= near + room) ? 'fits' : 'unsure'
}

/** Positions of the target's time within the range that Date leaves open. */
const shares = [0, 0.25, 0.5, 0.75, 1]

/** The best fit over these positions, since the target's time is not known exactly. */
const bestFit = (replay: Replay, { calls, roomMs }: Replayed, limit: number): Fit => {
  const fits = shares.map((share) => {
    const shifted = calls.map((call) => ({ ...call, atMs: call.atMs + share * roomMs }))
    return fitOf(replay, shifted, limit)
  })
  return (['fits', 'unsure'] as const).find((fit) => fits.includes(fit)) ?? 'contradicted'
}

/** The first call of each window of the key. */
const beginnings = (calls: readonly ReplayedCall[]): readonly ReplayedCall[] => {
  let reset = Number.NEGATIVE_INFINITY
  return calls.filter((call) => {
    const isNew = call.reset > reset + sameResetS
    if (isNew) reset = call.reset
    return isNew
  })
}

const minWindows = 3
/** From the first call to its Reset, both rounded. */
const wholeMs = { min: minuteMs - 2_500, max: minuteMs + 2_500 }

/** Whether fixed windows begin at a certain second of the minute, or at the first call. */
const placed = (calls: readonly ReplayedCall[]): string => {
  const windows = beginnings(calls)
  const phaseOf = ({ reset }: ReplayedCall) => reset % 60
  const isAt = (phase: number) =>
    windows.every((call) => {
      const apart = Math.abs(phaseOf(call) - phase)
      return Math.min(apart, 60 - apart) <= 1
    })
  const [first] = windows
  if (!first || windows.length < minWindows) return 'inconclusive'
  if (isAt(0)) return 'fixed window on the clock'
  if (isAt(phaseOf(first))) return 'fixed window off the clock'
  const isFromFirst = windows.every(({ reset, atMs }) => {
    const aheadMs = reset * 1_000 - atMs
    return aheadMs >= wholeMs.min && aheadMs <= wholeMs.max
  })
  return isFromFirst ? 'fixed window from the first request' : 'inconclusive'
}

interface Replayed {
  /** Those since a rest of two windows, in the order in which they were counted. */
  readonly calls: readonly ReplayedCall[]
  /** By how much later all of them may have been sent. */
  readonly roomMs: number
  readonly all: readonly ReplayedCall[]
}

/** The only design that is not contradicted, if it fits; else inconclusive. */
const designIn = (replayed: Replayed, limit: number): string => {
  const fits = Object.entries(designs).map(([name, replay]) => ({
    name,
    fit: bestFit(replay, replayed, limit),
  }))
  const [only, ...more] = fits.filter(({ fit }) => fit !== 'contradicted')
  if (only?.fit !== 'fits' || more.length > 0) return 'inconclusive'
  return only.name === 'fixed window' ? placed(replayed.all) : only.name
}

const secondMs = 1_000
/** If Date leaves a larger range, it does not show when a minute begins. */
const maxOffsetRoomMs = 3_000

/** By how much the target's clock is ahead of the local one, within the limits of all Dates. */
const offsetOf = (exchanges: readonly AnsweredExchange[]) => {
  const dated = exchanges.flatMap((exchange) => {
    const date = dateMs(exchange)
    return date === undefined ? [] : [{ exchange, date }]
  })
  const minMs = Math.max(...dated.map(({ exchange, date }) => date - toMs(exchange)))
  const maxMs = Math.min(...dated.map(({ exchange, date }) => date + secondMs - fromMs(exchange)))
  const beginMs = Math.min(minMs, maxMs)
  const roomMs = Math.abs(maxMs - minMs)
  return dated.length === 0 || roomMs > maxOffsetRoomMs ? undefined : { beginMs, roomMs }
}

/** Sorts calls; those in flight at the same time in descending order of Remaining. */
const inOrder = (calls: readonly ReplayedCall[]): readonly ReplayedCall[] => {
  const ordered = calls.toSorted((a, b) => a.atMs - b.atMs)
  let endMs = Number.NEGATIVE_INFINITY
  let group = -1
  const groups = ordered.map(({ atMs, spanMs }) => {
    if (atMs - spanMs / 2 > endMs) group += 1
    endMs = Math.max(endMs, atMs + spanMs / 2)
    return group
  })
  const grouped = Map.groupBy(ordered, (_call, at) => groups[at] ?? 0)
  return [...grouped.values()].flatMap((together) =>
    together
      .toSorted((a, b) => b.remaining - a.remaining)
      .map((call, at) => ({ ...call, atMs: together[at]?.atMs ?? call.atMs })),
  )
}

/**
 * The design that explains a burst: two calls after a rest, all others at once, and some more after
 * the wait.
 * @param responses all responses to the key, in order
 */
export const inferDesign = (round: Round, responses: readonly AnsweredExchange[]): string => {
  const { quota } = round.key
  const [first] = round.probes
  const calls = responses.filter(({ seq }) => seq >= (first?.seq ?? 0))
  const offset = offsetOf(calls)
  const known = calls.every((one) => isServed(one) || isRefused(one))
  if (!first || !known || !offset || round.lost > 0) return 'inconclusive'
  const replayed = (exchanges: readonly AnsweredExchange[]): ReplayedCall[] =>
    exchanges.filter(isServed).flatMap((exchange) => {
      const said = minuteSaid(exchange)
      const atMs = (fromMs(exchange) + toMs(exchange)) / 2 + offset.beginMs
      const spanMs = toMs(exchange) - fromMs(exchange)
      return said ? { atMs, spanMs, remaining: said.remaining, reset: said.reset } : []
    })
  const own = inOrder(replayed(calls))
  const isWhole = own[0]?.remaining === quota.perMinute - 1
  if (own.length < calls.filter(isServed).length || !isWhole) return 'inconclusive'
  const { roomMs } = offset
  return designIn({ calls: own, roomMs, all: inOrder(replayed(responses)) }, quota.perMinute)
}

const minSeen = 2
const clearShare = 0.8

interface Fall {
  readonly exchange: AnsweredExchange
  readonly fall: number
  /** How many calls a bucket or a sliding counter may have given back meanwhile. */
  readonly refill: number
}

/** By how much Remaining fell with each call that directly followed another one of its key. */
const fallsIn = (responses: readonly AnsweredExchange[]): readonly Fall[] => {
  const inTurn = responses.toSorted((a, b) => a.seq - b.seq)
  return inTurn.flatMap((exchange, at): Fall[] => {
    const before = inTurn[at - 1]
    const [said, left] = [before && rateHeaders(before), rateHeaders(exchange)]
    if (!before || !said || !left || said.limit !== left.limit) return []
    const isNext =
      before.key === exchange.key &&
      exchange.seq === before.seq + 1 &&
      toMs(before) <= fromMs(exchange)
    const fall = said.remaining - left.remaining
    // A larger rise means that a window ended.
    if (!isNext || fall < -1 || isRefused(before) || isRefused(exchange)) return []
    const refill = ((toMs(exchange) - fromMs(before)) * said.limit) / minuteMs
    return [{ exchange, fall, refill }]
  })
}

const isMostly = (falls: readonly Fall[], holds: (fall: number) => boolean): boolean =>
  falls.filter(({ fall }) => holds(fall)).length >= clearShare * falls.length

/** Whether responses with a status lowered Remaining, unless a refill hides it. */
export const countByStatus = (responses: readonly AnsweredExchange[], status: number): string => {
  const falls = fallsIn(responses)
  const own = falls.filter(({ exchange }) => statusCode(exchange) === status)
  if (own.length < minSeen) return 'inconclusive'
  if (isMostly(own, (fall) => fall >= 1)) return 'counted'
  const served = falls.filter(({ exchange }) => isServed(exchange))
  const refill = own.reduce((sum, each) => sum + each.refill, 0)
  const isHidden =
    refill > (1 - clearShare) * own.length ||
    served.length < minSeen ||
    !isMostly(served, (fall) => fall >= 1)
  return !isHidden && isMostly(own, (fall) => fall <= 0) ? 'not counted' : 'inconclusive'
}
