// What a key is granted: each violation, and each legal explanation of what looks like one.
import { describe, expect, test } from 'vitest'
import type { Trace } from '../../engine/declare.ts'
import { invariantNamed } from '../../tests/fake-exchange.ts'
import {
  at,
  countdown,
  type FakeCall,
  refusedAt as refused,
  toldOf,
} from '../../tests/fake-traffic.ts'
import { granted } from './granted.ts'

const judge = (id: string, calls: readonly FakeCall[], differing: Partial<Trace> = {}) =>
  toldOf(invariantNamed(granted, id), calls, differing)

describe('limit-not-early', () => {
  const id = 'limit-not-early'
  const occasion = (fromMs: number, remaining: number, more: Partial<FakeCall> = {}) => [
    at(fromMs, remaining, more),
    refused(fromMs + 10, more),
  ]
  const next = { reset: 180 }

  test('fails for a crowd of which fewer are served than was announced', () => {
    const crowd = (fromMs: number, more: Partial<FakeCall> = {}) => [
      at(fromMs, 9, more),
      ...[8, 7, 6].map((remaining) => at(fromMs + 10, remaining, more)),
      ...[1, 2].map(() => refused(fromMs + 10, more)),
    ]
    expect(judge(id, [...crowd(0), ...crowd(130_000, next)])).toContain('429 after Remaining: 9')
  })

  test.for([
    ['the key is shared', [...occasion(0, 5), ...occasion(130_000, 5, next)], { shared: true }],
    [
      'Remaining fell by more than was sent',
      [at(0, 30), at(10, 20), ...occasion(20, 19), ...occasion(130_000, 5, next)],
      {},
    ],
  ] as const)('%s', ([, calls, differing]) => {
    expect(judge(id, calls, differing)).toContain('ambiguous: refused after a response')
  })
})

describe('limit-not-late', () => {
  const id = 'limit-not-late'
  const moving = (count: number, everyMs: number) =>
    Array.from({ length: count }, (_, place) =>
      at(place * everyMs, 5, { reset: 60 + Math.ceil((place * everyMs) / 1000) }),
    )

  test('fails for more than Limit served until one Reset', () => {
    expect(judge(id, countdown(60, at(0, 59)))).toBe('pass')
    expect(judge(id, countdown(61, at(0, 60)))).toContain('61 served')
  })

  test('fails for more than twice Limit in less than a window, whatever Reset says', () => {
    expect(judge(id, moving(121, 400))).toContain('at most 120 requests served in less than')
    expect(judge(id, moving(120, 400))).toBe('pass')
    expect(judge(id, moving(240, 510))).toBe('pass')
  })
})

describe('refills-minute-apart', () => {
  const id = 'refills-minute-apart'
  const refill = (lowMs: number, fullMs: number) => [
    at(lowMs, 1, { reset: fullMs / 1000 }),
    at(fullMs, 59, { reset: fullMs / 1000 + 60 }),
  ]

  test('fails for two refills half a minute apart', () => {
    const calls = [...refill(29_000, 30_000), ...refill(59_000, 60_000)]
    expect(judge(id, calls)).toContain('two refills at least 60 s apart')
  })

  test('is not decided by one refill, by half ones, or where a ban may have ended', () => {
    const half = [at(0, 30), at(30_000, 59), at(30_010, 30), at(60_000, 59)]
    const banned = [...refill(29_000, 30_000), refused(59_000), refused(59_010), at(60_000, 59)]
    for (const calls of [refill(59_000, 60_000), half, banned]) {
      expect(judge(id, calls)).toContain('ambiguous: no key was seen to refill twice')
    }
  })
})
