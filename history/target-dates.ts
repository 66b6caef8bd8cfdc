// Whether the Dates of a run show the time at the target.

import { type Exchange, header, isAnswered, memoized, statusCode } from './exchange.ts'
import type { History } from './history.ts'
import { fromMs, givenDateMs, toMs } from './rate-headers.ts'

/** Whether all of them do. */
export const datesTell = memoized(
  ({ exchanges }: Pick<History, 'exchanges'>) => !exchanges.some(({ dateIsWrong }) => dateIsWrong),
)

/** Clocks that are further apart: one of them is wrong, or both are. */
const agreeMs = 30_000
/** By how much the clock of this machine may be wrong then. */
const maxWrongMs = 120_000

/** What time it may be, by the clock of this machine and by Date, which comes last. */
export const clocksOf = (hereMs: number, dateMs: number): readonly number[] =>
  Math.abs(hereMs - dateMs) <= agreeMs
    ? [hereMs, dateMs]
    : [hereMs, hereMs - maxWrongMs, hereMs + maxWrongMs, dateMs]

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
  statusCode(exchange) < 500 &&
  header(exchange, 'age') === undefined &&
  givenDateMs(exchange) !== undefined

/** Bounds of the time at the target minus the time measured here. */
interface Offset {
  readonly minMs: number
  readonly maxMs: number
}

const offsetOf = (exchange: Exchange): Offset => {
  const date = givenDateMs(exchange) ?? 0
  return { minMs: date - toMs(exchange), maxMs: date + maxStaleMs - fromMs(exchange) }
}

/** Date has to advance as time does that is measured here, with the moves of the test clock. */
export class DateWatch {
  #known: Offset | undefined
  #halts = 0
  #strays = 0

  #isStray(own: Offset): boolean {
    const known = this.#known
    if (this.#strays > maxStrays || this.#halts > maxHalts) return true
    if (known && own.maxMs < known.minMs - driftMs) return true
    if (!known || own.minMs > known.maxMs + driftMs) {
      if (known) this.#halts += 1
      this.#known = own
      return this.#halts > maxHalts
    }
    const [minMs, maxMs] = [Math.max(known.minMs, own.minMs), Math.min(known.maxMs, own.maxMs)]
    this.#known = { minMs, maxMs }
    return false
  }

  /** Marks an exchange whose Date contradicts those before it. */
  mark(exchange: Exchange): Exchange {
    if (!writesDate(exchange) || !this.#isStray(offsetOf(exchange))) return exchange
    this.#strays += 1
    return { ...exchange, dateIsWrong: true }
  }
}
