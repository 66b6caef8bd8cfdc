// Reset over time: what moves back, and what only looks so.
import { describe, expect, test } from 'vitest'
import type { Trace } from '../../../engine/check.ts'
import { invariantNamed } from '../../../tests/fake-exchange.ts'
import { type FakeCall, toldOf } from '../../../tests/fake-traffic.ts'
import { resets as invariants } from './resets.ts'

const id = 'reset-not-moved-back'

const tell = (calls: readonly FakeCall[], differing: Partial<Trace> = {}) =>
  toldOf(invariantNamed(invariants, id), calls, differing)

const at = (atMs: number, remaining: number, more: Partial<FakeCall> = {}): FakeCall => ({
  atMs,
  remaining,
  ...more,
})

describe('Reset', () => {
  const resets = (...all: readonly number[]) =>
    all.map((reset, place) => at(place * 100, 59 - place, { reset }))

  test('is broken by a Reset that moves to and fro', () => {
    const told = tell(resets(60, 30, 60, 30, 60, 30))
    expect(told).toContain('in 3 of 6 answers, first: Reset went from')
  })

  test.for([
    ['it was seen twice', resets(60, 30, 60, 30), {}],
    ['the key is shared', resets(60, 30, 60, 30, 60, 30), { shared: true }],
  ] as const)('is in doubt where %s', ([, calls, differing]) => {
    expect(tell(calls, differing)).toContain('ambiguous: Reset went from')
  })

  test.for([
    ['it moves on', resets(60, 61, 62, 90, 120)],
    ['it is rounded this way and that', resets(60, 61, 60, 61, 60, 61, 60)],
    ['it has come', [0, 1, 2, 3].flatMap((n) => [at(n, 9, { reset: 2 }), at(n, 9, { reset: -9 })])],
    ['the day is spoken of', resets(60, 50).flatMap((call) => [call, { ...call, limit: 1_000 }])],
  ] as const)('holds where %s', ([, calls]) => {
    expect(tell(calls)).toBe('pass')
  })
})
