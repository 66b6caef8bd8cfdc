// Responses to a key during its minute, made up for tests of the judgements.
import { type AnsweredExchange, get } from '../engine/check/exchange.ts'
import type { Round } from '../engine/quota/round.ts'
import { fakeExchange } from './fake-exchange.ts'

const beginMs = Date.UTC(2026, 10, 20, 12)

export const fakeKey = {
  label: 'free-1',
  plan: 'free',
  quota: { perMinute: 60, perDay: 1_000 },
} as const

export interface FakeSaid {
  /** Milliseconds since the minute began. */
  readonly atMs: number
  readonly remaining: number
  readonly status?: number
  readonly body?: string
  readonly limit?: number
  /** Seconds since the minute began. */
  readonly resetS?: number
  readonly retryAfter?: string
  /** Its number, if requests before it got no response. */
  readonly seq?: number
}

export const said = (response: FakeSaid): AnsweredExchange => {
  const { atMs, remaining, status = 200, limit = 60, resetS = 60 } = response
  const { seq = atMs } = response
  const headers = {
    Date: new Date(beginMs + atMs).toUTCString(),
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(beginMs / 1000 + resetS),
    'Retry-After': response.retryAfter,
  }
  const { body = status === 200 ? '[{"id":1}]' : '{}' } = response
  const exchange = fakeExchange(get('/pets?limit=1'), { status, body, headers, seq })
  return { ...exchange, sentMs: atMs, receivedMs: atMs + 1 }
}

export const refused = (atMs: number, more: Partial<FakeSaid> = {}): AnsweredExchange =>
  said({ atMs, remaining: 0, status: 429, retryAfter: '30', ...more })

/** Two probes, and a burst whose responses have these numbers in turn; null is a refusal. */
export const fakeRound = (
  probes: readonly [number, number],
  burst: readonly (number | null)[],
  more: Partial<FakeSaid> = {},
): Round => ({
  key: fakeKey,
  probes: probes.map((remaining, at) => said({ atMs: 1_000 + 3_500 * at, remaining, ...more })),
  burst: burst.map((remaining, at) =>
    remaining === null ? refused(4_600 + at, more) : said({ atMs: 4_600 + at, remaining, ...more }),
  ),
  lost: 0,
})

/** From one number down to another. */
export const down = (from: number, to: number): number[] =>
  Array.from({ length: from - to + 1 }, (_, at) => from - at)
