// Growth is found where there is some, and chance is not taken for it.
import { describe, expect, test } from 'vitest'
import { chanceOfRise, type Point, sureGrowth } from './drift.ts'

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
const random = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

const row = (count: number, yAt: (x: number) => number): Point[] =>
  Array.from({ length: count }, (_, x) => ({ x, y: yAt(x) }))

describe('the growth', () => {
  test('of a straight line is its own, whatever a few points do', () => {
    const line = row(21, (x) => 3 + 0.5 * x)
    expect(sureGrowth(line)).toBeCloseTo(10)
    const spoilt = line.map(({ x, y }) => ({ x, y: x % 10 === 1 ? 900 : y }))
    expect(sureGrowth(spoilt)).toBeCloseTo(10, 0)
  })

  test('of too few points is not told', () => {
    expect(sureGrowth(row(5, (x) => x))).toBe(0)
    expect(sureGrowth([])).toBe(0)
  })

  test('of a line that falls is none', () => {
    expect(sureGrowth(row(30, (x) => 100 - x))).toBe(0)
  })
})

/** How many of 300 rows are found to have grown by a tenth of what they began with. */
const found = (points: number, yAt: (x: number, noise: () => number) => number): number => {
  let count = 0
  for (let seed = 1; seed <= 300; seed += 1) {
    const next = random(seed)
    const medians = row(points, (x) => yAt(x / points, () => normal(next)))
    if (sureGrowth(medians) >= 1) count += 1
  }
  return count
}

describe('latency of about 10 ms', () => {
  test.for([12, 24, 48])('that only varies is not taken to grow, in %i parts', (points) => {
    expect(found(points, (_, noise) => 10 + 2 * noise())).toBeLessThanOrEqual(1)
    // As latencies do: seldom, and then far, above.
    expect(found(points, (_, noise) => 9 + Math.exp(0.9 * noise()))).toBe(0)
  })

  test('that wanders, as on a busy machine, is hardly ever', () => {
    let wandering = 0
    const wander = (_: number, noise: () => number) => {
      wandering = 0.7 * wandering + 0.5 * noise()
      return 10 + wandering
    }
    expect(found(48, wander)).toBeLessThanOrEqual(2)
  })

  test('that grows by half is found, though it varies', () => {
    expect(found(48, (x, noise) => 10 + 5 * x + noise())).toBe(300)
    expect(found(12, (x, noise) => 10 + 5 * x + 0.5 * noise())).toBeGreaterThan(260)
  })

  test('that grows by less than a tenth is not', () => {
    expect(found(48, (x, noise) => 10 + 0.7 * x + 0.2 * noise())).toBe(0)
  })
})

describe('errors in the later half', () => {
  test('come by chance as often as a binomial says', () => {
    expect(chanceOfRise(0, 1, 0.5)).toBeCloseTo(0.5)
    expect(chanceOfRise(0, 10, 0.5)).toBeCloseTo(1 / 1024)
    expect(chanceOfRise(1, 3, 0.5)).toBeCloseTo(5 / 16)
    expect(chanceOfRise(5, 0, 0.5)).toBeCloseTo(1)
    expect(chanceOfRise(0, 3, 1)).toBeCloseTo(1)
  })

  test('of many are summed without an overflow', () => {
    expect(chanceOfRise(50_000, 50_000, 0.5)).toBeCloseTo(0.5, 2)
    expect(chanceOfRise(49_000, 51_000, 0.5)).toBeLessThan(1e-9)
  })
})
