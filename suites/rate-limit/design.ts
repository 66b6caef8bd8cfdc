// Which limiter a key seems to have, and whether responses of a status count. Pure: from responses.
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { dateMs, rateHeaders } from '../../engine/quota/rate-headers.ts'
import type { Round } from '../../engine/quota/round.ts'
import { fromMs, isRefused, isServed, minuteMs, minuteSaid, toMs } from './reading.ts'
import { type Design, designIn, type ReplayedCall } from './replay.ts'

const secondMs = 1_000
/** Dates that leave more room than this do not tell where a minute begins. */
const maxOffsetRoomMs = 3_000

/** What the time at the target is ahead of that measured here, as all Dates leave it. */
const offsetOf = (exchanges: readonly Answered[]) => {
  const dated = exchanges.flatMap((exchange) => {
    const date = dateMs(exchange)
    return date === undefined ? [] : [{ exchange, date }]
  })
  const leastMs = Math.max(...dated.map(({ exchange, date }) => date - toMs(exchange)))
  const mostMs = Math.min(...dated.map(({ exchange, date }) => date + secondMs - fromMs(exchange)))
  const beginMs = Math.min(leastMs, mostMs)
  const roomMs = Math.abs(mostMs - leastMs)
  return dated.length === 0 || roomMs > maxOffsetRoomMs ? undefined : { beginMs, roomMs }
}

/** Calls that were under way together were decided in the order of what they left. */
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
 * After a rest two calls are made, then all others at once, and some more when the wait is over.
 * @param heard all that was sent with the key, in order
 */
export const designOf = (round: Round, heard: readonly Answered[]): Design => {
  const { quota } = round.key
  const [first] = round.probes
  const calls = heard.filter(({ seq }) => seq >= (first?.seq ?? 0))
  const offset = offsetOf(calls)
  const known = calls.every((one) => isServed(one) || isRefused(one))
  if (!first || !known || !offset || round.lost > 0) return 'inconclusive'
  const replayed = (exchanges: readonly Answered[]): ReplayedCall[] =>
    exchanges.filter(isServed).flatMap((exchange) => {
      const said = minuteSaid(exchange, quota)
      const atMs = (fromMs(exchange) + toMs(exchange)) / 2 + offset.beginMs
      const spanMs = toMs(exchange) - fromMs(exchange)
      return said ? { atMs, spanMs, remaining: said.remaining, reset: said.reset } : []
    })
  const own = inOrder(replayed(calls))
  const isWhole = own[0]?.remaining === quota.perMinute - 1
  if (own.length < calls.filter(isServed).length || !isWhole) return 'inconclusive'
  const { roomMs } = offset
  return designIn({ calls: own, roomMs, all: inOrder(replayed(heard)) }, quota.perMinute)
}

/** Of responses seen right after another fewer than this decide nothing. */
const minSeen = 2
const clearShare = 0.8

interface Fall {
  readonly exchange: Answered
  readonly fall: number
  /** What a bucket, or a counter that slides, may have given back meanwhile. */
  readonly refill: number
}

/** By how much Remaining fell with each call that came right after another one of its key. */
const fallsIn = (heard: readonly Answered[]): readonly Fall[] => {
  const inTurn = heard.toSorted((a, b) => a.seq - b.seq)
  return inTurn.flatMap((exchange, at): Fall[] => {
    const before = inTurn[at - 1]
    const [said, left] = [before && rateHeaders(before), rateHeaders(exchange)]
    if (!before || !said || !left || said.limit !== left.limit) return []
    const isNext =
      before.key === exchange.key &&
      exchange.seq === before.seq + 1 &&
      toMs(before) <= fromMs(exchange)
    const fall = said.remaining - left.remaining
    // A larger rise is that of a window that ended.
    if (!isNext || fall < -1 || isRefused(before) || isRefused(exchange)) return []
    const refill = ((toMs(exchange) - fromMs(before)) * said.limit) / minuteMs
    return [{ exchange, fall, refill }]
  })
}

const isMostly = (falls: readonly Fall[], holds: (fall: number) => boolean): boolean =>
  falls.filter(({ fall }) => holds(fall)).length >= clearShare * falls.length

/** Whether responses of a status made Remaining fall, where what comes back does not hide it. */
export const countsOf = (heard: readonly Answered[], status: number): string => {
  const falls = fallsIn(heard)
  const own = falls.filter(({ exchange }) => statusOf(exchange) === status)
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
