// What a round shows, and what it does not: each violation next to its legal explanations.
import { expect, test } from 'vitest'
import { down, fakeRound, said } from '../../tests/fake-round.ts'
import { isOverLimit, judgeFewer, judgeMore, type Round } from './round.ts'

const refused = (count: number) => Array<null>(count).fill(null)
const honest = fakeRound([59, 58], [...down(57, 0), null])
const oneMore = fakeRound([59, 58], [...down(57, 0), 0])

const ofDay = (burst: (number | null)[]) =>
  fakeRound([999, 998], burst, { limit: 1_000, resetS: 9_000 })

const double = down(27, 0).map((half) => 2 * half)

test.for<[name: string, round: Round, kind: string, actual?: string]>([
  [
    'a refusal while two or more were announced',
    fakeRound([59, 58], [...down(57, 5), ...refused(6)]),
    'violation',
    '53 served, then 429',
  ],
  ['a refusal while one was', fakeRound([59, 58], [...down(57, 1), ...refused(2)]), 'weak'],
  [
    'Remaining skips numbers',
    fakeRound([59, 58], [...down(57, 30), ...down(27, 0), ...refused(3)]),
    'unclear',
  ],
  ['each call counted twice', fakeRound([58, 56], [...double, ...refused(29)]), 'violation'],
  ['one before the first probe', fakeRound([58, 57], [...down(56, 0), null]), 'weak'],
  ['one got no response', { ...fakeRound([59, 58], [...down(57, 1), null]), lost: 1 }, 'unclear'],
  [
    'a rested key failed',
    { ...honest, probes: [said({ atMs: 1_000, remaining: 59, status: 503 })], burst: [] },
    'unclear',
  ],
  [
    'a rested key is refused at once',
    { ...honest, probes: honest.burst.slice(-1), burst: [] },
    'weak',
    '0 served, then 429',
  ],
  ['headers of the day', ofDay([...down(997, 940), null]), 'holds'],
])('fewer: %s', ([, round, kind, actual]) => {
  expect(judgeFewer(round)).toMatchObject(actual === undefined ? { kind } : { kind, actual })
})

test('fewer: what failed in the burst may have counted', () => {
  const failed = said({ atMs: 4_700, remaining: 0, status: 500 })
  const round = fakeRound([59, 58], [...down(57, 5), null])
  const burst = [...round.burst, ...Array(5).fill(failed)]
  const kindOf = (some: Round['burst']) => judgeFewer({ ...round, burst: some }).kind
  expect(kindOf(burst)).toBe('unclear')
  expect(kindOf(burst.slice(0, -1))).toBe('weak')
  expect(kindOf(burst.filter((one) => one !== round.burst[53]))).toBe('unclear')
})

test('over the limit is a call after Remaining 0, unless a response is missing', () => {
  const busy = said({ atMs: 4_900, remaining: 0, status: 503 })
  const own = said({ atMs: 4_900, remaining: 10, status: 500 })
  const full = fakeRound([59, 58], down(57, 0))
  const short = fakeRound([59, 58], down(57, 10))
  const isOver = (round: Round, call = busy) =>
    isOverLimit({ ...round, burst: [...round.burst, call] }, call)
  expect([isOver(full), isOver(full, own), isOver(short), isOver({ ...full, lost: 1 })]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('more than was announced, and no more', () => {
  expect([judgeMore(oneMore).kind, judgeMore(honest).kind]).toEqual(['violation', 'holds'])
})
