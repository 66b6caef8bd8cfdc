// Whether a row of calls shares one count, with every design that gives calls back.
import { describe, expect, test } from 'vitest'
import { type FakeSaid, fakeKey, said } from '../../tests/fake-round.ts'
import { judgeCount } from './count-judgements.ts'

const { quota } = fakeKey

const row = (numbers: readonly number[], more: Partial<FakeSaid> = {}) =>
  numbers.map((remaining, at) => said({ atMs: 30_000 + 5 * at, remaining, ...more }))

describe('a row is not one count', () => {
  test('where two counts take turns', () => {
    const found = judgeCount(row([40, 59, 39, 58, 38, 57]), [], quota)
    expect(found).toMatchObject({
      kind: 'violation',
      actual: 'Remaining went 40, 59, 39, 58, 38, 57',
    })
  })

  test('where another count is shown in between, whose bucket is full sooner', () => {
    const numbers = [31, 59, 59, 59, 58, 30]
    const moving = numbers.map((remaining, at) =>
      said({ atMs: 30_000 + 5 * at, remaining, resetS: 120 - remaining }),
    )
    expect(judgeCount(moving, [], quota).kind).toBe('violation')
  })
})

describe('a row is inconclusive', () => {
  test('into which a log may have let earlier calls go', () => {
    const earlier = [said({ atMs: -29_990, remaining: 50 }), said({ atMs: -29_990, remaining: 49 })]
    const newest = row([40, 39, 40, 39], { resetS: 90 })
    expect(judgeCount(newest, earlier, quota).kind).toBe('unclear')
    expect(judgeCount(row([40, 39, 38, 37], { resetS: 90 }), earlier, quota).kind).toBe('holds')
    // Here Reset is that of the oldest call, which has not left yet.
    expect(judgeCount(row([40, 40, 40, 39]), earlier, quota).kind).toBe('violation')
  })

  test('in which a bucket was filled by a tick', () => {
    expect(judgeCount(row([23, 22, 21, 20, 19, 24]), [], quota).kind).toBe('unclear')
    expect(judgeCount(row([23, 22, 21, 20, 19, 34]), [], quota).kind).toBe('violation')
    expect(judgeCount(row([57, 59, 59, 59, 58, 56]), [], quota).kind).toBe('violation')
    const together = row([23, 21, 22, 24, 23, 20, 22]).map((one) => ({
      ...one,
      receivedMs: 30_040,
    }))
    expect(judgeCount(together, [], quota).kind).toBe('unclear')
    const apart = row([23, 21, 59, 58, 22, 57, 20]).map((one) => ({ ...one, receivedMs: 30_040 }))
    expect(judgeCount(apart, [], quota).kind).toBe('violation')
  })

  test('across the end of a window', () => {
    const before = row([2, 1, 0], { resetS: 30 })
    const after = row([59, 58], { resetS: 90 })
    expect(judgeCount([...before, ...after], [], quota).kind).toBe('unclear')
  })

  test('where the headers change their window', () => {
    const responses = [...row([2, 1]), ...row([900], { limit: 1_000 })]
    expect(judgeCount(responses, [], quota).kind).toBe('unclear')
  })
})
