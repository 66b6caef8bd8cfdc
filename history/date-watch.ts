// Whether the Dates of responses advance as time does that is measured here.
import type { Exchange } from './exchange.ts'
import { fromMs, givenDateMs, toMs, writesDate } from './rate-headers.ts'

/** A Date is in whole seconds, and servers cache its text for a while. */
const maxStaleMs = 3_000
/** Clocks drift a little. */
const driftMs = 500
/** A halted virtual machine measures less time than passes. */
const maxHalts = 2
/** A single response may come from elsewhere; after more of them no Date is believed. */
const maxStrays = 2

/** The time at the target minus the time measured here, as Dates bound it. */
export class DateBounds {
  #minMs = Number.NEGATIVE_INFINITY
  #maxMs = Number.POSITIVE_INFINITY

  /** @returns how the Date of a response fits, and what takes it over; undefined: it has none */
  fit(exchange: Exchange) {
    const date = givenDateMs(exchange)
    if (date === undefined || !writesDate(exchange)) return undefined
    const [minMs, maxMs] = [date - toMs(exchange), date + maxStaleMs - fromMs(exchange)]
    const isAhead = minMs > this.#maxMs + driftMs
    const isBehind = maxMs < this.#minMs - driftMs
    const take = () => {
      this.#minMs = isAhead ? minMs : Math.max(this.#minMs, minMs)
      this.#maxMs = isAhead ? maxMs : Math.min(this.#maxMs, maxMs)
    }
    return { minMs, isAhead, isBehind, take }
  }
}

/** Date has to advance as time does that is measured here, with the moves of the test clock. */
export class DateWatch {
  readonly #bounds = new DateBounds()
  #halts = 0
  #strays = 0

  /** Marks an exchange whose Date contradicts those before it. */
  mark(exchange: Exchange): Exchange {
    const fit = this.#bounds.fit(exchange)
    if (!fit) return exchange
    if (fit.isAhead) this.#halts += 1
    if (fit.isBehind || this.#strays > maxStrays || this.#halts > maxHalts) {
      this.#strays += 1
      return { ...exchange, dateIsWrong: true }
    }
    fit.take()
    return exchange
  }
}
