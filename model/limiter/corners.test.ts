// What a law finds where two explanations meet: a bucket and several counts, a ban and the end of
// a quota, a counter that fades and a window.
import { expect, test } from 'vitest'
import { call, foundIn as judge, minuteMs, refusal, row } from '../../tests/limiter-calls.ts'

test('a bucket that gives back a sixth whenever the query changes has one count', () => {
  const calls = Array.from({ length: 60 }, (_, at) => {
    const remaining = 16 - (at % 10)
    const one = call(1_000 * at, { remaining, resetMs: 1_000 * at + minuteMs })
    const path = `/pets?limit=${Math.floor(at / 10) + 1}`
    return { ...one, apiRequest: { ...one.apiRequest, path } }
  })
  expect(judge('calls-share-one-count', calls)).toBeUndefined()
  // As much came back within a second.
  const soon = calls.map((one, at) => ({ ...one, sentMs: 20 * at, receivedMs: 20 * at + 10 }))
  expect(judge('calls-share-one-count', soon)).toBe('violation')
})

test('a 429 with what remains may be a ban of another client, but for own ends', () => {
  const late = [16, 5, 27].flatMap((remaining, at) => [
    call(5 * at * minuteMs, { remaining: 40, resetMs: (5 * at + 1) * minuteMs }),
    refusal({ remaining, resetMs: (5 * at + 1) * minuteMs }, 5 * at * minuteMs + 3_000),
  ])
  expect(judge('refusal-remaining-zero', late)).toBe('doubt')
  const own = [0, 5 * minuteMs].flatMap((ms) => [
    ...row(60, ms, 59, ms + minuteMs),
    refusal({ remaining: 16, resetMs: ms + minuteMs }, ms + 1_250),
  ])
  expect(judge('refusal-remaining-zero', own)).toBe('violation')
})

test('what a sliding counter weighs at the end of its segment need not be back then', () => {
  const ofSegment = (atMs: number) => [
    ...row(7, 0, 59),
    call(minuteMs + atMs, { remaining: 52, resetMs: 2 * minuteMs }),
  ]
  expect(judge('limit-not-below-quota', ofSegment(5_000))).toBeUndefined()
  expect(judge('limit-not-below-quota', ofSegment(59_000))).toBe('doubt')
})
