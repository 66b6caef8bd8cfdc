// How the numbers move: each violation, and each legal explanation of what looks like one.
import { describe, expect, test } from 'vitest'
import type { Trace } from '../../engine/declare.ts'
import { invariantNamed } from '../../tests/fake-exchange.ts'
import { at, countdown, type FakeCall, toldOf } from '../../tests/fake-traffic.ts'
import { remaining as invariants } from './remaining.ts'

const judge = (id: string, calls: readonly FakeCall[], differing: Partial<Trace> = {}) =>
  toldOf(invariantNamed(invariants, id), calls, differing)

describe('remaining-falls-by-one', () => {
  const id = 'remaining-falls-by-one'
  const twice = countdown(8, at(0, 59), 2)
  const pause = at(3_000, 43)

  test('fails for calls that each cost two, also after a pause', () => {
    expect(judge(id, [...twice, pause])).toContain('it fell by 2')
    const creations = twice.map((call) => ({ ...call, method: 'POST' as const }))
    expect(judge(id, [...creations, { ...pause, method: 'POST' }])).toContain('it fell by 2')
  })

  test.for([
    ['nothing shows that nobody keeps step with it', twice, {}],
    ['after a pause it fell by more', [...twice, at(3_000, 30)], {}],
    ['it did so but once', [...countdown(8, at(0, 59)), at(80, 50)], {}],
    ['the key is shared', [...twice, pause], { shared: true }],
  ] as const)('is in doubt where %s', ([, calls, differing]) => {
    expect(judge(id, calls, differing)).toContain('ambiguous: it fell by')
  })
})

describe('remaining-rises-at-reset', () => {
  const id = 'remaining-rises-at-reset'

  test('fails for a refill that nobody announced', () => {
    const calls = [...countdown(50, at(0, 59)), at(5_000, 59)]
    expect(judge(id, calls)).toContain('59 remain, 1 calls after 10 did')
  })

  test('is in doubt while a count may lag behind', () => {
    const calls = Array.from({ length: 30 }, (_, place) => at(place, 59, { tookMs: 1 }))
    expect(judge(id, calls)).toContain('the count may lag behind')
  })
})

describe('reset-not-moved-back', () => {
  const resets = (...all: readonly number[]) =>
    all.map((reset, place) => at(place * 100, 59 - place, { reset }))

  test('fails for a Reset that moves to and fro', () => {
    const found = judge('reset-not-moved-back', resets(60, 30, 60, 30, 60, 30))
    expect(found).toContain('in 3 of 6 responses, first: Reset went from')
  })

  test.for([
    ['it was seen twice', resets(60, 30, 60, 30), {}],
    ['the key is shared', resets(60, 30, 60, 30, 60, 30), { shared: true }],
  ] as const)('is in doubt where %s', ([, calls, differing]) => {
    expect(judge('reset-not-moved-back', calls, differing)).toContain('ambiguous: Reset went from')
  })
})
