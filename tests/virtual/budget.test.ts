// In virtual time: whatever a run may send at most, it sends no more, and fails nothing for it.
import { describe, expect, test } from 'vitest'
import { permissions } from '../../engine/context.ts'
import { furtherOf, requestsOf } from '../../engine/plan.ts'
import { exitCodeOf } from '../../engine/verdict.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { outcomesOf } from '../vet-reference.ts'
import { chances } from './chance.ts'
import { surroundings } from './surroundings.ts'
import { vetVariant } from './vet.ts'

/** `npm run prove` takes more. */
const runs = Math.min(300, Number(process.env.PETVET_RUNS ?? 3))

const one = [{ plan: 'free', key: 'virtual-one', quota: plans.free }] as const
const three = [
  ...one,
  { plan: 'free', key: 'virtual-two', quota: plans.free },
  { plan: 'pro', key: 'virtual-three', quota: plans.pro },
] as const

/** From the first requests to nearly all that a run on one key sends. */
const maxGranted = (chance: () => number): number => Math.ceil(600 * chance() ** 2)

const where = surroundings['no test clock']

const vet = (maxRequests: number, seed: number, hasClock: boolean, variant = {}) => {
  if (!where) throw new Error('no such surroundings')
  const keys = seed % 2 === 0 ? one : three
  return vetVariant(variant, keys, { ...where, hasClock, maxRequests, seed }, catalogue)
}

const cases = (salt: number) => {
  const chance = chances(salt)
  return Array.from({ length: runs }, (_, at) => [maxGranted(chance), at, chance() < 0.5] as const)
}

describe('at the reference', () => {
  test.each([[1, 3, true] as const, ...cases(3)])(
    'at most %i, seed %i',
    async (most, seed, hasClock) => {
      const { run, passed } = await vet(most, seed, hasClock)
      expect(passed.length).toBeLessThanOrEqual(most)
      expect(run.requests).toBe(passed.length)
      expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
      expect(exitCodeOf(run)).toBe(4)
      const spent = run.checks.filter(({ because }) => because === 'budget')
      expect(spent.length).toBeGreaterThan(0)
      const planOptions = {
        keys: seed % 2 === 0 ? one : three,
        allow: permissions,
        clockUrl: hasClock ? 'its own' : null,
        descriptionUrl: null,
      }
      const wanted = requestsOf(catalogue, planOptions) + furtherOf(catalogue, planOptions)
      expect(run.notes.join()).toContain(`--max-requests ${wanted}`)
    },
  )
})
