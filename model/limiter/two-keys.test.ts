// Two keys that share one count are found by their numbers; two counts, of which another client
// uses one, are not.
import { expect, test } from 'vitest'
import { call, foundIn } from '../../tests/limiter-calls.ts'

/** Calls a second apart, by the number of the key and what remained. */
const rowOf = (fromMs: number, ...said: readonly (readonly [key: 1 | 2, remaining: number])[]) =>
  said.map(([key, remaining], at) => ({
    ...call(fromMs + 1_000 * at, { remaining, resetMs: fromMs + 60_000 }),
    key: `free-${key}`,
  }))

/** Three calls of one key, one of the other, two and one. */
const unequal = (fromMs: number, first = 59) =>
  rowOf(fromMs, ...([1, 1, 1, 2, 1, 1, 2] as const).map((key, at) => [key, first - at] as const))

const minutes = 180_000

test.for([
  ['one falling sequence, twice', [...unequal(0), ...unequal(minutes)], false, 'violation'],
  ['one falling sequence, once', unequal(0), false, 'doubt'],
  [
    'one falling sequence, where others use the keys',
    [...unequal(0), ...unequal(minutes)],
    true,
    'doubt',
  ],
  [
    'two counts',
    [0, minutes].flatMap((ms) => rowOf(ms, [1, 59], [2, 59], [1, 58], [1, 57], [2, 58])),
    false,
    undefined,
  ],
  [
    'two counts, one of which another client uses in turn',
    [0, minutes].flatMap((ms) => rowOf(ms, [1, 59], [2, 58], [1, 57], [2, 57], [1, 55], [2, 56])),
    false,
    undefined,
  ],
] as const)('%s', ([, calls, shared, found]) => {
  expect(foundIn('count-per-key', calls, shared)).toBe(found)
})
