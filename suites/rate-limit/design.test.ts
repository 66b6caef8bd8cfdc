// Whether responses of a status count; the designs are told apart in tests/limiter-models.test.ts.
import { describe, expect, test } from 'vitest'
import { type FakeSaid, said } from '../../tests/fake-round.ts'
import { countsOf } from './design.ts'

/** Lists that count, and fetches of unknown ids after them, so far apart. */
const row = (falls: readonly number[], apartMs: number, more: Partial<FakeSaid> = {}) => {
  let remaining = 50
  return falls.map((fall, place) => {
    remaining -= fall
    const status = place % 2 === 0 ? 200 : 404
    return said({ atMs: place * apartMs, seq: place + 1, remaining, status, ...more })
  })
}

describe('responses of a status', () => {
  test.each([
    ['count where Remaining falls by them', row([1, 1, 1, 1, 1, 1], 5), 'counted'],
    ['do not count where it stays', row([1, 0, 1, 0, 1, 0, 1], 5), 'not counted'],
    [
      'are inconclusive where as much may have come back',
      row([1, 0, 1, 0, 1, 0, 1], 900),
      'inconclusive',
    ],
    [
      'are inconclusive where lists do not make it fall either',
      row([1, 0, 0, 0, 0, 0, 0], 5),
      'inconclusive',
    ],
    ['are inconclusive where too few were seen', row([1, 1], 5), 'inconclusive'],
    [
      'are inconclusive beside calls of another key',
      row([1, 0, 1, 0, 1, 0, 1], 5).map((one, at) => (at % 2 ? { ...one, key: 'pro-1' } : one)),
      'inconclusive',
    ],
    [
      'count also where Reset moves with each call',
      row([1, 1, 1, 1, 1, 1], 5).map((one, at) => ({ ...one, ...said({ ...at50(at) }) })),
      'counted',
    ],
  ])('%s', (_name, responses, expected) => {
    expect(countsOf(responses, 404)).toBe(expected)
  })
})

function at50(place: number): FakeSaid {
  const status = place % 2 === 0 ? 200 : 404
  return { atMs: 5 * place, seq: place + 1, remaining: 50 - place, resetS: 60 + place, status }
}
