// Whether responses of a status count; tests/limiter-models.test.ts covers the designs.
import { expect, test } from 'vitest'
import { said } from '../../tests/fake-round.ts'
import { countByStatus } from './design.ts'

/** Lists that count, and fetches of unknown ids after them, so far apart. */
const row = (falls: readonly number[], apartMs: number, resetStepS = 0) => {
  let remaining = 50
  return falls.map((fall, place) => {
    remaining -= fall
    const status = place % 2 === 0 ? 200 : 404
    const resetS = 60 + place * resetStepS
    return said({ atMs: place * apartMs, seq: place + 1, remaining, status, resetS })
  })
}

test.each([
  ['count where Remaining falls by them', row([1, 1, 1, 1, 1, 1], 5), 'counted'],
  ['do not count where it stays', row([1, 0, 1, 0, 1, 0, 1], 5), 'not counted'],
  ['are inconclusive where as much came back', row([1, 0, 1, 0, 1, 0, 1], 900), 'inconclusive'],
  [
    'are inconclusive where lists do not make it fall either',
    row([1, 0, 0, 0, 0, 0, 0], 5),
    'inconclusive',
  ],
  ['are inconclusive where too few were seen', row([1, 1], 5), 'inconclusive'],
  [
    'are inconclusive between calls of another key',
    row([1, 0, 1, 0, 1, 0, 1], 5).map((one, at) => (at % 2 ? { ...one, key: 'pro-1' } : one)),
    'inconclusive',
  ],
  ['count also where Reset moves with each call', row([1, 1, 1, 1, 1, 1], 5, 1), 'counted'],
])('responses of a status %s', (_name, responses, expected) => {
  expect(countByStatus(responses, 404)).toBe(expected)
})
