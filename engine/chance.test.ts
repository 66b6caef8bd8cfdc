// The seed of a check: the same for the same run and id, another one for any other.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalogue } from '../suites/index.ts'
import { seedOf, takenFrom } from './chance.ts'

test('is known from seed and id alone', () => {
  expect(seedOf(0, 'a')).toBe(seedOf(0, 'a'))
  // Written down: a report of an earlier version is repeated by its seed.
  expect([seedOf(7, 'list-default-20'), seedOf(7, ''), seedOf(-1, 'é')]).toMatchInlineSnapshot(`
    [
      -229261361,
      -2128831038,
      2069837846,
    ]
  `)
})

test('is a 32-bit integer for any seed', () => {
  fc.assert(
    fc.property(fc.integer(), fc.string(), (seed, id) => {
      expect(seedOf(seed, id) | 0).toBe(seedOf(seed, id))
    }),
    { seed: 1 },
  )
})

test('differs between the checks of a run, and between runs', () => {
  const ids = catalogue.map(({ id }) => id)
  expect(new Set(ids.map((id) => seedOf(7, id))).size).toBe(ids.length)
  expect(ids.filter((id) => seedOf(7, id) === seedOf(8, id))).toEqual([])
})

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
