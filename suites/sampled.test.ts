// Which of many questions a run asks.
import { expect, test } from 'vitest'
import { Violation } from './kit/outcome.ts'
import { naming, takenFrom } from './sampled.ts'

const all = ['a', 'b', 'c'] as const

test('neighbours are taken, round the end, also by a negative seed', () => {
  expect(takenFrom(all, 2, 0)).toEqual(['a', 'b'])
  expect(takenFrom(all, 2, 2)).toEqual(['c', 'a'])
  expect(takenFrom(all, 1, -1)).toEqual(['a'])
})

test('enough seeds take them all', () => {
  const taken = [5, 6, 7].flatMap((seed) => takenFrom(all, 1, seed))
  expect(new Set(taken)).toEqual(new Set(all))
})

test('a breach says which it was, any other fault stays as it is', () => {
  const breach = () => {
    throw new Violation('a 4xx answer', '500', [])
  }
  const bug = () => {
    throw new TypeError('ours')
  }
  expect(() => naming('a UUID', breach)).toThrow('actual: 500 to a UUID')
  expect(() => naming('a UUID', bug)).toThrow(TypeError)
})
