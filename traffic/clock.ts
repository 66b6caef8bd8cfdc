// The time at the server: a test clock may have been moved while traffic was recorded, and no file
// says so but by the Date of the responses.
import { type Exchange, isAtOwnPath, isSuccess } from '../history/exchange.ts'
import { givenDateMs, is429, writesDate } from '../history/rate-headers.ts'

/** A Date is in whole seconds, its text may be cached for a while, and clocks drift a little. */
const [maxStaleMs, driftMs] = [3_000, 500]

/** Whether its Date has to be there and true: else the time at the server is not known. */
const isOfServer = (exchange: Exchange): boolean =>
  exchange.key !== null && isAtOwnPath(exchange) && (isSuccess(exchange) || is429(exchange))

/**
 * How far the clock of the server had been moved when each exchange was sent, in the order of
 * sending; undefined where the Dates do not show the time at the server.
 */
export const findMoves = (exchanges: readonly Exchange[]): readonly number[] | undefined => {
  if (exchanges.some((one) => isOfServer(one) && !writesDate(one))) return undefined
  // Bounds of the time at the server minus that of the file.
  let [leastMs, mostMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  let [movedMs, isBehind, firstMs] = [0, false, undefined as number | undefined]
  const moves = exchanges.map((exchange) => {
    const date = writesDate(exchange) ? givenDateMs(exchange) : undefined
    if (date === undefined) return movedMs
    const [minMs, maxMs] = [date - exchange.receivedMs, date + maxStaleMs - exchange.sentMs]
    firstMs ??= minMs
    isBehind ||= maxMs < leastMs - driftMs
    const isMoved = minMs > mostMs + driftMs
    if (isMoved) movedMs = Math.round(minMs - firstMs)
    leastMs = isMoved ? minMs : Math.max(leastMs, minMs)
    mostMs = isMoved ? maxMs : Math.min(mostMs, maxMs)
    return movedMs
  })
  return isBehind ? undefined : moves
}
