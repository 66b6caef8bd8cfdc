// A run waits for a key as long as that leads to something.
import { expect, test } from 'vitest'
import { createBarrenWaits } from './barren-waits.ts'

const minuteMs = 60_000

/** How many waits are begun where so many calls are sent behind each. */
const begun = (callsEach: number, waitMs: number, perMinute: number): number => {
  const waits = createBarrenWaits()
  for (let at = 0; at < 100; at += 1) {
    try {
      waits.expectWorth(waitMs, (at + 1) * callsEach, perMinute)
    } catch (error) {
      expect(error).toMatchObject({ because: 'blocked' })
      return at
    }
  }
  return 100
}

test('not longer than five resets that give a call or two', () => {
  expect(begun(1, minuteMs, 60)).toBe(5)
  expect(begun(2, 2 * minuteMs, 60)).toBe(5)
})

test('as long as they give more, or little is their quota, or a wait is for a token', () => {
  expect(begun(3, minuteMs, 60)).toBe(100)
  expect(begun(1, minuteMs, 2)).toBe(100)
  expect(begun(1, 3_000, 60)).toBe(100)
})

test('one good minute among them is enough to go on', () => {
  const waits = createBarrenWaits()
  for (const calls of [60, 61, 62, 63, 64, 124, 125, 126, 127, 128]) {
    waits.expectWorth(minuteMs, calls, 60)
  }
})

test('what was given up stays so', () => {
  const waits = createBarrenWaits()
  const ask = (calls: number) => waits.expectWorth(minuteMs, calls, 60)
  for (const calls of [1, 2, 3, 4, 5]) ask(calls)
  for (let at = 0; at < 3; at += 1) expect(() => ask(6)).toThrow('behind 5 resets in a row')
})
