// Early requests: sent before the Retry-After of their key had elapsed.
import { rateHeaders, retryAfterMs } from '../../engine/quota/rate-headers.ts'
import type { Passed } from './vet.ts'

/** A Retry-After this far beyond its own Reset is wrong, and one call may test that. */
const believedMs = 600_000

/** The Retry-After of a response, if it has one. */
export const statedMs = ({ result }: Passed): number | undefined => {
  if (result.response?.status !== 429) return undefined
  const exchange = { ...result, at: '' } as Parameters<typeof retryAfterMs>[0]
  const waitMs = retryAfterMs(exchange)
  return waitMs && Math.min(waitMs, (rateHeaders(exchange)?.resetInMs ?? 0) + believedMs)
}

/**
 * Requests that left after a refusal was received, and before its time was over.
 * @param spared the key that may be banned, and so may be used early
 */
export const impatient = (passed: readonly Passed[], spared: string | undefined): string[] =>
  passed.flatMap((refusal) => {
    const waitMs = statedMs(refusal)
    if (waitMs === undefined || refusal.key === spared) return []
    const freeAtMs = refusal.receivedMs + waitMs
    const early = passed.filter(
      ({ key, sentMs }) => key === refusal.key && sentMs >= refusal.receivedMs && sentMs < freeAtMs,
    )
    return early.map(({ sentMs }) => `${refusal.key} ${Math.round(freeAtMs - sentMs)} ms early`)
  })
