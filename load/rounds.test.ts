// Whether a key is ours alone, by the numbers that it was told.
import { expect, test } from 'vitest'
import { fakeKey, said } from '../tests/fake-round.ts'
import { isQuiet } from './rounds.ts'

const told = (...numbers: number[]) =>
  isQuiet(
    numbers.map((remaining, at) => said({ atMs: 1_000 + at, remaining })),
    fakeKey.quota,
  )

test('a rested key whose numbers fall one by one is', () => {
  expect(told(59, 58, 57)).toBe(true)
})

test('a bucket that is full again is', () => {
  expect(told(59, 59, 58)).toBe(true)
})

test.for([
  ['one that was not whole at first', [40, 39]],
  ['one of which a number was taken in between', [59, 57]],
  ['one that was told nothing', []],
] as const)('%s may not be', ([, numbers]) => {
  expect(told(...numbers)).toBe(false)
})

test('one that is told of its day instead may not be', () => {
  const ofDay = said({ atMs: 1_000, remaining: 59, limit: 1_000 })
  expect(isQuiet([ofDay], fakeKey.quota)).toBe(false)
})
