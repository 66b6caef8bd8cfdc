// A target whose pets have members of other types violates requirements, and crashes no check.
import { expect, test } from 'vitest'
import type { Variant } from '../reference/compose.ts'
import { everyResponse } from '../reference/seams/responses.ts'
import { plans } from '../spec/plans.ts'
import { outcomesOf } from '../tests/vet-reference.ts'
import { surroundings } from '../tests/virtual/surroundings.ts'
import { type Surrounding, vetVariant } from '../tests/virtual/vet.ts'
import { catalogue } from './index.ts'

/** An object that cannot be converted to a string. */
const noText = '{"toString":1,"valueOf":1}'

const oddPets: Variant = everyResponse((response) => ({
  ...response,
  body: response.body.replace(/"name":"[^"]*"/g, '"name":5').replace(/"sold"/g, noText),
}))

test('no check ends in an error', async () => {
  const keys = [{ plan: 'free', key: 'virtual-one', quota: plans.free }] as const
  const where = surroundings['our clock 90 s ahead'] as Surrounding
  const { run } = await vetVariant(oddPets, keys, { ...where, allow: ['write'] }, catalogue)
  expect(outcomesOf(run, 'error')).toEqual([])
  const outcomeOf = (id: string) => run.checks.find((each) => each.id === id)?.outcome
  expect(outcomeOf('create-name-extreme-kept')).toBe('fail')
  expect(outcomeOf('create-name-trailing-space-kept')).toBe('warn')
  expect(outcomeOf('list-status-sold-only')).toBe('fail')
})
