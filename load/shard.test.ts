// The keys of one load are divided so that none is on two machines, and each keeps its name.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { planNames } from '../spec/plans.ts'
import { labelKeys } from '../suites/kit/session.ts'
import { keysOfShard, labelInWhole, readShard } from './shard.ts'

test.for([
  ['1/1', { index: 1, of: 1 }],
  ['2/3', { index: 2, of: 3 }],
  ['1000/1000', { index: 1_000, of: 1_000 }],
  ['0/3', undefined],
  ['4/3', undefined],
  ['1/1001', undefined],
  ['1', undefined],
  ['-1/2', undefined],
  ['1/2/3', undefined],
  ['1.5/2', undefined],
] as const)('%s', ([text, shard]) => {
  expect(readShard(text)).toEqual(shard)
})

const keysOf = fc
  .array(fc.constantFrom(...planNames), { minLength: 1, maxLength: 40 })
  .map((plans) =>
    plans.map((plan, at) => ({ plan, key: `key-${at}`, quota: { perMinute: 1, perDay: 1 } })),
  )

test('each key is on one machine, and is called there what leads back to its name', () => {
  fc.assert(
    fc.property(keysOf, fc.integer({ min: 1, max: 12 }), (keys, of) => {
      const nameOf = new Map(labelKeys(keys).map(({ key, label }) => [key, label]))
      const met = new Map<string, string>()
      for (let index = 1; index <= of; index += 1) {
        const shard = { index, of }
        for (const { key, label } of labelKeys(keysOfShard(keys, shard))) {
          expect(met.has(key)).toBe(false)
          met.set(key, labelInWhole(label, shard))
        }
      }
      expect(met).toEqual(nameOf)
    }),
    { seed: 4, numRuns: 200 },
  )
})

test('of each plan no machine has more than one key more than another', () => {
  fc.assert(
    fc.property(keysOf, fc.integer({ min: 1, max: 12 }), (keys, of) => {
      for (const plan of planNames) {
        const counts = Array.from({ length: of }, (_, at) => {
          const own = keysOfShard(keys, { index: at + 1, of })
          return own.filter((key) => key.plan === plan).length
        })
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      }
    }),
    { seed: 4, numRuns: 100 },
  )
})
