// What a round shows, and what it does not: each breach beside its legal explanations.
import { describe, expect, test } from 'vitest'
import { down, fakeRound, said } from '../../tests/fake-round.ts'
import { judgeFewer, judgeFewerBeside, judgeMore, judgeMoreBeside } from './judgements.ts'
import { gapsIn, isOverLimit } from './round.ts'

const honest = fakeRound([59, 58], [...down(57, 0), null])

describe('more than the plan', () => {
  test('is not what an honest minute serves', () => {
    expect(judgeMore(honest).kind).toBe('holds')
  })

  test('is one more in a declared window', () => {
    const found = judgeMore(fakeRound([59, 58], [...down(57, 0), 0]))
    expect(found).toMatchObject({ kind: 'breach', actual: '61 served in one window, by its Reset' })
  })

  test('is more than was announced, where Reset moves', () => {
    const round = fakeRound([59, 58], [...down(57, 0), 0])
    const [first, last] = fakeRound([59, 58], [], { resetS: 59 }).probes
    const probes = [first, last].filter((one) => one !== undefined)
    expect(judgeMore({ ...round, probes }).kind).toBe('breach')
  })

  test('is not what a bucket has given back meanwhile', () => {
    const round = fakeRound([59, 59], [...down(58, 0), null], { resetS: 6 })
    const [first] = fakeRound([59, 59], [], { resetS: 2 }).probes
    const probes = [first, round.probes[1]].filter((one) => one !== undefined)
    expect(judgeMore({ ...round, probes }).kind).toBe('holds')
  })

  test('may be the end of a window in the burst', () => {
    const [, second] = fakeRound([59, 58], [], { resetS: 4 }).probes
    const round = fakeRound([59, 58], [...down(57, 0), 59], { resetS: 64 })
    const probes = [second].filter((one) => one !== undefined)
    expect(judgeMore({ ...round, probes }).kind).toBe('weak')
  })

  test('may be the end of a minute, where the headers speak of the day', () => {
    const round = fakeRound([999, 998], [...down(997, 939)], { limit: 1_000, resetS: 9_000 })
    expect(judgeMore(round).kind).toBe('weak')
  })
})

describe('fewer than the plan', () => {
  test('is not what an honest minute serves', () => {
    expect(judgeFewer(honest).kind).toBe('holds')
  })

  test('is a refusal while two or more were announced', () => {
    const found = judgeFewer(fakeRound([59, 58], [...down(57, 5), ...Array(6).fill(null)]))
    expect(found).toMatchObject({ kind: 'breach', actual: '53 served, then 429' })
  })

  test('may be another client, where one was announced', () => {
    expect(judgeFewer(fakeRound([59, 58], [...down(57, 1), null, null])).kind).toBe('weak')
  })

  test('may be another client, where Remaining skips numbers', () => {
    const round = fakeRound([59, 58], [...down(57, 30), ...down(27, 0), ...Array(3).fill(null)])
    expect(gapsIn(round)).toBe(2)
    expect(judgeFewer(round).kind).toBe('unclear')
  })

  test('is each call counted twice: nobody else calls just between any two', () => {
    const served = down(27, 0).map((half) => 2 * half)
    const round = fakeRound([58, 56], [...served, ...Array(29).fill(null)])
    expect(judgeFewer(round).kind).toBe('breach')
  })

  test('may be another client before the first probe', () => {
    expect(judgeFewer(fakeRound([58, 57], [...down(56, 0), null])).kind).toBe('weak')
  })

  test('is not what gets no answer', () => {
    const round = { ...fakeRound([59, 58], [...down(57, 1), null]), lost: 1 }
    expect(judgeFewer(round).kind).toBe('unclear')
  })

  test('is not what failed in the burst, and may have counted', () => {
    const failed = said({ atMs: 4_700, remaining: 0, status: 500 })
    const round = fakeRound([59, 58], [...down(57, 5), null])
    const burst = [...round.burst, ...Array(5).fill(failed)]
    expect(judgeFewer({ ...round, burst }).kind).toBe('unclear')
    expect(judgeFewer({ ...round, burst: burst.slice(0, -1) }).kind).toBe('weak')
    expect(
      judgeFewer({ ...round, burst: burst.filter((one) => one !== round.burst[53]) }).kind,
    ).toBe('unclear')
  })

  test('is not what a rested key gets that fails', () => {
    const probes = [said({ atMs: 1_000, remaining: 59, status: 503 })]
    expect(judgeFewer({ ...honest, probes, burst: [] }).kind).toBe('unclear')
  })

  test('may be another client, where a rested key is refused at once', () => {
    const round = { ...honest, probes: honest.burst.slice(-1), burst: [] }
    expect(judgeFewer(round)).toMatchObject({ kind: 'weak', actual: '0 served, then 429' })
  })

  test('is not told by headers of the day that are honest', () => {
    const numbers = [...down(997, 940), null]
    const round = fakeRound([999, 998], numbers, { limit: 1_000, resetS: 9_000 })
    expect(judgeFewer(round).kind).toBe('holds')
  })
})

describe('over the limit', () => {
  const busy = said({ atMs: 4_900, remaining: 0, status: 503 })
  const round = fakeRound([59, 58], [...down(57, 0)])

  test('is a call after an answer with Remaining 0', () => {
    expect(isOverLimit({ ...round, burst: [...round.burst, busy] }, busy)).toBe(true)
  })

  test('is none while calls remain, by its own answer or by those before it', () => {
    const own = said({ atMs: 4_900, remaining: 10, status: 500 })
    expect(isOverLimit({ ...round, burst: [...round.burst, own] }, own)).toBe(false)
    const short = fakeRound([59, 58], [...down(57, 10)])
    expect(isOverLimit({ ...short, burst: [...short.burst, busy] }, busy)).toBe(false)
  })

  test('is not known where an answer is missing', () => {
    expect(isOverLimit({ ...round, lost: 1, burst: [...round.burst, busy] }, busy)).toBe(false)
  })
})

describe('beside another client', () => {
  test('as many more as were missing may be its own that came back', () => {
    const found = judgeMoreBeside(fakeRound([56, 54], [...down(53, 0), 0, null]))
    expect(found).toMatchObject({ kind: 'unclear' })
    expect(judgeMore(fakeRound([56, 54], [...down(53, 0), 0, null])).kind).toBe('breach')
  })

  test('more than that are not, nor one where the minute was whole', () => {
    const beyond = fakeRound([56, 54], [...down(53, 0), 0, 0, 0, 0, 0])
    expect(judgeMoreBeside(beyond).kind).toBe('breach')
    expect(judgeMoreBeside(fakeRound([59, 58], [...down(57, 0), 0])).kind).toBe('breach')
    expect(judgeMoreBeside(fakeRound([59, 58], [...down(57, 0), null])).kind).toBe('holds')
  })

  test('a burst that is cut short is to be seen twice, one that is charged double is not', () => {
    const cut = fakeRound([59, 58], [...down(57, 35), null, null, null])
    expect([judgeFewer(cut).kind, judgeFewerBeside(cut).kind]).toEqual(['breach', 'weak'])
    const byTwo = Array.from({ length: 29 }, (_, at) => 56 - 2 * at)
    const double = fakeRound([59, 58], [...byTwo, null, null])
    expect(judgeFewerBeside(double).kind).toBe('breach')
  })
})
