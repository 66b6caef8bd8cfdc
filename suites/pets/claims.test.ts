// How claims are packed into creations: all of them, in few.
import { expect, test } from 'vitest'
import { type Claim, claims, findPlace, packed, sharedBy } from './claims.ts'
import { statuses } from './compare-pets.ts'

const all: readonly Claim[] = Object.values(claims).flat()

test('a dozen creations carry all claims', () => {
  expect(packed.flat()).toHaveLength(all.length)
  expect(new Set(packed.flat())).toEqual(new Set(all))
  expect(packed.length).toBeLessThanOrEqual(12)
})

test('the plan counts each creation once', () => {
  const ofStatuses = claims.statuses.slice(0, statuses.length)
  expect(sharedBy(ofStatuses)).toEqual(ofStatuses.map((claim) => `creation ${findPlace(claim)}`))
  expect(sharedBy(all)).toHaveLength(packed.length)
})
