// Finds the limiter design that explains the responses to a key, and whether responses with a
// status count. Pure: it replays the calls of one key against each design.

import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import { isServed, minuteMs } from '../../history/rate-headers.ts'
import { type Call, isBefore, readCalls, silentMs } from '../../model/limiter/calls.ts'

/** A served call at a time of the target, in Unix milliseconds. */
interface ReplayedCall extends Pick<Call, 'remaining' | 'reset' | 'quiet'> {
  readonly atMs: number
  /** From sending it to receiving its response; it was counted in between. */
  readonly spanMs: number
}

/** Remaining after each of the calls, by a design. */
type Replay = (calls: readonly ReplayedCall[], limit: number) => readonly number[]

/** Replicas may round a Reset up or down. */
const sameResetS = 2

/** Each window ends at its Reset. */
const fixedWindow: Replay = (calls, limit) => {
  let reset = Number.NEGATIVE_INFINITY
  let used = 0
  return calls.map((call) => {
    if (Math.abs(call.reset - reset) > sameResetS) [reset, used] = [call.reset, 0]
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
    const beginMs = Math.floor(atMs / minuteMs) * minuteMs
    const before = calls.slice(0, place + 1)
    const current = before.filter((call) => call.atMs >= beginMs).length
    const earlier = before.filter((call) => call.atMs >= beginMs - minuteMs).length - current
    return Math.floor(limit - current - earlier * (1 - (atMs - beginMs) / minuteMs))
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

const designs = { fixedWindow, slidingLog, slidingCounter, tokenBucket }
const names: Readonly<Record<keyof typeof designs, string>> = {
  fixedWindow: 'fixed window',
  slidingLog: 'sliding log',
  slidingCounter: 'sliding counter',
  tokenBucket: 'token bucket',
}

/** Positions of the target's time within the range that Date leaves open. */
const shares = [0, 0.25, 0.5, 0.75, 1]

/**
 * How far the numbers are from a design, at the best position of the target's time: a difference
 * up to 1 may be rounding, and from 2 on it contradicts the design. Of requests in flight together
 * it is not known which was counted first.
 */
const distance = (
  replay: Replay,
  calls: readonly ReplayedCall[],
  limit: number,
  roomMs: number,
): number =>
  Math.min(
    ...shares.map((share) => {
      const shifted = calls.map((call) => ({ ...call, atMs: call.atMs + share * roomMs }))
      const predicted = replay(shifted, limit)
      const off = calls.map(({ remaining, spanMs, quiet }, at) => {
        const room = Math.floor((spanMs * limit) / minuteMs)
        return quiet ? Math.abs((predicted[at] ?? remaining) - remaining) / (1 + room) : 0
      })
      return Math.max(...off)
    }),
  )

const minWindows = 3
/** From the first call to its Reset, both rounded. */
const maxRoundingMs = 2_500

/** Whether fixed windows begin at a certain second of the minute, or at the first call. */
const placed = (calls: readonly ReplayedCall[]): string => {
  const windows = calls.filter(({ reset }, at) => {
    const before = calls.slice(0, at).map((call) => call.reset)
    return reset > Math.max(...before) + sameResetS
  })
  const isAt = (phase: number) =>
    windows.every(({ reset }) => {
      const apart = Math.abs((reset % 60) - phase)
      return Math.min(apart, 60 - apart) <= 1
    })
  const [first] = windows
  if (!first || windows.length < minWindows) return 'inconclusive'
  if (isAt(0)) return 'fixed window on the clock'
  if (isAt(first.reset % 60)) return 'fixed window off the clock'
  const isFromFirst = windows.every(
    ({ reset, atMs }) => Math.abs(reset * 1_000 - atMs - minuteMs) <= maxRoundingMs,
  )
  return isFromFirst ? 'fixed window from the first request' : 'inconclusive'
}

const secondMs = 1_000
/** If Date leaves a larger range, it does not show when a minute begins. */
const maxRoomMs = 3_000

/** By how much the target's clock is ahead of the local one, within the limits of all Dates. */
const offsetOf = (calls: readonly Call[]) => {
  const dated = calls.filter(({ clocksMs }) => clocksMs.length > 0)
  const dateOf = ({ clocksMs }: Call): number => clocksMs.at(-1) ?? 0
  const minMs = Math.max(...dated.map((call) => dateOf(call) - call.toMs))
  const maxMs = Math.min(...dated.map((call) => dateOf(call) + secondMs - call.fromMs))
  const roomMs = Math.abs(maxMs - minMs)
  return roomMs > maxRoomMs ? undefined : { beginMs: Math.min(minMs, maxMs), roomMs }
}

/** The calls since the key was whole, before one of them was refused, until its next long rest. */
const sinceWhole = (calls: readonly Call[], refusedSeq: number): readonly Call[] => {
  const first = calls.findLast(
    (call) =>
      call.seq < refusedSeq &&
      call.window?.name === 'minute' &&
      call.remaining === call.window.limit - 1 &&
      silentMs(calls, call) >= minuteMs,
  )
  if (!first) return []
  const next = calls.find((call) => call.seq > refusedSeq && silentMs(calls, call) >= 2 * minuteMs)
  return calls.slice(first.place, next?.place)
}

/**
 * The only design that explains a burst: some calls after a rest, all others at once, and some more
 * after the wait; `inconclusive` where none or several do.
 * @param responses all responses to the key, in order
 * @param refusedSeq the number of a refusal among them
 */
export const inferDesign = (responses: readonly AnsweredExchange[], refusedSeq: number): string => {
  const all = readCalls(responses.toSorted((a, b) => a.seq - b.seq))
  const offset = offsetOf(all)
  const own = sinceWhole(all, refusedSeq)
  const isKnown = own.every(({ served, refused, window }) => refused || (served && window))
  const limit = own[0]?.window?.limit
  if (!isKnown || !offset || limit === undefined) return 'inconclusive'
  const replayed = (calls: readonly Call[]): readonly ReplayedCall[] =>
    calls
      .filter((call) => call.served && call.window?.name === 'minute')
      .map(({ fromMs, toMs, remaining, reset, quiet }) => ({
        ...{ remaining, reset, quiet, spanMs: toMs - fromMs },
        atMs: (fromMs + toMs) / 2 + offset.beginMs,
      }))
  const keys = Object.keys(designs) as (keyof typeof designs)[]
  const far = keys.map((name) => distance(designs[name], replayed(own), limit, offset.roomMs))
  const [only, ...more] = keys.filter((_name, at) => (far[at] ?? 0) < 2)
  if (!only || more.length > 0 || (far[keys.indexOf(only)] ?? 0) > 1) return 'inconclusive'
  return only === 'fixedWindow' ? placed(replayed(all)) : names[only]
}

const minSeen = 2
const clearShare = 0.8

/** Whether responses with a status lowered Remaining, unless a refill hides it. */
export const countByStatus = (responses: readonly AnsweredExchange[], status: number): string => {
  const byKey = Map.groupBy(responses, ({ key }) => key)
  const falls = [...byKey.values()].flatMap((own) => {
    const calls = readCalls(own.toSorted((a, b) => a.seq - b.seq))
    return calls.flatMap((to) => {
      const from = calls[to.place - 1]
      if (!from?.window || from.window.name !== to.window?.name) return []
      const fall = from.remaining - to.remaining
      const isNext = to.seq === from.seq + 1 && isBefore(from, to)
      // A larger rise means that a window ended.
      if (!isNext || fall < -1 || from.refused || to.refused) return []
      const refill = ((to.toMs - from.fromMs) * from.window.limit) / from.window.ms
      return [{ exchange: to.exchange, fall, refill }]
    })
  })
  const own = falls.filter(({ exchange }) => statusCode(exchange) === status)
  const isMostly = (some: typeof falls, holds: (fall: number) => boolean): boolean =>
    some.length >= minSeen &&
    some.filter(({ fall }) => holds(fall)).length >= clearShare * some.length
  if (isMostly(own, (fall) => fall >= 1)) return 'counted'
  const served = falls.filter(({ exchange }) => isServed(exchange))
  const refill = own.reduce((sum, each) => sum + each.refill, 0)
  const isHidden = refill > (1 - clearShare) * own.length || !isMostly(served, (fall) => fall >= 1)
  return !isHidden && isMostly(own, (fall) => fall <= 0) ? 'not counted' : 'inconclusive'
}
