// One request of a load and what became of it: exactly one fate each; and the exchange that the
// suites would have made of it, for those that are judged or shown. Of clients that wait as a
// refusal stated, and then send: whether Retry-After was true for them.

import { readCodings } from '../engine/check/body.ts'
import { type AnsweredExchange, type Exchange, get } from '../engine/check/exchange.ts'
import type { Fate } from '../engine/check/run-file.ts'
import { pairs } from '../engine/http/http1.ts'
import { isRefused, isServed, minuteMs, retryAfterMs } from '../engine/quota/rate-headers.ts'

/** A short response, the same at each server. */
export const loadRequest = get('/pets?limit=1')

/** Exchanges that are recorded; a million would fill a disk. */
export const maxRecorded = 3_000

/** Why a request that was sent has no complete response. */
export type Lost = 'timeout' | 'reset'

/**
 * One request and what became of it, as plain data: all that a judge needs (rate-limit headers,
 * Retry-After and Date are among the headers). Small, as there may be a million of them.
 */
export interface Sample {
  /** The key by plan and position (`free-1`). */
  readonly key: string
  /** 0 without a complete response. */
  readonly status: number
  readonly lost: Lost | null
  /** When it was sent, by `performance.now()`. */
  readonly sentMs: number
  /** From then to the last byte of the response, or to its loss. */
  readonly ms: number
  /** Names and values alternating, as received. */
  readonly rawHeaders: readonly string[]
  /** The body as received; null: not kept. */
  readonly body: string | null
}

/** A Retry-After that ends later than the first one by more than this is no longer the window's. */
const toleranceMs = 5_000

interface FirstRefusal {
  /** When it came, and when the Retry-After that it stated has elapsed. */
  readonly atMs: number
  readonly endsMs: number | undefined
}

const endOf = (sample: Sample) => sample.sentMs + sample.ms

/**
 * Classifies the samples of a lane in order. The earlier responses to a key distinguish a ban from
 * a spent quota.
 * @param waitMs the Retry-After of a refusal
 */
export const createFates = (
  waitMs: (sample: Sample) => number | undefined,
): ((sample: Sample) => Fate) => {
  const refusals = new Map<string, FirstRefusal>()

  const refuse = (sample: Sample): Fate => {
    const before = refusals.get(sample.key)
    const wait = waitMs(sample)
    const endsMs = wait === undefined ? undefined : endOf(sample) + wait
    if (!before) {
      refusals.set(sample.key, { atMs: endOf(sample), endsMs })
      return 'refused'
    }
    if (before.endsMs === undefined) return 'refused'
    return endsMs === undefined || endsMs > before.endsMs + toleranceMs ? 'banned' : 'refused'
  }

  const serve = ({ key, sentMs }: Sample): Fate => {
    // A request that was in flight with the refusal does not end it.
    const before = refusals.get(key)
    if (before && sentMs > before.atMs) refusals.delete(key)
    return 'served'
  }

  return (sample) => {
    const { key, status, lost } = sample
    if (lost !== null) return lost
    if (status >= 200 && status < 300) return serve(sample)
    if (status === 429) return refuse(sample)
    if (refusals.has(key) && (status === 401 || status === 403)) return 'banned'
    return status >= 500 ? 'serverError' : 'otherClientError'
  }
}

/** The Retry-After of a response. @param atMs when it was requested, in Unix milliseconds */
export const statedWaitMs = ({ rawHeaders }: Sample, atMs: number): number | undefined =>
  retryAfterMs({ at: new Date(atMs).toISOString(), response: { headers: pairs(rawHeaders) } })

/** @param about what the sample itself does not say */
export const exchangeFrom = (
  { key, status, lost, sentMs, ms, rawHeaders, body }: Sample,
  about: Pick<Exchange, 'seq' | 'at' | 'check' | 'movedMs' | 'quota'>,
  request: Pick<Exchange['request'], 'url' | 'headers'>,
): Exchange => {
  const headers = pairs(rawHeaders)
  const response: Exchange['response'] = {
    status,
    headers,
    bytes: Buffer.from(body ?? ''),
    cut: false,
    // The body of a sample is not decoded.
    ...(readCodings(headers).length > 0 && { encoded: 'unknown' }),
  }
  return {
    ...about,
    key,
    apiRequest: loadRequest,
    request: { method: 'GET', ...request, body: null },
    response: lost === null ? response : null,
    noResponse: lost,
    sentMs,
    receivedMs: sentMs + ms,
  }
}

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
