// What counts as the same pet.
import { describe, expect, test } from 'vitest'
import { findDifference } from '../../model/compare-pets.ts'
import type { Context } from './context.ts'
import { noPet } from './requests.ts'

const pet = { id: 1n, name: 'Rex', categoryId: 2n ** 53n + 1n, status: 'sold' }
const { status: _, ...petWithoutStatus } = pet

test.for([
  ['as it was', pet, pet],
  ['with a status that was not sent', petWithoutStatus, pet],
  ['with a member the interface does not name', pet, { ...pet, colour: 'red' }],
  ['with the ends of its name cut off', { ...pet, name: ' Rex ' }, pet],
  ['with an object for a name', { ...pet, name: { a: 1n } }, { ...pet, name: { a: 1n } }],
  ['with any form of a lone surrogate', { ...pet, name: 'a\ud800' }, pet],
] as const)('a pet is the same %s', ([, before, after]) => {
  expect(findDifference(before, after)).toBeUndefined()
})

test('of names that differ both are shown', () => {
  const found = findDifference({ name: 'Rex' }, { name: 'rex' })
  expect(`${found?.actual}; ${found?.expected}`).toBe('name "rex"; name "Rex"')
})

describe('without a known pet, it names what is missing', () => {
  const known = [7n]
  test.for([
    ['permission', [], true, []],
    ['permission', [], false, known],
    ['category', ['write'], false, []],
    ['blocked', ['write'], false, known],
    ['blocked', ['write'], true, []],
  ] as const)('%s: %o, categories free: %s, known: %o', ([because, allow, free, categories]) => {
    const context = {
      ...{ allow, knownPets: {}, categories: { free, known: categories } },
    } as unknown as Context
    expect(noPet(context, 'is known')).toMatchObject({ because })
    expect(noPet(context, 'is known').message).toMatch(/^no pet is known/)
  })
})
