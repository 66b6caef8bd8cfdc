// Each design is told by its name, and what no design explains is called unclear.
import { describe, expect, test } from 'vitest'
import { down, fakeRound, said } from '../../tests/fake-round.ts'
import { countsOf, designOf } from './design.ts'

const aligned = [1_795_176_060, 1_795_176_120]
const odd = [1_795_176_061, 1_795_176_127]

describe('a design', () => {
  const round = fakeRound([59, 58], [...down(57, 0), null], { resetS: 61 })
  const whole = said({ atMs: 61_050, remaining: 59, resetS: 120 })
  const little = said({ atMs: 61_050, remaining: 0, resetS: 65 })

  test.each([
    ['fixed window on the clock', whole, aligned],
    ['fixed window from the first request', whole, odd],
    ['sliding counter', little, aligned],
    ['sliding log', little, odd],
  ])('%s', (name, afterWait, resets) => {
    expect(designOf(round, afterWait, resets)).toBe(name)
  })

  test('token bucket', () => {
    const [first, last] = [
      said({ atMs: 1_000, remaining: 59, resetS: 2 }),
      said({ atMs: 4_500, remaining: 59, resetS: 6 }),
    ]
    expect(designOf({ ...round, probes: [first, last] }, little, odd)).toBe('token bucket')
  })

  test('is unclear where the wait was not true, or the headers speak of the day', () => {
    const refusal = said({ atMs: 61_050, remaining: 0, status: 429 })
    const ofDay = said({ atMs: 61_050, remaining: 900, limit: 1_000 })
    expect(designOf(round, refusal, aligned)).toBe('unclear')
    expect(designOf(round, ofDay, aligned)).toBe('unclear')
  })
})

describe('answers of a status', () => {
  const answers = (second: number, third: number) => [
    said({ atMs: 0, seq: 1, remaining: 40 }),
    said({ atMs: 5, seq: 2, remaining: second, status: 404 }),
    said({ atMs: 10, seq: 3, remaining: third, status: 404 }),
  ]

  test('count where Remaining falls by them', () => {
    expect(countsOf(answers(39, 38), 404)).toBe('counted')
  })

  test('do not count where it stays', () => {
    expect(countsOf(answers(40, 40), 404)).toBe('not counted')
  })

  test('are unknown where too few were seen', () => {
    expect(countsOf(answers(39, 38), 400)).toBe('unknown')
  })
})
