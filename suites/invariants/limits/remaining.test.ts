// Remaining after whatever a response is: no status gives calls back, and no design is mistaken.
import { describe, expect, test } from 'vitest'
import { invariantNamed } from '../../../tests/fake-exchange.ts'
import { countdown, type FakeCall, toldOf } from '../../../tests/fake-traffic.ts'
import { remaining as invariants } from './remaining.ts'

const id = 'remaining-rises-at-reset'

const judge = (calls: readonly FakeCall[]) => toldOf(invariantNamed(invariants, id), calls)

const spent = countdown(30, { atMs: 0, remaining: 59 })

const at = (atMs: number, remaining: number, more: Partial<FakeCall> = {}): FakeCall => ({
  atMs,
  remaining,
  ...more,
})

describe('Remaining that rises before its Reset', () => {
  test.for([
    ['in a refused body', [at(1_000, 29, { status: 400 }), at(1_400, 59, { status: 400 })]],
    ['after a refused body', [at(1_000, 29, { status: 400 }), at(1_400, 59)]],
    ['with a Reset that moved on', [at(1_000, 59, { status: 404, reset: 61 })]],
  ] as const)('%s is a violation', ([, calls]) => {
    expect(judge([...spent, ...calls])).toContain('remain')
  })

  test('is one also where each step is too small to be told from a tick', () => {
    const steps = [0, 1, 2, 3, 4, 5].flatMap((step) => [
      ...countdown(5, { atMs: 400 * step, remaining: 59, reset: 60 + step }),
      at(400 * step + 60, 54, { status: 400, reset: 60 + step }),
    ])
    expect(judge(steps)).toContain('before Reset')
  })

  test.for([
    ['a window of which the next is shown came first', [at(40_000, 59, { reset: 120 })]],
    ['errors do not count', [at(1_000, 30, { status: 404 }), at(1_400, 30, { status: 404 })]],
    ['what is refused shows no count', [at(1_000, 59, { status: 429 })]],
  ] as const)('is none where %s', ([, calls]) => {
    expect(judge([...spent, ...calls])).toBe('pass')
  })
})
