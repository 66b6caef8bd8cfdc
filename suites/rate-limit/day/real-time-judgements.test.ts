// The headers of a day, compared with the calls of a run.
import { expect, test } from 'vitest'
import { fakeKey, said } from '../../../tests/fake-round.ts'
import { createDayLog } from './real-time-judgements.ts'

const beginMs = Date.UTC(2026, 10, 20, 12)
const inHours = (hours: number) => hours * 3_600

/** The log of a day with this Reset, in seconds ahead, and these values of Remaining. */
const saidAfter = (remaining: readonly number[], resetS: number, perDay = 1_000) => {
  const responses = remaining.map((left, atMs) => ({
    ...said({ atMs, remaining: left, limit: perDay, resetS }),
    at: new Date(beginMs + atMs).toISOString(),
  }))
  return createDayLog({ ...fakeKey.quota, perDay }, responses).said
}

test('calls of the 24 hours before its Reset explain what is spent, or do not', () => {
  expect(saidAfter([999, 998, 997], inHours(20))).toMatchObject({ isOurs: true, mayServe: 997 })
  expect(saidAfter([990, 989], inHours(20))?.isOurs).toBe(false)
  // The day of a sliding counter ends in its second window, which has no calls yet.
  expect(saidAfter([999, 998], inHours(30))?.isOurs).toBe(false)
})

test('a call beyond Remaining is one too many, if the calls of the run explain the numbers', () => {
  expect(saidAfter([2, 1, 0, 0], inHours(20), 3)?.mayServe).toBe(-1)
  expect(saidAfter([5, 0, 0], inHours(20))?.mayServe).toBe(0)
})

test('a Reset further ahead than any day ends is ignored', () => {
  expect(saidAfter([999], inHours(100))).toBeNull()
  expect(saidAfter([999], 1e9)).toBeNull()
})
