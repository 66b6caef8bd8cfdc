// A target whose pets have members of other types violates requirements, and crashes no check.
import { expect, test } from 'vitest'
import type { Variant } from '../reference/compose.ts'
import { everyResponse } from '../reference/seams/responses.ts'
import { outcomesOf, vetReference } from '../tests/vet-reference.ts'

/** An object that cannot be converted to a string. */
const noText = '{"toString":1,"valueOf":1}'

const oddPets: Variant = everyResponse((response) => ({
  ...response,
  body: response.body.replace(/"name":"[^"]*"/g, '"name":5').replace(/"sold"/g, noText),
}))

test('no check ends in an error', async () => {
  const { run } = await vetReference({ variant: oddPets }, { allow: ['write'] })
  expect(outcomesOf(run, 'error')).toEqual([])
  const outcomeOf = (id: string) => run.checks.find((each) => each.id === id)?.outcome
  expect(outcomeOf('create-name-extreme-kept')).toBe('fail')
  expect(outcomeOf('create-name-trailing-space-kept')).toBe('warn')
  expect(outcomeOf('list-status-sold-only')).toBe('fail')
})
