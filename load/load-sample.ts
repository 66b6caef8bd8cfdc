// One request of a load and what became of it: exactly one fate each; and the exchange that the
// suites would have made of it, for those that are judged or shown.

import { readCodings } from '../engine/check/body.ts'
import { type Exchange, get } from '../engine/check/exchange.ts'
import type { Fate } from '../engine/check/run-file.ts'
import { pairs } from '../engine/http/http1.ts'
import { retryAfterMs } from '../engine/quota/rate-headers.ts'

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
