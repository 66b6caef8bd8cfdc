// Places on the time axis: gaps are left out, nothing is out of order, one call alone has a place.
import { expect, test } from 'vitest'
import { duration, timeAxis } from './time-axis.ts'

const range = [100, 200] as const

test('a rest takes a narrow room, the stretches between that of their calls', () => {
  const { at, gaps, spans } = timeAxis([0, 100, 200, 300, 60_300, 60_400], range)
  expect(spans.map(({ calls }) => calls)).toEqual([4, 2])
  expect(gaps).toMatchObject([{ fromMs: 300, toMs: 60_300 }])
  expect(at(0)).toBe(100)
  expect(at(60_400)).toBeCloseTo(200)
  const [first, second] = [at(300) - at(0), at(60_400) - at(60_300)]
  expect(first / second).toBeCloseTo(2)
  expect(at(60_300) - at(300)).toBeLessThan(15)
})

test('places never go back, even with more gaps than there is room', () => {
  const times = Array.from({ length: 500 }, (_, index) => index * 10 + (index % 7 === 0 ? 0 : 5))
  const far = times.map((time, index) => time + Math.floor(index / 2) * 1e7)
  const { at } = timeAxis(far, range)
  const places = far.map(at)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places.every((place) => place >= 100 && place <= 200.001)).toBe(true)
})

test('there are not more gaps than can be told apart', () => {
  const times = Array.from({ length: 20_000 }, (_, index) => index * 10 + (index >> 1) * 60_000)
  const { gaps, spans } = timeAxis(times, range)
  expect(gaps.length).toBeLessThanOrEqual(150)
  expect(spans.reduce((sum, { calls }) => sum + calls, 0)).toBe(20_000)
})

test('a steady slow pace is no row of gaps', () => {
  const { gaps } = timeAxis([0, 5_000, 10_000, 15_000, 20_000], range)
  expect(gaps).toEqual([])
})

test('one call, and several at once, have a place', () => {
  expect(timeAxis([7], range).at(7)).toBe(100)
  expect(timeAxis([7, 7, 7], range).at(7)).toBe(100)
})

test.for([
  [450, '0.5 s'],
  [61_000, '61 s'],
  [600_000, '10 min'],
  [86_400_000, '24 h'],
  [259_200_000, '3 d'],
] as const)('%d ms is %s', ([ms, told]) => {
  expect(duration(ms)).toBe(told)
})
