// Whether the Date of a response can be taken for the time at the target: it has to advance as the
// time does that is measured here, with the moves of the test clock.
import type { Exchange } from '../exchange.ts'
import { header, isAnswered, statusOf } from '../exchange.ts'
import { fromMs, toMs } from './key-minute.ts'
import { givenDateMs } from './rate-headers.ts'

/** Servers keep the text of a Date for a while, and it counts whole seconds. */
const staleMs = 2_000
const secondMs = 1_000
/** Room for clocks that run a little apart. */
const slackMs = 500
/** A machine that is halted, as a virtual one may be, measures less time than passes. */
const maxHalts = 2
/** One response may come from somewhere else; after more of them no Date is believed. */
const maxStrays = 2

/** What stands in front of a target may write a Date of its own on what it answers itself. */
export const writesDate = (exchange: Exchange): boolean =>
  isAnswered(exchange) &&
  exchange.key !== null &&
  statusOf(exchange) < 500 &&
  header(exchange, 'age') === undefined &&
  givenDateMs(exchange) !== undefined

/** Between which the time at the target less the time measured here has to lie. */
interface Offset {
  readonly leastMs: number
  readonly mostMs: number
}

const offsetOf = (exchange: Exchange): Offset => {
  const date = givenDateMs(exchange) ?? 0
  return {
    leastMs: date - toMs(exchange),
    mostMs: date + secondMs + staleMs - fromMs(exchange),
  }
}

/** Marks each exchange whose Date contradicts those before it. */
export const createDateWatch = (): ((exchange: Exchange) => Exchange) => {
  let known: Offset | undefined
  let halts = 0
  let strays = 0

  const isStray = (own: Offset): boolean => {
    if (strays > maxStrays || halts > maxHalts) return true
    if (known && own.mostMs < known.leastMs - slackMs) return true
    if (!known || own.leastMs > known.mostMs + slackMs) {
      if (known) halts += 1
      known = own
      return halts > maxHalts
    }
    known = {
      leastMs: Math.max(known.leastMs, own.leastMs),
      mostMs: Math.min(known.mostMs, own.mostMs),
    }
    return false
  }

  return (exchange) => {
    if (!writesDate(exchange) || !isStray(offsetOf(exchange))) return exchange
    strays += 1
    return { ...exchange, dateIsWrong: true }
  }
}
