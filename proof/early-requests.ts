// A middleware that counts requests with a key sent before its Retry-After has elapsed.

import type { ApiResponse } from '../reference/message.ts'
import type { Variant } from '../reference/variant.ts'

/** Requests in flight together with a refused one are not a response to it. */
const togetherMs = 500
/** A Retry-After this far beyond the response's own Reset is wrong, and one call may test that. */
const maxBeyondResetMs = 600_000

const refusedUntilMs = ({ headers }: ApiResponse, nowMs: number): number => {
  const stated = headers['Retry-After'] ?? ''
  const untilMs = /^\d+$/.test(stated) ? nowMs + Number(stated) * 1000 : Date.parse(stated)
  const resetMs = Number(headers['X-RateLimit-Reset'] ?? 0) * 1000
  const maxUntilMs = Math.max(resetMs, nowMs) + maxBeyondResetMs
  return Number.isNaN(untilMs) ? 0 : Math.min(untilMs, maxUntilMs)
}

/**
 * @param banKey the key of the ban probe, which may send early requests
 * @returns the server with the middleware in front, and its count
 */
export const countEarlyRequests = (variant: Variant, banKey: string | undefined) => {
  let early = 0
  const handle: Variant['handle'] = (honest, parts) => {
    const respond = variant.handle?.(honest, parts) ?? honest
    const refused = new Map<string, { atMs: number; untilMs: number }>()
    return async (request) => {
      const key = parts.keys.find(request.header('authorization'))?.key
      if (key === undefined || key === banKey) return respond(request)
      const receivedMs = parts.clock.now()
      const last = refused.get(key)
      const isLater = last && receivedMs > last.atMs + togetherMs
      if (isLater && receivedMs < last.untilMs) early += 1
      const response = await respond(request)
      const nowMs = parts.clock.now()
      if (response.status === 429) {
        refused.set(key, { atMs: nowMs, untilMs: refusedUntilMs(response, nowMs) })
      }
      return response
    }
  }
  return { variant: { ...variant, handle }, count: () => early }
}
