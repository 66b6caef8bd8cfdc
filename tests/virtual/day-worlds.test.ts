// In virtual time: whatever legal day a server has, whenever a run spends it, and whoever else
// calls, nothing is failed.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { told } from '../vet-reference.ts'
import { type Course, vetDay } from './days.ts'
import type { Foreign } from './foreign.ts'
import { legalVariant } from './target.ts'
import { anyDesign } from './worlds.ts'

/** `npm run prove` asks for hundreds; the seed of a sample is told when it fails. */
const numRuns = Math.ceil(Number(process.env.PETVET_RUNS ?? 60) / 6)
const seed = Number(process.env.PETVET_SEED ?? 20_261_121)

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const anyForeign: fc.Arbitrary<Foreign> = fc.record({
  pauseMs: fc.constantFrom(500, 20_000, minuteMs, 10 * minuteMs, hourMs, 12 * hourMs),
  even: fc.boolean(),
  crowd: fc.constantFrom(1, 1, 2, 15, 40),
  obeys: fc.boolean(),
  seed: fc.nat(),
})

const anyCourse: fc.Arbitrary<Course> = fc.record({
  startMs: fc
    .oneof(fc.integer({ min: 86_000_000, max: 86_399_999 }), fc.nat({ max: 86_399_999 }))
    .map((ofDayMs) => Date.UTC(2026, 10, 20) + ofDayMs),
  skewMs: fc.constantFrom(0, 0, -90_000, 90_000),
  foreign: fc.option(anyForeign),
  callsBefore: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 220 })),
  pauseMs: fc.constantFrom(0, minuteMs, 10 * minuteMs, hourMs, 12 * hourMs, 24 * hourMs),
})

test('a legal day is never failed', { timeout: 20_000 + numRuns * 5_000 }, async () => {
  const holds = fc.asyncProperty(anyDesign, anyCourse, async (design, course) => {
    const { run } = await vetDay(legalVariant(design), course)
    expect(told(run, 'fail', 'warn', 'error')).toEqual([])
  })
  await fc.assert(holds, { numRuns, seed })
})
