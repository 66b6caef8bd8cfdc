// Fifty runs of the whole suite on the reference while all cores are busy, and some in real time:
// each check ends in every run as it did in the first.
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { forked } from '../forked.ts'
import type { Key, Round } from '../rounds/round-process.ts'
import { holdRounds, type Past, wholeRound } from '../rounds/run-rounds.ts'

const minuteMs = 60_000

const busy = new URL('../rounds/busy.ts', import.meta.url)

/** As many busy processes as the machine has cores, while something is done. */
const whileLoaded = async <Done>(act: () => Promise<Done>): Promise<Done> => {
  const children = Array.from({ length: availableParallelism() }, () => forked(busy))
  try {
    return await act()
  } finally {
    for (const { kill } of children) kill()
  }
}

/** Half of them have one seed, and each of the others its own. */
const seedOf = (at: number): number => (at < 25 ? 7 : at)

const printGrowth = (past: readonly Past[]): void => {
  const seconds = past.map(({ ms }) => (ms / 1_000).toFixed(1))
  console.log(`${past.length} runs, all cores busy: ${seconds.join(' ')} s`)
}

const hold = async (runs: number, round: (at: number) => Round) => {
  const next = (at: number) => (at < runs ? round(at) : undefined)
  const rounds = await whileLoaded(() => holdRounds(next, () => {}, 30_000))
  printGrowth(rounds.past)
  expect(rounds.differing).toEqual([])
  expect(rounds.past.filter(({ verdict }) => verdict !== 'conformant')).toEqual([])
  return rounds
}

test('with the test clock, fifty times', { timeout: 30 * minuteMs }, async () => {
  const { past, outcomes } = await hold(50, (at) => wholeRound(seedOf(at)))
  expect(past).toHaveLength(50)
  expect(outcomes.length).toBeGreaterThan(300)
})

const enterprise: Key = {
  plan: 'enterprise',
  key: 'petvet-loaded-key',
  perMinute: 5_000,
  perDay: 100_000,
}

test('in real time, the contract ten times', { timeout: 30 * minuteMs }, async () => {
  const selected = ['list-*', 'create-*', 'get-*', 'auth-*', 'walk-*', 'address-*', 'method-*']
  // These are judged over the responses to the others.
  const only = [...selected, 'error-*', 'errors-*', 'header-*']
  const own = { clock: false, keys: [enterprise], only }
  await hold(10, (at) => ({ ...wholeRound(seedOf(at * 5)), ...own }))
})

test('in real time, a quota three times', { timeout: 30 * minuteMs }, async () => {
  const keys: readonly Key[] = [{ plan: 'free', key: 'petvet-loaded-key' }]
  const only = ['quota-*', 'refusal-*', 'retry-*', 'limit-*', 'remaining-*', 'reset-*']
  const own = { clock: false, keys, only }
  await hold(3, (at) => ({ ...wholeRound(at), ...own }))
})
