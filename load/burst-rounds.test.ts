// Rounds: a violation fails, what may be the work of another client does not; unused keys.
import { describe, expect, test } from 'vitest'
import { down, fakeKey, fakeRound, said } from '../tests/fake-round.ts'
import { expectNotFewer, expectNotMore, holdTwice, isQuiet } from './burst-rounds.ts'
import type { Lane } from './scenario.ts'

const isAlone = (...numbers: number[]) =>
  isQuiet(
    numbers.map((remaining, at) => said({ atMs: 1_000 + at, remaining })),
    fakeKey.quota,
  )

test('a rested key whose numbers fall one by one is', () => {
  expect(isAlone(59, 58, 57)).toBe(true)
})

test('a bucket that is full again is', () => {
  expect(isAlone(59, 59, 58)).toBe(true)
})

test.for([
  ['one that was not whole at first', [40, 39]],
  ['one of which a number was taken in between', [59, 57]],
  ['one without headers', []],
] as const)('%s may not be', ([, numbers]) => {
  expect(isAlone(...numbers)).toBe(false)
})

test('one whose headers are about its day may not be', () => {
  const ofDay = said({ atMs: 1_000, remaining: 59, limit: 1_000 })
  expect(isQuiet([ofDay], fakeKey.quota)).toBe(false)
})

const honest = fakeRound([59, 58], [...down(57, 0), null])
const tooMany = fakeRound([59, 58], [...down(57, 0), 0, 0, null])
const tooFew = fakeRound([59, 58], [...down(57, 8), null, null])
const oneFewer = fakeRound([59, 58], [...down(57, 1), null])

const trial = (first: typeof honest, second: typeof honest | null = null) => [
  { name: 'free-1 from 5 connections', first, second },
]
const alone = { shared: false, instant: true }

describe('more than the plan', () => {
  test('holds for an honest minute', () => {
    expect(expectNotMore(trial(honest))).toBeUndefined()
  })

  test('is a violation, and reported with its trial', () => {
    expect(() => expectNotMore(trial(tooMany))).toThrow(/free-1 from 5 connections: 62 served/)
  })
})

describe('fewer than the plan', () => {
  test('holds for an honest minute', () => {
    expect(expectNotFewer(trial(honest), alone)).toBeUndefined()
  })

  test('is a violation where several are missing', () => {
    expect(() => expectNotFewer(trial(tooFew), alone)).toThrow(
      expect.objectContaining({ name: 'Violation' }),
    )
  })

  test('is none where others use the keys', () => {
    expect(() => expectNotFewer(trial(tooFew), { shared: true, instant: true })).toThrow(
      expect.objectContaining({ because: 'ambiguous' }),
    )
  })

  test('of one alone takes a second round', () => {
    expect(() => expectNotFewer(trial(oneFewer, honest), alone)).toThrow(
      expect.objectContaining({ because: 'ambiguous' }),
    )
    expect(() => expectNotFewer(trial(oneFewer, oneFewer), alone)).toThrow(
      expect.objectContaining({ name: 'Violation' }),
    )
  })

  test('is another client’s doing where time is real and the key the same', () => {
    const real = { shared: false, instant: false }
    expect(() => expectNotFewer(trial(oneFewer, oneFewer), real)).toThrow(
      expect.objectContaining({ because: 'ambiguous' }),
    )
  })
})

test('a violation outweighs what is inconclusive', () => {
  const both = [...trial(oneFewer, honest), ...trial(tooFew)]
  expect(() => expectNotFewer(both, alone)).toThrow(expect.objectContaining({ name: 'Violation' }))
})

test.for([
  [2, 'target', oneFewer],
  [1, 'target', honest],
  [1, 'reference', oneFewer],
] as const)(
  '%i times a round is held at the %s, by what was seen',
  async ([times, column, round]) => {
    let held = 0
    const hold = async () => {
      held += 1
      return [round]
    }
    const trials = holdTwice({ column } as Lane, hold, ({ label }) => label)
    await trials.next()
    const { value } = await trials.next()
    expect(held).toBe(times)
    expect(value).toEqual([{ name: 'free-1', first: round, second: times === 2 ? round : null }])
  },
)
