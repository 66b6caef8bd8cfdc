// Who is impatient: requests that left before the time that a refusal of their key had stated.
import { rateHeaders, retryAfterMs } from '../../engine/quota/rate-headers.ts'
import type { Passed } from './vet.ts'

/** So far beyond its own Reset a Retry-After is not true, and one call may ask about it. */
const believedMs = 600_000

/** How long the answer of a request told its sender to wait, if it did. */
export const statedMs = ({ result }: Passed): number | undefined => {
  if (result.response?.status !== 429) return undefined
  const exchange = { ...result, at: '' } as Parameters<typeof retryAfterMs>[0]
  const waitMs = retryAfterMs(exchange)
  return waitMs && Math.min(waitMs, (rateHeaders(exchange)?.resetInMs ?? 0) + believedMs)
}

/**
 * Requests that left after a refusal was received, and before its time was over.
 * @param spared the key that may be banned, and so may knock on
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
