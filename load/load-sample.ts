// One request of a load and what became of it: exactly one fate each.

import type { Fate } from '../engine/check/run-file.ts'
import { type Exchange, get, isSuccess } from '../history/exchange.ts'

/** A short response. */
export const loadRequest = get('/pets?limit=1')

/** Exchanges that are recorded; a million would fill a disk. */
export const maxRecorded = 3_000

/** One request and what became of it; small, as there may be a million of them. */
export interface Sample
  extends Pick<Exchange, 'response' | 'noResponse' | 'sentMs' | 'receivedMs'> {
  /** The key by plan and position (`free-1`). */
  readonly key: string
}

/** A Retry-After that ends later than the first one by more than this is no longer the window's. */
const toleranceMs = 5_000

interface FirstRefusal {
  /** When it came, and when the Retry-After that it stated has elapsed. */
  readonly atMs: number
  readonly endsMs: number | undefined
}

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
    const endsMs = wait === undefined ? undefined : sample.receivedMs + wait
    if (!before) {
      refusals.set(sample.key, { atMs: sample.receivedMs, endsMs })
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
    const { key, response, noResponse } = sample
    if (response === null) return noResponse === 'timeout' ? 'timeout' : 'reset'
    const { status } = response
    if (isSuccess(sample)) return serve(sample)
    if (status === 429) return refuse(sample)
    if (refusals.has(key) && (status === 401 || status === 403)) return 'banned'
    return status >= 500 ? 'serverError' : 'otherClientError'
  }
}
