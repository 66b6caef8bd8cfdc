// Moves of the test clock, on every scale.

import fc from 'fast-check'

const secondMs = 1_000
const minuteMs = 60_000

/** From a second to an hour; the rest of a window is among them. */
export const shortMoves = fc.oneof(
  fc.integer({ min: 1, max: 59 }).map((seconds) => seconds * secondMs),
  fc.integer({ min: 60_000, max: 150_000 }),
  fc.integer({ min: 3, max: 70 }).map((minutes) => minutes * minuteMs),
)

const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** From an hour to a year. */
export const anyMove = fc.oneof(
  fc.integer({ min: 1, max: 30 }).map((hours) => hours * hourMs),
  fc.integer({ min: 1, max: 9 }).map((days) => days * dayMs),
  fc.integer({ min: 27, max: 200 }).map((days) => days * dayMs),
  fc.constant(365 * dayMs),
)
