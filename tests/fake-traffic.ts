// Traffic of one key as a run would have recorded it, call by call.

import type { Invariant, Trace } from '../engine/declare.ts'
import { type AnsweredExchange, get, post } from '../engine/exchange.ts'
import { judgeInvariant } from '../engine/invariants.ts'
import { Untested } from '../engine/outcome.ts'
import { fakeExchange, fakeTrace } from './fake-exchange.ts'

/** Noon, when the first window begins. */
const noonMs = Date.UTC(2026, 10, 20, 12)

export interface FakeCall {
  /** When it was sent, in milliseconds after noon. */
  readonly atMs: number
  readonly remaining: number
  readonly status?: number
  /** Limit of the minute, if it is not 60. */
  readonly limit?: number
  /** Seconds after noon. */
  readonly reset?: number
  readonly tookMs?: number
  readonly key?: string
  readonly method?: 'GET' | 'POST'
  /** Its number, if requests before it got no response. */
  readonly seq?: number
}

const exchangeOf = (call: FakeCall, place: number): AnsweredExchange => {
  const { atMs, remaining, status = 200, limit = 60, reset = 60, tookMs = 4 } = call
  const apiRequest = call.method === 'POST' ? post('/pets', '{}') : get('/pets')
  const exchange = fakeExchange(apiRequest, {
    status,
    body: '[]',
    key: call.key ?? 'free-1',
    seq: call.seq ?? place + 1,
    headers: {
      Date: new Date(noonMs + atMs).toUTCString(),
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(noonMs / 1000 + reset),
    },
  })
  return { ...exchange, sentMs: atMs, receivedMs: atMs + tookMs }
}

export const trafficOf = (calls: readonly FakeCall[], differing: Partial<Trace> = {}): Trace => ({
  ...fakeTrace(...calls.map(exchangeOf)),
  ...differing,
})

/** The outcome of the invariant over these calls: `pass`, the violation, or why neither. */
export const toldOf = (
  invariant: Invariant,
  calls: readonly FakeCall[],
  differing: Partial<Trace> = {},
): string => {
  const ending = judgeInvariant(invariant, trafficOf(calls, differing))
  if (ending.kind !== 'threw') return ending.kind
  const { error } = ending
  return error instanceof Untested ? `${error.because}: ${error.message}` : String(error)
}

/** Calls one after another, ten milliseconds apart, while Remaining counts down. */
export const countdown = (
  count: number,
  from: Omit<FakeCall, 'atMs'> & { readonly atMs: number },
  fall = 1,
): FakeCall[] =>
  Array.from({ length: count }, (_, place) => ({
    ...from,
    atMs: from.atMs + 10 * place,
    remaining: from.remaining - fall * place,
  }))

/** A call at a time, after which so many remain. */
export const at = (atMs: number, remaining: number, more: Partial<FakeCall> = {}): FakeCall => ({
  atMs,
  remaining,
  ...more,
})

export const refusedAt = (atMs: number, more: Partial<FakeCall> = {}): FakeCall =>
  at(atMs, 0, { status: 429, ...more })
