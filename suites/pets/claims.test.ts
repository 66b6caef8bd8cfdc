// How claims are packed into creations: all of them, each part once, names within their length.
import { expect, test } from 'vitest'
import { type Claim, claims, findPlace, joinNames, packed, sharedBy } from './claims.ts'
import { isOrdinaryName, statuses } from './compare-pets.ts'

const all: readonly Claim[] = Object.values(claims).flat()

test('a dozen creations carry all claims', () => {
  expect(packed.flat()).toHaveLength(all.length)
  expect(new Set(packed.flat())).toEqual(new Set(all))
  expect(packed.length).toBeLessThanOrEqual(12)
})

test('names in one creation are joined to one that must be accepted', () => {
  const names = packed.flatMap((carried) => joinNames(carried) ?? [])
  expect(names.filter((name) => !isOrdinaryName(name))).toEqual([])
})

test('each part of a creation is claimed at most once', () => {
  for (const carried of packed) {
    for (const part of ['categoryId', 'status', 'mediaType', 'framing'] as const) {
      expect(carried.filter((claim) => claim[part] !== undefined).length).toBeLessThan(2)
    }
  }
})

test('the plan counts each creation once', () => {
  const ofStatuses = claims.statuses.slice(0, statuses.length)
  expect(sharedBy(ofStatuses)).toEqual(ofStatuses.map((claim) => `creation ${findPlace(claim)}`))
  expect(sharedBy(all)).toHaveLength(packed.length)
})
