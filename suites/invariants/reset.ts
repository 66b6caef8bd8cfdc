// When a window ends, as an answer tells it: not in the past, and at most two windows ahead.
import type { Trace } from '../../engine/check.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Untested } from '../../engine/outcome.ts'
import { dateMs, wholeNumber } from '../../engine/quota/rate-headers.ts'
import { datesTell } from './dates.ts'

/** What a clock and its rounding may be off: of a Reset in the past, and of one far ahead. */
const grace = { behindMs: 3_000, aheadMs: 5_000 }

/** What is wrong with a Reset that lies so far after the time at the target; undefined: nothing. */
const resetFault = (aheadMs: number, exchange: Answered, trace: Trace) => {
  if (aheadMs < -grace.behindMs) {
    return { wanted: 'a Reset not before Date', found: `it is ${-aheadMs / 1000} s before Date` }
  }
  const { perMinute, perDay } = trace.quotaOf(exchange.key ?? '')
  const limit = wholeNumber(exchange, 'X-RateLimit-Limit')
  if (limit !== perMinute && limit !== perDay) return undefined
  // While a ban lasts, Reset may name its end, however far that is.
  if (statusOf(exchange) === 429) return undefined
  const windowMs = limit === perDay ? 86_400_000 : 60_000
  if (aheadMs <= 2 * windowMs + grace.aheadMs) return undefined
  const wanted = `a Reset at most two windows of ${windowMs / 1000} s after Date`
  return { wanted, found: `${aheadMs / 1000} s after Date` }
}

/** A `Reset` lies ahead, and not too far, by the clock of the target. */
export const expectReset = (exchange: Answered, trace: Trace): void => {
  const at = datesTell(trace) ? dateMs(exchange) : undefined
  const reset = wholeNumber(exchange, 'X-RateLimit-Reset')
  if (reset === undefined) return
  if (at === undefined) {
    const message = 'no Date that can be relied on gives the time at the target'
    throw new Untested('ambiguous', message, [exchange])
  }
  const fault = resetFault(reset * 1000 - at, exchange, trace)
  if (!fault) return
  const here = Date.parse(exchange.at) + exchange.movedMs
  if (!resetFault(reset * 1000 - here, exchange, trace)) {
    // What stands before a server may write Date by a clock of its own.
    const message = `Reset is right by the clock here and wrong by Date: ${fault.found}`
    throw new Untested('ambiguous', message, [exchange])
  }
  violate(fault.wanted, fault.found, exchange)
}
