// The witness: stands at the door of a proof's server, and sees whether a run keeps silent for as
// long as an answer 429 told it to.
import type { Variant } from '../../reference/compose.ts'
import type { ApiResponse } from '../../reference/message.ts'

export interface Witness {
  /** The server, with the witness at its door. */
  readonly variant: Variant
  /** Requests that came with a key before the time that its last refusal had stated. */
  readonly knocks: () => number
}

/** Requests that were under way together with a refused one are no answer to it. */
const togetherMs = 500
/** So far beyond its own Reset a Retry-After is not true, and one call may ask about it. */
const believedMs = 600_000

const statedUntilMs = ({ headers }: ApiResponse, nowMs: number): number => {
  const stated = headers['Retry-After'] ?? ''
  const untilMs = /^\d+$/.test(stated) ? nowMs + Number(stated) * 1000 : Date.parse(stated)
  const resetMs = Number(headers['X-RateLimit-Reset'] ?? 0) * 1000
  const believedUntilMs = Math.max(resetMs, nowMs) + believedMs
  return Number.isNaN(untilMs) ? 0 : Math.min(untilMs, believedUntilMs)
}

/** @param spared the key with which a run may knock on: that of the ban probe */
export const witnessed = (variant: Variant, spared: string | undefined): Witness => {
  let knocks = 0
  return {
    knocks: () => knocks,
    variant: {
      ...variant,
      handle: (honest, parts) => {
        const answering = variant.handle?.(honest, parts) ?? honest
        const refused = new Map<string, { atMs: number; untilMs: number }>()
        return async (request) => {
          const key = parts.keys.find(request.header('authorization'))?.key
          if (key === undefined || key === spared) return answering(request)
          const cameMs = parts.clock.now()
          const last = refused.get(key)
          if (last && cameMs > last.atMs + togetherMs && cameMs < last.untilMs) knocks += 1
          const answer = await answering(request)
          const nowMs = parts.clock.now()
          if (answer.status === 429) {
            refused.set(key, { atMs: nowMs, untilMs: statedUntilMs(answer, nowMs) })
          }
          return answer
        }
      },
    },
  }
}
