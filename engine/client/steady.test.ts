// The steady clock: sleep counts once, whichever clock stopped; setting the wall clock does not.
import { expect, test } from 'vitest'
import { createSteady } from './steady.ts'

const machine = () => {
  const clocks = { monotonic: 1_000, wall: 5_000_000, uptime: 90_000 }
  const steady = createSteady({
    monotonicMs: () => clocks.monotonic,
    wallMs: () => clocks.wall,
    uptimeMs: () => clocks.uptime,
  })
  const pass = (ms: number) => {
    for (const name of ['monotonic', 'wall', 'uptime'] as const) clocks[name] += ms
  }
  return { clocks, steady, pass }
}

const hourMs = 3_600_000

test('an hour of sleep that the monotonic clock missed is counted, and once', () => {
  const { clocks, steady, pass } = machine()
  clocks.wall += hourMs
  clocks.uptime += hourMs
  expect(steady()).toBe(1_000 + hourMs)
  pass(10)
  expect(steady()).toBe(1_010 + hourMs)
})

test('one that it counted itself is not counted twice', () => {
  const { steady, pass } = machine()
  pass(hourMs)
  expect(steady()).toBe(1_000 + hourMs)
})

test.for([hourMs, -hourMs])('a clock that is set by %i ms changes nothing', (ms) => {
  const { clocks, steady, pass } = machine()
  clocks.wall += ms
  expect(steady()).toBe(1_000)
  pass(5)
  expect(steady()).toBe(1_005)
})

test('a clock that is set back by the time slept hides the sleep only until the next leap', () => {
  const { clocks, steady } = machine()
  clocks.uptime += hourMs
  expect(steady()).toBe(1_000)
  clocks.wall += hourMs
  expect(steady()).toBe(1_000 + hourMs)
})
