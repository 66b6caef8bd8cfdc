// In virtual time: whatever a run may send at most, it sends no more, and fails nothing for it.
import { expect, test } from 'vitest'
import { decideExitCode } from '../../engine/check/verdict.ts'
import { chances } from '../../proof/virtual.ts'
import { catalogue } from '../../suites/index.ts'
import { keyOf, outcomesOf, twoFree } from '../vet-reference.ts'
import { vetVariant, withoutClock } from './vet.ts'

/** `npm run prove` takes more. */
const runs = Math.min(300, Number(process.env.PETVET_RUNS ?? 3))

const one = [keyOf('free', 'one')]
const three = [...twoFree, keyOf('pro', 'three')]

/** From the first requests to nearly all that a run on one key sends. */
const maxGranted = (chance: () => number): number => Math.ceil(600 * chance() ** 2)

const keysFor = (seed: number) => (seed % 2 === 0 ? one : three)

const cases = (salt: number) => {
  const chance = chances(salt)
  return Array.from({ length: runs }, (_, at) => [maxGranted(chance), at, chance() < 0.5] as const)
}

test.each([[1, 3, true] as const, ...cases(3)])(
  'at the reference at most %i, seed %i',
  async (most, seed, hasClock) => {
    const where = { ...withoutClock, hasClock, maxRequests: most, seed }
    const { run, passed } = await vetVariant({}, keysFor(seed), where, catalogue)
    expect(passed.length).toBeLessThanOrEqual(most)
    expect(run.requests).toBe(passed.length)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(decideExitCode(run)).toBe(4)
    const spent = run.checks.filter(({ because }) => because === 'budget')
    expect(spent.length).toBeGreaterThan(0)
    expect(run.notes.join()).toContain(`--max-requests ${most}`)
  },
)
