// Dates that advance, Dates that do not, and which of them count as the time at the target.
import { describe, expect, test } from 'vitest'
import type { AnsweredExchange, Exchange } from '../../engine/check/exchange.ts'
import { DateWatch } from '../../engine/quota/target-dates.ts'
import { judgeInvariants } from '../../engine/run/judge-invariants.ts'
import { fakeExchange, fakeTrace, invariantNamed } from '../../tests/fake-exchange.ts'
import { dates } from './date-headers.ts'

const noonMs = Date.UTC(2026, 10, 20, 12)
const secondMs = 1_000

/** Responses a few seconds apart, of which each Date is so many milliseconds after noon. */
const responses = (dateOf: (atMs: number) => number, times = [0, 4, 9, 20, 31, 45, 70]) =>
  times.map((second): AnsweredExchange => {
    const atMs = second * secondMs
    const headers = { Date: new Date(noonMs + dateOf(atMs)).toUTCString() }
    const exchange = fakeExchange('/pets', { status: 200, body: '[]', headers, seq: second + 1 })
    return { ...exchange, sentMs: atMs, receivedMs: atMs + 5 }
  })

const wrongIn = (all: readonly Exchange[]): number => {
  const watch = new DateWatch()
  return all.map((one) => watch.mark(one)).filter(({ dateIsWrong }) => dateIsWrong).length
}

const hourMs = 3_600 * secondMs
const wild = (atMs: number) => atMs + ((atMs / secondMs) % 2 ? hourMs : 0)
const once = (atMs: number) => (atMs === 20 * secondMs ? 0 : atMs)

const endingOf = (all: readonly AnsweredExchange[]) =>
  judgeInvariants([invariantNamed(dates, 'date-advances')], fakeTrace(...all))[0]

describe('a Date', () => {
  test.for([
    ['advances', (atMs: number) => atMs, 'pass', 0],
    ['has a clock hours behind', (atMs: number) => atMs - 7 * hourMs, 'pass', 0],
    ['is kept for two seconds', (atMs: number) => atMs - (atMs % 2_000), 'pass', 0],
    ['does not move', () => 0, 'threw', 6],
    ['runs twice as fast', (atMs: number) => 2 * atMs, 'threw', 4],
    ['runs wild', wild, 'threw', 2],
    ['comes from a cache once', once, 'threw', 1],
    ['jumps as after a machine’s halt', (ms: number) => (ms > 9e3 ? ms + hourMs : ms), 'threw', 0],
  ] as const)('that %s', ([, dateOf, kind, wrong]) => {
    const all = responses(dateOf)
    expect(endingOf(all)?.kind).toBe(kind)
    expect(wrongIn(all)).toBe(wrong)
  })

  test('is not judged in a run of some seconds', () => {
    const all = responses(() => 0, [0, 1, 2])
    const ending = endingOf(all)
    expect(ending?.kind === 'threw' && String(ending.error)).toContain('too little time')
  })
})
