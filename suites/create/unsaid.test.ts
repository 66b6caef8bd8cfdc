// How what was found is told, so that two runs can be compared.
import { expect, test } from 'vitest'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import type { Context } from '../kit/context.ts'
import { unknownCategory } from './unsaid.ts'

/** What is told, and whether any category may be used, where three are answered so. */
const observed = async (statuses: readonly number[]) => {
  const left = [...statuses]
  let free: boolean | undefined
  const context = {
    seed: 7,
    names: { fresh: () => 'petvet-1' },
    categories: {
      decide: (found: boolean) => {
        free = found
      },
    },
    call: async () => fakeExchange('/pets', { status: left.shift() ?? 0, body: '' }),
  } as unknown as Context
  const told = await unknownCategory.run(context)
  return { told, free }
}

test.for([
  [[201, 201, 201], '201', true],
  [[400, 400, 400], '400', false],
  [[201, 201, 400], '201, 201, 400 (beyond 2^53)', false],
  [[201, 400, 422], '201, 400 (beyond 2^32), 422 (beyond 2^53)', false],
  [[400, 201, 201], '400 (below 2^31), 201, 201', false],
  [[201, 201, 422], '201, 201, 422 (beyond 2^53)', undefined],
] as const)('%o: %s', async ([statuses, told, free]) => {
  expect(await observed(statuses)).toEqual({ told, free })
})
