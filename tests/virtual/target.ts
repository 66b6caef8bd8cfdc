// Legal designs of the limits, for a target in virtual time.
import type { BanRule } from '../../reference/bans.ts'
import type { Variant } from '../../reference/compose.ts'
import { clockWindow, type MakeMeter } from '../../reference/limiter.ts'
import { legalMeters } from '../../reference/limiters.ts'
import type { Handle } from '../../reference/message.ts'
import { type Counting, legalLimiter } from './counting.ts'

export const designs: Readonly<Record<string, MakeMeter>> = {
  'window-on-the-clock': clockWindow,
  ...legalMeters,
}

export interface Design extends Counting {
  readonly meter: keyof typeof designs
  readonly ban: (BanRule & { readonly status: 401 | 403 | 429 }) | null
  readonly reset: 'up' | 'down'
  readonly retryAfter: 'seconds' | 'date'
  /** By how much Retry-After is longer than it must be. */
  readonly spareMs: number
}

/** A ban whose response differs from a refusal. */
const bannedWith =
  (honest: Handle, status: number): Handle =>
  async (request) => {
    const response = await honest(request)
    if (!response.body.includes('"key_banned"')) return response
    const headers = { ...response.headers, ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }) }
    return { status, headers, body: response.body.replace('429', String(status)) }
  }

export const legalVariant = (design: Design): Variant => ({
  parts: (honest) => ({
    ...legalLimiter(designs[design.meter] ?? clockWindow, design, design.ban, honest),
    rateLimitHeaders: (decision) => ({
      ...honest.rateLimitHeaders(decision),
      ...(design.reset === 'down' && {
        'X-RateLimit-Reset': String(Math.floor(decision.resetAtMs / 1000)),
      }),
    }),
    retryAfter: (waitMs, nowMs) => {
      const wholeMs = waitMs + design.spareMs
      if (design.retryAfter === 'seconds') return honest.retryAfter(wholeMs, nowMs)
      return new Date(Math.ceil((nowMs + wholeMs) / 1000) * 1000).toUTCString()
    },
  }),
  handle: (honest) => (design.ban ? bannedWith(honest, design.ban.status) : honest),
})
