// Responses to a key during its minute, made up for tests of the judgements.
import { expect, test } from 'vitest'
import type { AnyCheck } from '../engine/check/declare.ts'
import { judgeClauses } from '../engine/run/judge-clauses.ts'
import { type AnsweredExchange, get, post } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { Inapplicable, Untested } from '../history/outcome.ts'
import type { Clause } from '../model/clause.ts'
import { clauseNamed, fakeExchange, fakeTrace } from './fake-exchange.ts'

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
  readonly method?: 'GET' | 'POST'
  /** Its number, if requests before it got no response. */
  readonly seq?: number
  readonly tookMs?: number
}

export const said = (response: FakeSaid): AnsweredExchange => {
  const { atMs, remaining, status = 200, limit = 60, resetS = 60 } = response
  const { seq = atMs, tookMs = 1 } = response
  const headers = {
    Date: new Date(beginMs + atMs).toUTCString(),
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(beginMs / 1000 + resetS),
    'Retry-After': response.retryAfter,
  }
  const apiRequest = response.method === 'POST' ? post('/pets', '{}') : get('/pets?limit=1')
  const { body = status === 200 ? '[{"id":1}]' : '{}' } = response
  const exchange = fakeExchange(apiRequest, { status, body, headers, seq })
  return { ...exchange, sentMs: atMs, receivedMs: atMs + tookMs }
}

export const refused = (atMs: number, more: Partial<FakeSaid> = {}): AnsweredExchange =>
  said({ atMs, remaining: 0, status: 429, retryAfter: '30', ...more })

/**
 * The outcome of a clause over calls, numbered in their order unless they have numbers: `pass`,
 * the violation, or why neither.
 */
const toldOf = (
  clause: Clause,
  calls: readonly FakeSaid[],
  differing: Partial<History> = {},
): string => {
  const all = calls.map((call, place) => said({ tookMs: 4, seq: place + 1, ...call }))
  const [ending] = judgeClauses([clause], { ...fakeTrace(...all), ...differing })
  if (ending?.kind !== 'threw') return ending?.kind ?? ''
  const { error } = ending
  if (error instanceof Inapplicable) return 'inapplicable'
  return error instanceof Untested ? `${error.because}: ${error.message}` : String(error)
}

export const passes = /^pass$/

/** A test for each row: what a clause says of calls, by name. */
export const expectJudged = (
  clauses: readonly AnyCheck[],
  id: string,
  rows: readonly (readonly [
    name: string,
    calls: readonly FakeSaid[],
    says: string | RegExp,
    differing?: Partial<History>,
  ])[],
): void =>
  test.for(rows)(`${id}: %s`, ([, calls, says, differing = {}]) => {
    expect(toldOf(clauseNamed(clauses, id), calls, differing)).toMatch(says)
  })

/** Calls one after another, ten milliseconds apart, while Remaining counts down. */
export const countdown = (count: number, from: FakeSaid, fall = 1): FakeSaid[] =>
  Array.from({ length: count }, (_, place) => ({
    ...from,
    atMs: from.atMs + 10 * place,
    remaining: from.remaining - fall * place,
  }))

/** A call at a time, after which so many remain. */
export const at = (atMs: number, remaining: number, more: Partial<FakeSaid> = {}): FakeSaid => ({
  atMs,
  remaining,
  ...more,
})

export const refusedAt = (atMs: number, more: Partial<FakeSaid> = {}): FakeSaid =>
  at(atMs, 0, { status: 429, ...more })
