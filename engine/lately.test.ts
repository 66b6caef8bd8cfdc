// What is kept of what was found out: the latest, and no more than its bound.
import { expect, test } from 'vitest'
import { createLately } from './lately.ts'

const [a, b, c, d] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }] as const

test('what was asked for longest ago goes first', () => {
  const lately = createLately<object, number>(3)
  lately.put(a, 1, 1)
  lately.put(b, 2, 1)
  lately.put(c, 3, 1)
  expect(lately.get(a)).toBe(1)
  lately.put(d, 4, 2)
  expect([a, b, c, d].map(lately.get)).toEqual([1, undefined, undefined, 4])
})

test('the last one stays, however much it weighs, and alone', () => {
  const lately = createLately<object, number>(3)
  lately.put(a, 1, 1)
  lately.put(b, 2, 100)
  expect([lately.get(a), lately.get(b)]).toEqual([undefined, 2])
  lately.put(c, 3, 3)
  expect([lately.get(b), lately.get(c)]).toEqual([undefined, 3])
})

test('what is put again weighs once', () => {
  const lately = createLately<object, number>(2)
  lately.put(a, 1, 1)
  lately.put(b, 2, 1)
  lately.put(b, 3, 1)
  expect([lately.get(a), lately.get(b)]).toEqual([1, 3])
})
