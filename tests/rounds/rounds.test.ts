// A sample of the soak: some rounds in one process, and that what leaks is found.
import { expect, test } from 'vitest'
import { isProof } from '../sample.ts'
import { type Bounds, faultsOf, soakBounds } from './growth.ts'
import type { PlannedExperiment } from './held.ts'
import type { Round } from './process.ts'
import { holdRounds, type Past, type Rounds, wholeRound } from './rounds.ts'

const mib = 2 ** 20

/** The compiler is still at work in so few rounds; what is planted is more than that. */
const bounds: Bounds = {
  from: 1,
  heapBytes: 8 * mib,
  externalBytes: mib,
  residentBytes: 128 * mib,
}

const few =
  (rounds: number, differing: Partial<Round>) =>
  (at: number): Round | undefined =>
    at < rounds
      ? {
          ...wholeRound(at),
          // The invariant about all lists needs more time than so few of them take.
          only: ['list-limit-*', 'list-status-*', 'list-animal-*', 'list-body-*', 'ban-*'],
          leaves: at === 2,
          ...differing,
        }
      : undefined

test.runIf(isProof)(
  'rounds in one process end alike, and leave nothing behind',
  async () => {
    const rounds = await holdRounds(few(6, {}), () => {}, 10_000)
    expect(rounds.past.map(({ verdict }) => verdict)).toEqual(Array(6).fill('conformant'))
    expect(rounds.outcomes.length).toBeGreaterThan(30)
    expect(faultsOf(rounds, bounds)).toEqual([])
  },
  120_000,
)

test('a leak of memory and a timer that is left are found', async () => {
  const next = few(5, { only: ['list-sound-200'], leaks: true })
  const rounds = await holdRounds(next, () => {}, 1_000)
  const faults = faultsOf(rounds, bounds)
  expect(faults).toEqual([
    expect.stringContaining("the vetter's heapBytes grew"),
    expect.stringMatching(/^the vetter kept open: (PipeWrap )+Timeout/),
    'the vetter did not end by itself: null',
  ])
}, 120_000)

const held: PlannedExperiment = {
  heapBytes: 30 * mib,
  externalBytes: 11 * mib,
  residentBytes: 200 * mib,
  files: 24,
  resources: ['PipeWrap'],
}

/** An hour's rounds, with what the vetting process held after each of them. */
const hour = (heldAt: (at: number) => Partial<PlannedExperiment>): Rounds => ({
  past: Array.from({ length: 1_500 }, (_, at): Past => {
    const round = few(1_500, {})(at) as Round
    const vetter = { ...held, ...heldAt(at) }
    return { round, verdict: 'conformant', requests: 1, ms: 1, vetter, server: held }
  }),
  outcomes: ['a pass'],
  differing: [],
  codes: { vetter: 0, server: 0 },
})

test('over an hour 4 KiB a round are a leak, and what comes and goes is none', () => {
  const wave = (at: number) => ({ heapBytes: held.heapBytes + (at % 7) * mib })
  expect(faultsOf(hour(wave), soakBounds)).toEqual([])
  const leaking = (at: number) => ({ heapBytes: held.heapBytes + (at % 7) * mib + at * 4_096 })
  expect(faultsOf(hour(leaking), soakBounds)).toHaveLength(1)
})

test('what grows outside of the heap is found', () => {
  const growing = (at: number) => ({ residentBytes: held.residentBytes + at * 256 * 1_024 })
  expect(faultsOf(hour(growing), soakBounds)).toEqual([
    expect.stringContaining("the vetter's residentBytes grew"),
  ])
})

test.each([
  ['a file', { files: 25 }, 'the vetter had 24 open files, and then 25'],
  ['a socket', { resources: ['PipeWrap', 'TCPSocketWrap'] }, 'kept open: PipeWrap TCPSocketWrap'],
])('%s that is left once is found', (_name, left, says) => {
  const faults = faultsOf(
    hour((at) => (at === 700 ? left : {})),
    soakBounds,
  )
  expect(faults).toEqual([expect.stringContaining(says)])
})

test('a check that ends otherwise once is reported', () => {
  const rounds = { ...hour(() => ({})), differing: ['round 3: a fail'] }
  expect(faultsOf(rounds, soakBounds)).toEqual(['round 3: a fail'])
})
