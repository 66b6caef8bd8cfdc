// Creations that carry several claims, of which one fails, or several fail together.
import { describe, expect, test } from 'vitest'
import { isViolation } from '../engine/check/outcome.ts'
import { runAt } from '../proof/conditions.ts'
import { mutants } from '../reference/mutants.ts'
import type { Variant } from '../reference/variant.ts'
import { refusing, storing } from '../reference/wrappers/pet-store.ts'
import { catalogue } from '../suites/index.ts'
import { packed } from '../suites/pets/claims.ts'

const carriers = [
  'create-category-unknown',
  'create-name-ordinary-kept',
  'create-values-echoed',
  'create-category-exact',
  'create-status-available-kept',
  'create-status-pending-kept',
  'create-status-sold-kept',
  'create-status-omitted-201',
  'create-charset-utf8-201',
  'create-media-type-case-201',
  'create-body-in-two-parts-201',
  'create-claims-together-201',
]
const checks = catalogue.filter(({ id }) => carriers.includes(id))

const failedAt = async (variant: Variant) => {
  const { checks: results, requests } = await runAt(variant, 'oneKey', 7, {}, checks)
  const failed = results.filter(({ outcome }) => isViolation(outcome))
  return { failed, ids: failed.map(({ id }) => id), requests }
}

const mutant = (id: string): Variant => mutants.find((each) => each.id === id) ?? {}

test('where one claim fails, the shown creation carries that claim and nothing else', async () => {
  const { failed } = await failedAt(mutant('media-type-charset-refused'))
  const sent = failed[0]?.evidence.at(-1)?.request
  expect(sent?.headers).toContainEqual(['Content-Type', 'application/json; charset=utf-8'])
  expect(sent?.body).toMatch(/"name":"petvet-/)
})

describe('claims that fail only together', () => {
  const carried = packed.find((all) => all.some(({ status }) => status === 'pending')) ?? []
  const [{ name = '' } = {}] = carried
  const isBoth = (pet: { name: string; status?: string | undefined }) =>
    pet.name === name && pet.status === 'pending'
  const both = refusing((pet) => !isBoth(pet), 'The name is not valid.')

  test('the smallest set is named, once', async () => {
    const { failed } = await failedAt(both)
    expect(failed.map(({ id }) => id)).toEqual(['create-claims-together-201'])
    expect(failed[0]?.expected).toContain(
      `the name ${name}, status pending, each of which passes alone`,
    )
  })

  test('also where a value is stored otherwise', async () => {
    const changed = storing((pet) => (isBoth(pet) ? { ...pet, name: '2024' } : pet))
    const { ids } = await failedAt(changed)
    expect(ids).toContain('create-claims-together-201')
    expect(ids).not.toContain('create-name-ordinary-kept')
  })
})
