// Which limiter a round looks like, and whether answers of a status count. Pure: from answers.
import type { Answered } from '../kit/exchange.ts'
import { statusOf } from '../kit/exchange.ts'
import { rateHeaders } from '../kit/quota/rate-headers.ts'
import type { Round } from '../kit/quota/round.ts'
import { fromMs, isServed, minuteMs, minuteSaid, toMs } from './reading.ts'

type Design =
  | 'fixed window on the clock'
  | 'fixed window from the first request'
  | 'sliding log'
  | 'sliding counter'
  | 'token bucket'
  | 'unclear'

/** After one call a bucket is full, or has its next token, within moments. */
const momentMs = 3_000

/**
 * After a rest one call is made, some seconds later all others, and one more when the wait is over.
 * By then a fixed window begins anew, a log has the first call back, a counter has little.
 * @param resets every reset of a minute that this key was told
 */
export const designOf = (round: Round, afterWait: Answered, resets: readonly number[]): Design => {
  const { quota } = round.key
  const [first] = round.probes
  const last = round.probes.at(-1)
  const said = first && minuteSaid(first, quota)
  const again = minuteSaid(afterWait, quota)
  if (!said || !again || !last || !isServed(last) || !isServed(afterWait)) return 'unclear'
  if (said.resetInMs <= momentMs && (minuteSaid(last, quota)?.resetInMs ?? minuteMs) <= momentMs) {
    return 'token bucket'
  }
  const isAligned = resets.length > 0 && resets.every((reset) => (reset * 1_000) % minuteMs === 0)
  if (again.remaining === quota.perMinute - 1) {
    return isAligned ? 'fixed window on the clock' : 'fixed window from the first request'
  }
  if (again.remaining > quota.perMinute / 2) return 'unclear'
  return isAligned ? 'sliding counter' : 'sliding log'
}

/** Answers of which fewer than this were seen right after another are not spoken of. */
const seenLeast = 2

/** Whether answers of a status made Remaining fall, by the calls right after one another. */
export const countsOf = (answers: readonly Answered[], status: number): string => {
  const inTurn = answers.toSorted((a, b) => a.seq - b.seq)
  const falls = inTurn.flatMap((exchange, at): number[] => {
    const before = inTurn[at - 1]
    const [said, left] = [before && rateHeaders(before), rateHeaders(exchange)]
    if (!before || !said || !left || statusOf(exchange) !== status) return []
    const isNext = exchange.seq === before.seq + 1 && toMs(before) <= fromMs(exchange)
    if (!isNext || said.limit !== left.limit || said.reset !== left.reset) return []
    return [said.remaining - left.remaining]
  })
  if (falls.length < seenLeast) return 'unknown'
  const counted = falls.filter((fall) => fall >= 1).length
  return counted * 2 > falls.length ? 'counted' : 'not counted'
}
