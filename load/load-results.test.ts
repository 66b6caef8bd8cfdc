// The sums of a load: what does not add up is a fault of the harness, and reported.
import { expect, test } from 'vitest'
import type { Counts, LoadFigures } from '../engine/run-file.ts'
import { noCounts } from '../tests/fake-load.ts'
import { uncounted } from './load-results.ts'
import type { Place } from './place.ts'

const figures = (sent: number, counts: Partial<Counts>): LoadFigures => ({
  durationMs: 1,
  sent,
  neverSent: 0,
  counts: { ...noCounts, ...counts },
  countsByKey: {},
  latency: null,
  seconds: [],
})

/** Two requests came before the scenario. */
const faultOf = (one: LoadFigures, received: number | null, aborted = false) => {
  const controller = new AbortController()
  if (aborted) controller.abort()
  const place = {
    column: 'target',
    session: { budget: { sent: () => one.sent + 2 } },
    options: { signal: controller.signal },
    received: received === null ? null : () => received,
  } as unknown as Place
  const load = [{ id: 'burst', says: '', connections: 1, columns: { target: one } }]
  return uncounted(place, load)
}

const valid = figures(10, { served: 7, refused: 3 })

test('what adds up is no fault', () => {
  expect(faultOf(valid, 12)).toBeUndefined()
  expect(faultOf(valid, null)).toBeUndefined()
})

test('fates that do not add up to what was sent are one', () => {
  expect(faultOf(figures(10, { served: 7 }), null)).toMatch(/10 sent, .* add up to 7/)
})

test.for([11, 13])('a server that counted %i of 12 is one', (received) => {
  expect(faultOf(valid, received)).toBe(
    `target: 12 requests sent, and the server counted ${received}`,
  )
})

test('the server may or may not have received a lost request', () => {
  const lossy = figures(10, { served: 7, reset: 2, timeout: 1 })
  for (const received of [9, 10, 11, 12]) expect(faultOf(lossy, received)).toBeUndefined()
  expect(faultOf(lossy, 8)).toBeDefined()
})

test('an interrupted run is not held against the server', () => {
  expect(faultOf(valid, 5, true)).toBeUndefined()
})
