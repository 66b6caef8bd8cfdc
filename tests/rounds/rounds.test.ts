// A sample of the soak: some rounds in one process, and that what grows or stays open is found.
import { expect, test } from 'vitest'
import { isProof } from '../sample.ts'
import { faultsOf, soakBounds } from './growth-per-round.ts'
import { holdRounds, wholeRound } from './run-rounds.ts'

const mib = 2 ** 20

test.runIf(isProof)(
  'rounds in one process end alike, and leave nothing behind',
  async () => {
    // The invariant about all lists needs more time than so few of them take.
    const only = ['list-limit-*', 'list-status-*', 'list-animal-*', 'list-body-*', 'ban-*']
    const next = (at: number) =>
      at < 6 ? { ...wholeRound(at), only, leaves: at === 2 } : undefined
    const rounds = await holdRounds(next, () => {}, 10_000)
    expect(rounds.past.map(({ verdict }) => verdict)).toEqual(Array(6).fill('conformant'))
    expect(rounds.outcomes.length).toBeGreaterThan(30)
    // The compiler is still at work in so few rounds.
    expect(faultsOf(rounds, { ...soakBounds, from: 1, heapBytes: 8 * mib })).toEqual([])
  },
  120_000,
)

const held = {
  heapBytes: 30 * mib,
  externalBytes: 11 * mib,
  residentBytes: 200 * mib,
  files: 24,
  resources: ['PipeWrap'],
}

test.each([
  ['what comes and goes', (at: number) => ({ heapBytes: held.heapBytes + (at % 7) * mib }), []],
  [
    '4 KiB a round',
    (at: number) => ({ heapBytes: held.heapBytes + at * 4_096 }),
    ['heapBytes grew'],
  ],
  ['a file left once', (at: number) => (at === 700 ? { files: 25 } : {}), ['24 open files']],
  [
    'a socket left once',
    (at: number) => (at === 700 ? { resources: ['TCPSocketWrap'] } : {}),
    ['kept open: TCPSocketWrap'],
  ],
])('over an hour, %s', (_name, differing, says) => {
  const past = Array.from({ length: 1_500 }, (_, at) => {
    return { verdict: 'conformant', ms: 1, held: { ...held, ...differing(at) } }
  })
  const rounds = { past, outcomes: ['a pass'], differing: [], code: 0 }
  expect(faultsOf(rounds, soakBounds)).toEqual(says.map((each) => expect.stringContaining(each)))
})
