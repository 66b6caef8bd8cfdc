// The publishing model at many seeds: it follows every rule, and each seeded defect is found.
import { describe, expect, test } from 'vitest'
import { rules } from '../../domains/model/rules.ts'
import { defects } from '../../domains/tests/defects.ts'
import { firstBreach } from '../../domains/tests/events.ts'

const seeds = Array.from({ length: Number(process.env.PETVET_SEEDS ?? 20) }, (_, seed) => seed)
const runs = Number(process.env.PETVET_RUNS ?? 3_000)

test('the model follows every rule', () => {
  expect(seeds.map((seed) => firstBreach(rules, seed, runs))).toEqual(seeds.map(() => null))
})

describe('a defect is found at every seed:', () => {
  test.for(Object.entries(defects))('%s', ([, defect]) => {
    const faulty = { ...rules, ...defect }
    expect(seeds.filter((seed) => firstBreach(faulty, seed, runs) === null)).toEqual([])
  })
})
