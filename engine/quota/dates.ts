// Whether the Dates of a run show the time at the target.

import type { Trace } from '../check/declare.ts'
import { type Exchange, header, isAnswered, memoized, statusOf } from '../check/exchange.ts'
import { fromMs, givenDateMs, toMs } from './rate-headers.ts'

/** Whether all of them do. */
export const datesTell = memoized(
  ({ exchanges }: Trace) => !exchanges.some(({ dateIsWrong }) => dateIsWrong),
)

/** A Date is in whole seconds, and servers cache its text for a while. */
const maxStaleMs = 3_000
/** Clocks drift a little. */
const driftMs = 500
/** A halted virtual machine measures less time than passes. */
const maxHalts = 2
/** A single response may come from elsewhere; after more of them no Date is believed. */
const maxStrays = 2

/** Whether the target wrote the Date: a proxy or cache may date the responses of its own. */
export const writesDate = (exchange: Exchange): boolean =>
  isAnswered(exchange) &&
  exchange.key !== null &&
  statusOf(exchange) < 500 &&
  header(exchange, 'age') === undefined &&
  givenDateMs(exchange) !== undefined

/** Bounds of the time at the target minus the time measured here. */
const offsetOf = (exchange: Exchange) => {
  const date = givenDateMs(exchange) ?? 0
  return { minMs: date - toMs(exchange), maxMs: date + maxStaleMs - fromMs(exchange) }
}

/**
 * Marks each exchange whose Date contradicts those before it: Date has to advance as time does that
 * is measured here, with the moves of the test clock.
 */
export const createDateWatch = (): ((exchange: Exchange) => Exchange) => {
  let known: ReturnType<typeof offsetOf> | undefined
  let halts = 0
  let strays = 0

  const isStray = (own: ReturnType<typeof offsetOf>): boolean => {
    if (strays > maxStrays || halts > maxHalts) return true
    if (known && own.maxMs < known.minMs - driftMs) return true
    if (!known || own.minMs > known.maxMs + driftMs) {
      if (known) halts += 1
      known = own
      return halts > maxHalts
    }
    const { minMs, maxMs } = known
    known = { minMs: Math.max(minMs, own.minMs), maxMs: Math.min(maxMs, own.maxMs) }
    return false
  }

  return (exchange) => {
    if (!writesDate(exchange) || !isStray(offsetOf(exchange))) return exchange
    strays += 1
    return { ...exchange, dateIsWrong: true }
  }
}
