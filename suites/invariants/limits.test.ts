// The invariants of the limits: each breach, and each legal explanation of what looks like one.
import { describe, expect, test } from 'vitest'
import type { Trace } from '../../engine/check.ts'
import { invariantNamed } from '../../tests/fake-exchange.ts'
import { countdown, type FakeCall, toldOf } from '../../tests/fake-traffic.ts'
import { limits } from './limits.ts'

const tell = (id: string, calls: readonly FakeCall[], differing: Partial<Trace> = {}) =>
  toldOf(invariantNamed(limits, id), calls, differing)

const at = (atMs: number, remaining: number, more: Partial<FakeCall> = {}): FakeCall => ({
  atMs,
  remaining,
  ...more,
})

const refused = (atMs: number, more: Partial<FakeCall> = {}) =>
  at(atMs, 0, { status: 429, ...more })

describe('limit-not-early', () => {
  const id = 'limit-not-early'
  const occasion = (fromMs: number, remaining: number, more: Partial<FakeCall> = {}) => [
    at(fromMs, remaining, more),
    refused(fromMs + 10, more),
  ]
  const next = { reset: 180 }

  test.for([1, 30])('is broken by two refusals after Remaining %i', (remaining) => {
    const calls = [...occasion(0, remaining), ...occasion(130_000, remaining, next)]
    expect(tell(id, calls)).toContain(`first: 429 after Remaining: ${remaining}`)
  })

  test('is broken by a crowd of which fewer are served than was announced', () => {
    const crowd = (fromMs: number, more: Partial<FakeCall> = {}) => [
      at(fromMs, 9, more),
      ...[8, 7, 6].map((remaining) => at(fromMs + 10, remaining, more)),
      ...[1, 2].map(() => refused(fromMs + 10, more)),
    ]
    expect(tell(id, [...crowd(0), ...crowd(130_000, next)])).toContain('429 after Remaining: 9')
  })

  test('one refusal may have been drawn by another client', () => {
    expect(tell(id, occasion(0, 5))).toContain('ambiguous: refused after an answer')
  })

  test.for([
    ['the key is shared', [...occasion(0, 5), ...occasion(130_000, 5, next)], { shared: true }],
    [
      'Remaining fell by more than was sent',
      [at(0, 30), at(10, 20), ...occasion(20, 19), ...occasion(130_000, 5, next)],
      {},
    ],
  ] as const)('%s', ([, calls, differing]) => {
    expect(tell(id, calls, differing)).toContain('ambiguous: refused after an answer')
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
    expect(tell(id, calls)).toBe('pass')
  })
})

describe('refusal-remaining-zero', () => {
  const id = 'refusal-remaining-zero'

  test('is broken by a first refusal that says that some remain', () => {
    expect(tell(id, [at(0, 5), refused(10, { remaining: 3 })])).toContain('first: Remaining: 3')
  })

  test.for([
    ['none remain', [at(0, 0), refused(10)]],
    ['a ban says what it likes', [at(0, 0), refused(10), refused(20, { remaining: 60 })]],
    ['so do refusals of one crowd', [at(0, 0), ...[1, 2].map(() => refused(10, { remaining: 9 }))]],
  ] as const)('%s', ([, calls]) => {
    expect(tell(id, calls)).toBe('pass')
  })

  test('is judged again once a call was served', () => {
    const calls = [at(0, 0), refused(10), at(60_000, 59), refused(60_020, { remaining: 7 })]
    expect(tell(id, calls)).toContain('first: Remaining: 7')
  })

  test('says nothing without a refusal, nor with certainty where others use the key', () => {
    expect(tell(id, [at(0, 5)])).toBe('inapplicable')
    const calls = [at(0, 0), refused(10, { remaining: 3 })]
    expect(tell(id, calls, { shared: true })).toContain('ambiguous')
  })
})

describe('limit-not-late', () => {
  const id = 'limit-not-late'
  const moving = (count: number, everyMs: number) =>
    Array.from({ length: count }, (_, place) =>
      at(place * everyMs, 5, { reset: 60 + Math.ceil((place * everyMs) / 1000) }),
    )

  test('is broken by more than Limit served until one Reset', () => {
    expect(tell(id, countdown(60, at(0, 59)))).toBe('pass')
    expect(tell(id, countdown(61, at(0, 60)))).toContain('61 served')
  })

  test('is broken by more than twice Limit in less than a window, whatever Reset says', () => {
    expect(tell(id, moving(121, 400))).toContain('at most 120 requests served in less than')
    expect(tell(id, moving(120, 400))).toBe('pass')
    expect(tell(id, moving(240, 510))).toBe('pass')
  })

  test('takes a burst at the end of one window and at the start of the next', () => {
    const calls = [
      ...countdown(60, at(59_000, 59)),
      ...countdown(60, at(60_000, 59, { reset: 120 })),
    ]
    expect(tell(id, calls)).toBe('pass')
  })
})

