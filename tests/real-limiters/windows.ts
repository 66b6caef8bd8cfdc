// How the conformant mountings describe a key's windows in the headers of the interface.
import { plans } from '../../spec/plans.ts'

export const minuteMs = 60_000
export const dayMs = 86_400_000

/** What a limiter knows of one window of a key. */
export interface Window {
  readonly limit: number
  readonly remaining: number
  readonly resetAtMs: number
}

export const headersOf = ({ limit, remaining, resetAtMs }: Window): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(Math.ceil(resetAtMs / 1000)),
})

/** The headers for a caller without a key: the smallest plan, untouched. */
export const strangersWindow = (): Window => {
  const limit = plans.free.perMinute
  return { limit, remaining: limit, resetAtMs: Date.now() + minuteMs }
}

/** The window that refuses first: the headers are about it. */
export const tighter = (minute: Window, day: Window): Window =>
  day.remaining < minute.remaining ? day : minute

/** What a limiter returns for a call. */
export interface SendingCheck extends Window {
  readonly refused: boolean
}

/** The window that refuses longest: it is the one to wait for. */
export const longestRefusal = (minute: SendingCheck, day: SendingCheck): SendingCheck | undefined =>
  [minute, day].filter(({ refused }) => refused).sort((a, b) => b.resetAtMs - a.resetAtMs)[0]

/** Whole seconds, rounded up, for Retry-After. */
export const waitSeconds = ({ resetAtMs }: Window): string =>
  String(Math.max(1, Math.ceil((resetAtMs - Date.now()) / 1000)))

export const refusal = { code: 'rate_limited', message: 'The rate limit is exceeded.', status: 429 }
