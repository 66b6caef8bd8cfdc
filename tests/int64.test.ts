// int64, digit for digit: through creation, list, fetch, the client, the run file and the report.
import { beforeAll, describe, expect, test } from 'vitest'
import { get, post } from '../engine/exchange.ts'
import { expectMember, expectPet, expectPets } from '../engine/expect.ts'
import { parseJson, printJson } from '../engine/json.ts'
import type { RunFile } from '../engine/run-file.ts'
import type { Variant } from '../reference/compose.ts'
import { check } from './plain-checks.ts'
import { outcomesOf, type Vetted, vetReference } from './vet-reference.ts'

const extremes = ['9007199254740993', '9223372036854775807', '-9223372036854775808'].map(BigInt)

const needs = { stage: 'creations', keyed: 3, anonymous: 0, allow: ['write'] } as const

/** Creates, lists and fetches a pet of one category. */
const creationChecks = extremes.map((categoryId) =>
  check(`int64-${categoryId}`, 'new-pet.category.exact', needs, async ({ call, newPet }) => {
    const created = expectPet(await call(post('/pets', printJson(newPet({ categoryId })))))
    const listed = expectPets(await call(get('/pets?limit=100'))).find(
      ({ id }) => id === created.id,
    )
    const fetched = expectPet(await call(get(`/pets/${created.id}`)))
    for (const pet of [created, listed ?? {}, fetched]) expectMember(pet, 'categoryId', categoryId)
  }),
)

describe('integers that no double can hold', () => {
  let vetted: Vetted
  beforeAll(async () => {
    vetted = await vetReference({}, {}, creationChecks)
  })

  test('are returned as they were sent, by every operation', () => {
    expect(outcomesOf(vetted.run, 'fail', 'warn', 'error', 'untested')).toEqual([])
  })

  test.each(extremes.map(String))('%s is in the recorded responses of all three', (extreme) => {
    const bodies = vetted.lines
      .map((line) => JSON.parse(line))
      .filter(({ check: id }) => id === `int64-${extreme}`)
      .map(({ response }) => response.body)
    expect(bodies).toHaveLength(3)
    for (const body of bodies) expect(body).toContain(`"categoryId":${extreme}`)
  })
})

test('a fault shows both numbers to the last digit, in the run file too', async () => {
  const variant: Variant = {
    parts: ({ printPet }) => ({
      printPet: (pet) =>
        printPet(pet).replace(/(?<="categoryId":)-?\d+/, (digits) => `${BigInt(Number(digits))}`),
    }),
  }
  const { run } = await vetReference({ variant }, {}, creationChecks.slice(0, 1))
  const written = JSON.parse(JSON.stringify(run)) as RunFile
  const [found] = written.checks.filter(({ outcome }) => outcome === 'fail')
  expect(found?.detail).toContain('9007199254740993')
  expect(found?.detail).toContain('9007199254740992')
})

test('ids beyond 2^53 are requested as they were given', async () => {
  const { lines } = await vetReference({}, {}, creationChecks.slice(0, 1))
  const [created, , fetched] = lines.slice(1).map((line) => JSON.parse(line))
  const { id } = parseJson(created.response.body) as { id: bigint }
  expect(id > 2n ** 53n).toBe(true)
  expect(fetched.request.url).toMatch(new RegExp(`/pets/${id}$`))
})
