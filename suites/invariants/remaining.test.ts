// How the numbers move: each violation, and each legal explanation of what looks like one.
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
import { remaining as invariants } from './remaining.ts'

const judge = (id: string, calls: readonly FakeSaid[], differing: Partial<Trace> = {}) =>
  toldOf(invariantNamed(invariants, id), calls, differing)

describe('remaining-falls-by-one', () => {
  const id = 'remaining-falls-by-one'
  const twice = countdown(8, at(0, 59), 2)
  const pause = at(3_000, 43)

  test.for([
    ['nothing shows that nobody keeps step with it', twice, {}],
    ['after a pause it fell by more', [...twice, at(3_000, 30)], {}],
    ['it did so but once', [...countdown(8, at(0, 59)), at(80, 50)], {}],
    ['the key is shared', [...twice, pause], { shared: true }],
  ] as const)('is in doubt where %s', ([, calls, differing]) => {
    expect(judge(id, calls, differing)).toContain('ambiguous: it fell by')
  })

  test.for([
    ['calls side by side', [at(0, 59), at(10, 55), at(10, 56), at(10, 57), at(10, 58)]],
    ['another window', [at(0, 59), at(10, 900, { limit: 1_000 })]],
    ['a lost request', [at(0, 59, { seq: 1 }), at(10, 57, { seq: 3 })]],
  ] as const)('says nothing of %s', ([, calls]) => {
    expect(judge(id, calls)).toBe('pass')
  })
})

describe('remaining-rises-at-reset', () => {
  const id = 'remaining-rises-at-reset'

  test('is in doubt while a count may lag behind', () => {
    const calls = Array.from({ length: 30 }, (_, place) => at(place, 59, { tookMs: 1 }))
    expect(judge(id, calls)).toContain('the count may lag behind')
  })

  test.for([
    ['the reset has come', [...countdown(50, at(0, 59)), at(60_000, 59, { resetS: 120 })]],
    ['tokens come back', [...countdown(60, at(0, 59)), at(30_000, 29, { resetS: 61 })]],
    [
      'calls leave a log one by one',
      [
        ...countdown(50, at(0, 59, { resetS: 60 })),
        at(50_000, 9, { resetS: 110 }),
        at(61_000, 57, { resetS: 121 }),
      ],
    ],
    [
      'earlier calls of others leave a log',
      [at(0, 19, { resetS: 60 }), at(20_000, 57, { resetS: 80 })],
    ],
    [
      'a ban may have ended',
      [...countdown(50, at(0, 59)), refused(1_000), refused(1_010), at(9_000, 59)],
    ],
    ['another window is spoken of', [at(0, 30), at(10, 900, { limit: 1_000 })]],
  ] as const)('holds where %s', ([, calls]) => {
    expect(judge(id, calls)).toBe('pass')
  })
})

const spent = countdown(30, { atMs: 0, remaining: 59 })

describe('Remaining that rises before its Reset', () => {
  test.for([
    ['in a refused body', [at(1_000, 29, { status: 400 }), at(1_400, 59, { status: 400 })]],
    ['after a refused body', [at(1_000, 29, { status: 400 }), at(1_400, 59)]],
    ['with a Reset that moved on', [at(1_000, 59, { status: 404, resetS: 61 })]],
  ] as const)('%s is a violation', ([, calls]) => {
    expect(judge('remaining-rises-at-reset', [...spent, ...calls])).toContain('remain')
  })

  test.for([
    ['a window of which the next is shown came first', [at(40_000, 59, { resetS: 120 })]],
    ['errors do not count', [at(1_000, 30, { status: 404 }), at(1_400, 30, { status: 404 })]],
    ['what is refused shows no count', [at(1_000, 59, { status: 429 })]],
  ] as const)('is none where %s', ([, calls]) => {
    expect(judge('remaining-rises-at-reset', [...spent, ...calls])).toBe('pass')
  })
})

describe('reset-not-moved-back', () => {
  const resets = (...all: readonly number[]) =>
    all.map((resetS, place) => at(place * 100, 59 - place, { resetS }))

  test('fails for a Reset that moves to and fro', () => {
    const found = judge('reset-not-moved-back', resets(60, 30, 60, 30, 60, 30))
    expect(found).toMatch(/actual: Reset went from .* \(the first of 3 violations in 6 responses\)/)
  })

  test.for([
    ['it was seen twice', resets(60, 30, 60, 30), {}],
    ['the key is shared', resets(60, 30, 60, 30, 60, 30), { shared: true }],
  ] as const)('is in doubt where %s', ([, calls, differing]) => {
    expect(judge('reset-not-moved-back', calls, differing)).toContain('ambiguous: Reset went from')
  })

  test.for([
    ['it moves on', resets(60, 61, 62, 90, 120)],
    ['it is rounded this way and that', resets(60, 61, 60, 61, 60, 61, 60)],
    [
      'it has come',
      [0, 1, 2, 3].flatMap((n) => [at(n, 9, { resetS: 2 }), at(n, 9, { resetS: -9 })]),
    ],
    ['the day is spoken of', resets(60, 50).flatMap((call) => [call, { ...call, limit: 1_000 }])],
  ] as const)('holds where %s', ([, calls]) => {
    expect(judge('reset-not-moved-back', calls)).toBe('pass')
  })
})
