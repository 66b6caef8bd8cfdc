// Which of the requests that k6 recorded show that Retry-After is true: those of clients that had
// all waited.
import { type AnsweredExchange, statusOf } from '../engine/exchange.ts'
import { isServed, retryAfterMs } from '../engine/quota/rate-headers.ts'

/** Clients that sent after a wait, while nobody else had sent with the key. */
export interface Wake {
  readonly served: number
  /** Whether a Retry-After was stated to each of them. */
  readonly isStated: boolean
  /** Whether the wait was that of a ban, which may have any length. */
  readonly isBanned: boolean
  /** The last of their responses. */
  readonly latest: AnsweredExchange
}

/** Rounding of the network; a wait begins when the response is received. */
export const graceMs = 50
/** Clients that are due within this time send together. */
export const togetherMs = 1_500
/** No wait of the quota is longer than two windows. */
export const longMs = 121_000

const isObeyed = ({ receivedMs }: AnsweredExchange, waitMs: number, sentMs: number): boolean =>
  waitMs === 0 || sentMs >= receivedMs + waitMs

/**
 * Groups of requests after a time without any, if each client in the group had been refused and
 * waited as stated.
 * @param clients the requests of each, in order
 */
export const recordedWakes = (clients: readonly (readonly AnsweredExchange[])[]): Wake[] => {
  const all = clients
    .flatMap((own, client) => own.map((one, at) => ({ one, client, before: own[at - 1] })))
    .toSorted((a, b) => a.one.sentMs - b.one.sentMs)
  const wakes: Wake[] = []
  let quietFromMs = Number.POSITIVE_INFINITY
  for (let at = 0; at < all.length; ) {
    const startMs = all[at]?.one.sentMs ?? 0
    const isWake = startMs > quietFromMs + graceMs
    const size = all.slice(at).findIndex(({ one }) => one.sentMs > startMs + togetherMs)
    const group = all.slice(at, isWake ? (size === -1 ? all.length : at + size) : at + 1)
    const first = group.filter(({ client }, nth) => {
      return group.findIndex((each) => each.client === client) === nth
    })
    const waits = first.map(({ before }) => (before && retryAfterMs(before)) ?? 0)
    const hasWaited = first.every(({ one, before }, nth) => {
      return before && !isServed(before) && isObeyed(before, waits[nth] ?? 0, one.sentMs)
    })
    const latest = first.at(-1)?.one
    if (isWake && hasWaited && latest) {
      wakes.push({
        served: first.filter(({ one }) => isServed(one)).length,
        isStated: waits.every((ms) => ms > 0),
        isBanned:
          first.some(({ before }) => before && statusOf(before) !== 429) ||
          waits.some((ms) => ms > longMs),
        latest,
      })
    }
    quietFromMs = Math.max(...group.map(({ one }) => one.receivedMs), at === 0 ? 0 : quietFromMs)
    at += group.length
  }
  return wakes
}
