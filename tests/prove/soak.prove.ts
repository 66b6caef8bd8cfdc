// An hour of runs in one process, each on a fresh reference in it, while all cores are busy:
// nothing grows, nothing stays open, and each check ends as it did in the first run.
// PETVET_SOAK_MS makes it shorter.
import { availableParallelism } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { forked } from '../forked.ts'
import { faultsOf, figuresOf, inMib, soakBounds } from '../rounds/growth-per-round.ts'
import { holdRounds, type Past } from '../rounds/run-rounds.ts'

const busy = new URL('../rounds/busy.ts', import.meta.url)

const minuteMs = 60_000
const soakMs = Number(process.env.PETVET_SOAK_MS ?? 60 * minuteMs)
/** A run each so often is left early by its caller. */
const leavesEach = 10
const endMs = 30_000
const printsEach = 100

test('the suites, again and again', { timeout: soakMs + 10 * minuteMs }, async () => {
  const load = Array.from({ length: availableParallelism() }, () => forked(busy))
  onTestFinished(() => {
    for (const { kill } of load) kill()
  })
  const untilMs = performance.now() + soakMs
  const next = (at: number) =>
    performance.now() < untilMs
      ? { seed: at, leaves: at % leavesEach === leavesEach - 1 }
      : undefined
  const printRound = ({ held, ms }: Past, at: number) => {
    if (at % printsEach !== 0) return
    const memory = [held.heapBytes, held.residentBytes].map(inMib).join(', ')
    console.log(`round ${at}: ${Math.round(ms)} ms; heap and resident MiB: ${memory}`)
  }
  const rounds = await holdRounds(next, printRound, endMs)
  console.log(`${rounds.past.length} rounds`, figuresOf(rounds, soakBounds).join('\n'))
  expect(rounds.past.length, 'too few rounds to tell').toBeGreaterThan(soakBounds.from + 40)
  expect(faultsOf(rounds, soakBounds)).toEqual([])
  expect(rounds.past.filter(({ verdict }) => verdict !== 'conformant')).toEqual([])
})
