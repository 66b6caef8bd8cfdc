// Clients that wait as a refusal stated, and then send: whether Retry-After was true for them.
import type { AnsweredExchange } from '../engine/check/exchange.ts'
import { isRefused, isServed, minuteMs, retryAfterMs } from '../engine/quota/rate-headers.ts'

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
const longMs = 2 * minuteMs + 1_000

/** @param refusals what these clients had got before their wait */
export const describeWake = (
  responses: readonly AnsweredExchange[],
  refusals: readonly AnsweredExchange[],
): Wake => {
  const waits = refusals.map((one) => retryAfterMs(one) ?? 0)
  return {
    served: responses.filter(isServed).length,
    isStated: waits.every((ms) => ms > 0),
    isBanned: refusals.some((one) => !isRefused(one)) || waits.some((ms) => ms > longMs),
    latest: responses.at(-1) as AnsweredExchange,
  }
}

/**
 * Finds in what k6 recorded groups of requests after a time without any, if each client in the
 * group had been refused and waited as stated.
 * @param clients the requests of each, in order
 */
export const recordedWakes = (clients: readonly (readonly AnsweredExchange[])[]): Wake[] => {
  const all = clients
    .flatMap((own, client) => own.map((one, at) => ({ one, client, before: own[at - 1] })))
    .toSorted((a, b) => a.one.sentMs - b.one.sentMs)
  const wakes: Wake[] = []
  let quietFromMs = all[0]?.one.sentMs ?? 0
  for (let at = 0; at < all.length; ) {
    const startMs = all[at]?.one.sentMs ?? 0
    const isWake = startMs > quietFromMs + graceMs
    const size = all.slice(at).findIndex(({ one }) => one.sentMs > startMs + togetherMs)
    const group = all.slice(at, isWake ? (size === -1 ? all.length : at + size) : at + 1)
    const first = [...Map.groupBy(group, ({ client }) => client).values()].flatMap(
      ([one]) => one ?? [],
    )
    const obeyed = first.flatMap(({ one, before }) =>
      before && !isServed(before) && isObeyed(before, one) ? [before] : [],
    )
    if (isWake && obeyed.length === first.length) {
      const responses = first.map(({ one }) => one)
      wakes.push(describeWake(responses, obeyed))
    }
    quietFromMs = Math.max(quietFromMs, ...group.map(({ one }) => one.receivedMs))
    at += group.length
  }
  return wakes
}

const isObeyed = (refusal: AnsweredExchange, { sentMs }: AnsweredExchange): boolean => {
  const waitMs = retryAfterMs(refusal) ?? 0
  return waitMs === 0 || sentMs >= refusal.receivedMs + waitMs
}
