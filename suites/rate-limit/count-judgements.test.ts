// Whether a row of calls shares one count, with every design that gives calls back.
import { expect, test } from 'vitest'
import { type FakeSaid, said } from '../../tests/fake-round.ts'
import { judgeCount } from './count-judgements.ts'

const row = (numbers: readonly number[], more: Partial<FakeSaid> = {}) =>
  numbers.map((remaining, at) => said({ atMs: 30_000 + 5 * at, remaining, ...more }))

const earlier = [50, 49].map((remaining) => said({ atMs: -29_990, remaining }))
const newest = { resetS: 90 }

/** Another count in between, whose bucket is full sooner. */
const ofBuckets = [31, 59, 59, 59, 58, 30].map((remaining, at) =>
  said({ atMs: 30_000 + 5 * at, remaining, resetS: 120 - remaining }),
)

const together = (numbers: readonly number[]) =>
  row(numbers).map((one) => ({ ...one, receivedMs: 30_040 }))

test.for([
  ['two counts take turns', row([40, 59, 39, 58, 38, 57]), [], 'violation'],
  ['another bucket in between', ofBuckets, [], 'violation'],
  ['a log that may have let earlier calls go', row([40, 39, 40, 39], newest), earlier, 'unclear'],
  ['the same, and none came back', row([40, 39, 38, 37], newest), earlier, 'holds'],
  ['a log whose oldest call has not left yet', row([40, 40, 40, 39]), earlier, 'violation'],
  ['a bucket that was filled by a tick', row([23, 22, 21, 20, 19, 24]), [], 'unclear'],
  ['more than a tick', row([23, 22, 21, 20, 19, 34]), [], 'violation'],
  ['a full bucket, and a lower one', row([57, 59, 59, 59, 58, 56]), [], 'violation'],
  ['a tick among calls side by side', together([23, 21, 22, 24, 23, 20, 22]), [], 'unclear'],
  ['two counts side by side', together([23, 21, 59, 58, 22, 57, 20]), [], 'violation'],
  [
    'the end of a window',
    [...row([2, 1, 0], { resetS: 30 }), ...row([59, 58], newest)],
    [],
    'unclear',
  ],
  ['another window', [...row([2, 1]), ...row([900], { limit: 1_000 })], [], 'unclear'],
] as const)('a row of one count: %s', ([, responses, before, kind]) => {
  expect(judgeCount(responses, before).kind).toBe(kind)
})

test('a violation shows the numbers', () => {
  const found = judgeCount(row([40, 59, 39, 58, 38, 57]), [])
  expect(found).toMatchObject({ actual: 'Remaining went 40, 59, 39, 58, 38, 57' })
})
