// What answers say of a day, beside the calls that were noted.
import { expect, test } from 'vitest'
import { fakeKey, said } from '../../../tests/fake-round.ts'
import type { Exchange } from '../exchange.ts'
import { hearDay } from './day-said.ts'
import { emptyPage, noteCall, type Page } from './notebook-page.ts'

const { quota } = fakeKey
const beginMs = Date.UTC(2026, 10, 20, 12)

/** A page that heard of a day whose Reset is this many seconds ahead, in turn what remains. */
const pageAfter = (
  remaining: readonly number[],
  resetS: number,
  perDay: number = quota.perDay,
): Page => {
  const page = emptyPage('http://127.0.0.1/v1', '0'.repeat(32))
  remaining.forEach((left, atMs) => {
    const answer: Exchange = {
      ...said({ atMs, remaining: left, limit: perDay, resetS }),
      at: new Date(beginMs + atMs).toISOString(),
    }
    noteCall(page, beginMs + atMs, beginMs + atMs + 1, 'served')
    hearDay(page, answer, { ...quota, perDay })
  })
  return page
}

const inHours = (hours: number) => hours * 3_600

test('calls of the 24 hours before its Reset explain what is spent, or do not', () => {
  expect(pageAfter([999, 998, 997], inHours(20)).said).toMatchObject({
    isOurs: true,
    mayServe: 997,
  })
  expect(pageAfter([990, 989], inHours(20)).said?.isOurs).toBe(false)
  // The day of a sliding counter ends in its second window, in which nobody has called.
  expect(pageAfter([999, 998], inHours(30)).said?.isOurs).toBe(false)
})

test('a call that it said was not left is one too many, where ours alone explain it', () => {
  expect(pageAfter([2, 1, 0, 0], inHours(20), 3).said?.mayServe).toBe(-1)
  expect(pageAfter([5, 0, 0], inHours(20)).said?.mayServe).toBe(0)
})

test('a Reset further ahead than any day ends is not believed', () => {
  expect(pageAfter([999], inHours(100)).said).toBeNull()
  expect(pageAfter([999], 1e9).said).toBeNull()
})
