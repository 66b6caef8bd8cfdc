// What a key is granted: each violation, and each legal explanation of what looks like one.
import { describe, expect, test } from 'vitest'
import type { Trace } from '../../engine/declare.ts'
import { invariantNamed } from '../../tests/fake-exchange.ts'
import {
  at,
  countdown,
  type FakeSaid,
  refusedAt as refused,
  toldOf,
} from '../../tests/fake-round.ts'
import { granted } from './granted.ts'

const judge = (id: string, calls: readonly FakeSaid[], differing: Partial<Trace> = {}) =>
  toldOf(invariantNamed(granted, id), calls, differing)

describe('limit-not-early', () => {
  const id = 'limit-not-early'
  const occasion = (fromMs: number, remaining: number, more: Partial<FakeSaid> = {}) => [
    at(fromMs, remaining, more),
    refused(fromMs + 10, more),
  ]
  const next = { resetS: 180 }

  test('fails for a crowd of which fewer are served than was announced', () => {
    const crowd = (fromMs: number, more: Partial<FakeSaid> = {}) => [
      at(fromMs, 9, more),
      ...[8, 7, 6].map((remaining) => at(fromMs + 10, remaining, more)),
      ...[1, 2].map(() => refused(fromMs + 10, more)),
    ]
    expect(judge(id, [...crowd(0), ...crowd(130_000, next)])).toContain('429 after Remaining: 9')
  })

  test('one refusal may have been drawn by another client', () => {
    expect(judge(id, occasion(0, 5))).toContain('ambiguous: refused after a response')
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

  test.for([
    ['nothing remained', [at(0, 0), refused(10), at(60_000, 0, next), refused(60_010, next)]],
    [
      'the refusals are of the day',
      [0, 200_000].flatMap((ms) => [at(ms, 30), refused(ms + 10, { limit: 1_000 })]),
    ],
    [
      'a crowd took what was announced',
      [0, 130_000].flatMap((ms) => [at(ms, 2), at(ms + 10, 1), at(ms + 10, 0), refused(ms + 10)]),
    ],
    [
      'requests went unanswered in between',
      [
        at(0, 1, { seq: 1 }),
        refused(10, { seq: 3 }),
        at(130_000, 1, { seq: 4 }),
        refused(130_010, { seq: 6 }),
      ],
    ],
    [
      'a ban may have followed repeated refusals',
      [0, 130_000].flatMap((ms) => [
        ...[1, 2, 3].map((place) => refused(ms + place)),
        at(ms + 10, 30),
        refused(ms + 20),
      ]),
    ],
  ] as const)('%s', ([, calls]) => {
    expect(judge(id, calls)).toBe('pass')
  })
})

describe('refusal-remaining-zero', () => {
  const id = 'refusal-remaining-zero'

  test.for([
    ['none remain', [at(0, 0), refused(10)]],
    ['a ban says what it likes', [at(0, 0), refused(10), refused(20, { remaining: 60 })]],
    ['so do refusals of one crowd', [at(0, 0), ...[1, 2].map(() => refused(10, { remaining: 9 }))]],
  ] as const)('%s', ([, calls]) => {
    expect(judge(id, calls)).toBe('pass')
  })

  test('is judged again once a call was served', () => {
    const calls = [at(0, 0), refused(10), at(60_000, 59), refused(60_020, { remaining: 7 })]
    expect(judge(id, calls)).toContain('actual: Remaining: 7')
  })

  test('says nothing without a refusal, nor with certainty where others use the key', () => {
    expect(judge(id, [at(0, 5)])).toBe('inapplicable')
    const calls = [at(0, 0), refused(10, { remaining: 3 })]
    expect(judge(id, calls, { shared: true })).toContain('ambiguous')
  })
})

describe('limit-not-late', () => {
  const id = 'limit-not-late'
  const moving = (count: number, everyMs: number) =>
    Array.from({ length: count }, (_, place) =>
      at(place * everyMs, 5, { resetS: 60 + Math.ceil((place * everyMs) / 1000) }),
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

  test('takes a burst at the end of one window and at the start of the next', () => {
    const calls = [
      ...countdown(60, at(59_000, 59)),
      ...countdown(60, at(60_000, 59, { resetS: 120 })),
    ]
    expect(judge(id, calls)).toBe('pass')
  })
})

describe('refills-minute-apart', () => {
  const id = 'refills-minute-apart'
  const refill = (lowMs: number, fullMs: number) => [
    at(lowMs, 1, { resetS: fullMs / 1000 }),
    at(fullMs, 59, { resetS: fullMs / 1000 + 60 }),
  ]

  test('holds for refills a minute apart, however late they are looked at', () => {
    expect(judge(id, [...refill(59_000, 60_000), ...refill(119_000, 120_000)])).toBe('pass')
    expect(judge(id, [...refill(50_000, 100_000), ...refill(119_000, 120_000)])).toBe('pass')
  })

  test('is not decided by one refill, by half ones, or where a ban may have ended', () => {
    const half = [at(0, 30), at(30_000, 59), at(30_010, 30), at(60_000, 59)]
    const banned = [...refill(29_000, 30_000), refused(59_000), refused(59_010), at(60_000, 59)]
    for (const calls of [refill(59_000, 60_000), half, banned]) {
      expect(judge(id, calls)).toContain('ambiguous: no key was seen to refill twice')
    }
  })
})
