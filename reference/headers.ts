// The headers that do not depend on the operation: the rate limit, how long to wait, the date.
import type { Decision } from './limiter.ts'

export const rateLimitHeaders = (decision: Decision): Record<string, string> => ({
  'X-RateLimit-Limit': String(decision.limit),
  'X-RateLimit-Remaining': String(decision.remaining),
  'X-RateLimit-Reset': String(Math.ceil(decision.resetAtMs / 1000)),
})

/** Whole seconds, rounded up: a client that waits as told must be served. */
export const retryAfter = (waitMs: number): string => String(Math.max(1, Math.ceil(waitMs / 1000)))

/** The text of a `Date` header, formatted once per second. */
export const createHttpDate = (): ((nowMs: number) => string) => {
  let second = Number.NaN
  let text = ''
  return (nowMs) => {
    const current = Math.floor(nowMs / 1000)
    if (current !== second) {
      second = current
      text = new Date(nowMs).toUTCString()
    }
    return text
  }
}