describe('refills-minute-apart', () => {
  const id = 'refills-minute-apart'
  const refill = (lowMs: number, fullMs: number) => [
    at(lowMs, 1, { reset: fullMs / 1000 }),
    at(fullMs, 59, { reset: fullMs / 1000 + 60 }),
  ]

  test('is broken by two refills half a minute apart', () => {
    const calls = [...refill(29_000, 30_000), ...refill(59_000, 60_000)]
    expect(tell(id, calls)).toContain('two refills at least 60 s apart')
  })

  test('holds for refills a minute apart, however late they are looked at', () => {
    expect(tell(id, [...refill(59_000, 60_000), ...refill(119_000, 120_000)])).toBe('pass')
    expect(tell(id, [...refill(50_000, 100_000), ...refill(119_000, 120_000)])).toBe('pass')
  })

  test('is not decided by one refill, by half ones, or where a ban may have ended', () => {
    const half = [at(0, 30), at(30_000, 59), at(30_010, 30), at(60_000, 59)]
    const banned = [...refill(29_000, 30_000), refused(59_000), refused(59_010), at(60_000, 59)]
    for (const calls of [refill(59_000, 60_000), half, banned]) {
      expect(tell(id, calls)).toContain('ambiguous: to see two refills')
    }
  })
})

describe('remaining-falls-by-one', () => {
  const id = 'remaining-falls-by-one'
  const twice = countdown(8, at(0, 59), 2)
  const pause = at(3_000, 43)

  test('is broken by calls that each cost two, also after a pause', () => {
    expect(tell(id, [...twice, pause])).toContain('it fell by 2')
    const creations = twice.map((call) => ({ ...call, method: 'POST' as const }))
    expect(tell(id, [...creations, { ...pause, method: 'POST' }])).toContain('it fell by 2')
  })

  test.for([
    ['nothing shows that nobody keeps step with it', twice, {}],
    ['after a pause it fell by more', [...twice, at(3_000, 30)], {}],
    ['it did so but once', [...countdown(8, at(0, 59)), at(80, 50)], {}],
    ['the key is shared', [...twice, pause], { shared: true }],
  ] as const)('is in doubt where %s', ([, calls, differing]) => {
    expect(tell(id, calls, differing)).toContain('ambiguous: it fell by')
  })

  test.for([
    ['calls side by side', [at(0, 59), at(10, 55), at(10, 56), at(10, 57), at(10, 58)]],
    ['another window', [at(0, 59), at(10, 900, { limit: 1_000 })]],
    ['a lost request', [at(0, 59, { seq: 1 }), at(10, 57, { seq: 3 })]],
  ] as const)('says nothing of %s', ([, calls]) => {
    expect(tell(id, calls)).toBe('pass')
  })
})

describe('remaining-rises-at-reset', () => {
  const id = 'remaining-rises-at-reset'

  test('is broken by a refill that nobody announced', () => {
    const calls = [...countdown(50, at(0, 59)), at(5_000, 59)]
    expect(tell(id, calls)).toContain('59 remain, 1 calls after 10 did')
  })

  test('is broken by a number that never moves', () => {
    const calls = Array.from({ length: 40 }, (_, place) => at(place * 500, 59))
    expect(tell(id, calls)).toContain('before Reset')
  })

  test('is in doubt while a count may lag behind', () => {
    const calls = Array.from({ length: 30 }, (_, place) => at(place, 59, { tookMs: 1 }))
    expect(tell(id, calls)).toContain('the count may lag behind')
  })

  test.for([
    ['the reset has come', [...countdown(50, at(0, 59)), at(60_000, 59, { reset: 120 })]],
    ['tokens come back', [...countdown(60, at(0, 59)), at(30_000, 29, { reset: 61 })]],
    [
      'calls leave a log one by one',
      [
        ...countdown(50, at(0, 59, { reset: 60 })),
        at(50_000, 9, { reset: 110 }),
        at(61_000, 57, { reset: 121 }),
      ],
    ],
    [
      'what others sent before leaves a log',
      [at(0, 19, { reset: 60 }), at(20_000, 57, { reset: 80 })],
    ],
    [
      'a ban may have ended',
      [...countdown(50, at(0, 59)), refused(1_000), refused(1_010), at(9_000, 59)],
    ],
    ['another window is spoken of', [at(0, 30), at(10, 900, { limit: 1_000 })]],
  ] as const)('holds where %s', ([, calls]) => {
    expect(tell(id, calls)).toBe('pass')
  })
})
