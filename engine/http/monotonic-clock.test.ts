// The steady clock: sleep counts once, whichever clock stopped; setting the wall clock does not.
import { expect, test } from 'vitest'
import { createSteady } from './monotonic-clock.ts'

const hourMs = 3_600_000

type Clocks = Record<'monotonic' | 'wall' | 'uptime', number>

const all = (ms: number): Clocks => ({ monotonic: ms, wall: ms, uptime: ms })

test.for<[string, Partial<Clocks>[], number[]]>([
  [
    'an hour of sleep that the monotonic clock missed is counted, and once',
    [{ wall: hourMs, uptime: hourMs }, all(10)],
    [hourMs, hourMs + 10],
  ],
  ['one that it counted itself is not counted twice', [all(hourMs)], [hourMs]],
  ['a clock that is set ahead changes nothing', [{ wall: hourMs }, all(5)], [0, 5]],
  ['a clock that is set back changes nothing', [{ wall: -hourMs }, all(5)], [0, 5]],
  [
    'a clock that is set back by the time slept hides the sleep only until the next leap',
    [{ uptime: hourMs }, { wall: hourMs }],
    [0, hourMs],
  ],
])('%s', ([, passes, passedMs]) => {
  const clocks = { monotonic: 1_000, wall: 5_000_000, uptime: 90_000 }
  const steady = createSteady({
    monotonicMs: () => clocks.monotonic,
    wallMs: () => clocks.wall,
    uptimeMs: () => clocks.uptime,
  })
  const shown = passes.map(({ monotonic = 0, wall = 0, uptime = 0 }) => {
    clocks.monotonic += monotonic
    clocks.wall += wall
    clocks.uptime += uptime
    return steady() - 1_000
  })
  expect(shown).toEqual(passedMs)
})
