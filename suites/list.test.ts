// The checks of lists without a pet: a refusal is a violation, and an empty list is no pass.
import { describe, expect, test } from 'vitest'
import type { Context } from '../engine/context.ts'
import type { ApiRequest } from '../engine/exchange.ts'
import { createKnownPets } from '../engine/pets/known-pets.ts'
import { fakeExchange } from '../tests/fake-exchange.ts'
import { list } from './list.ts'
import { listPets } from './requests.ts'

/** How a check ends if every list gets this response, and no pet is known. */
const endOf = async (id: string, status: number, body: string): Promise<unknown> => {
  const found = list.find((each) => each.id === id)
  if (found?.kind !== 'check') throw new Error(`there is no check ${id}`)
  const context = {
    knownPets: createKnownPets().knownPets,
    allow: ['write'],
    categories: { free: false, known: [] },
    seed: 1,
    settled: (judge: () => Promise<unknown>) => judge(),
    once: (_name: string, make: () => Promise<unknown>) => make(),
    call: (apiRequest: ApiRequest) => Promise.resolve(fakeExchange(apiRequest, { status, body })),
  } as unknown as Context
  return found.run(context).catch((error: unknown) => error)
}

const error = '{"code":"c","message":"m","status":400}'

describe.for([
  ['list-limit-bounds-200'],
  ['list-limit-most'],
  ['list-limit-no-fewer'],
  ['list-limit-default'],
  ['list-status-sold-only'],
  ['list-status-sold-all'],
] as const)('%s', ([id]) => {
  test('finds a refusal', async () => {
    const ending = await endOf(id, 400, error)
    expect(ending).toMatchObject({ name: 'Violation', expected: 'status 200' })
  })

  test('names what is missing for an empty list', async () => {
    const ending = await endOf(id, 200, '[]')
    expect(ending).toMatchObject({ name: 'Untested', because: 'category' })
  })
})

const pets = (count: number) =>
  Array.from({ length: count }, (_, at) => `{"id":${at + 1},"name":"a","categoryId":1}`)

/** How a check ends if the store has this many pets, and a list without a limit has 20. */
const endAmong = async (id: string, stored: number): Promise<unknown> => {
  const found = list.find((each) => each.id === id)
  if (found?.kind !== 'check') throw new Error(`there is no check ${id}`)
  const { knownPets, learn } = createKnownPets()
  const call = async (apiRequest: ApiRequest) => {
    const limit = Number(/limit=(\d+)/.exec(apiRequest.path)?.[1] ?? 20)
    const body = `[${pets(Math.min(limit, stored))}]`
    const exchange = fakeExchange(apiRequest, { status: 200, body })
    learn(exchange)
    return exchange
  }
  const settled = (judge: () => Promise<unknown>) => judge()
  const context = { knownPets, allow: [], seed: 1, settled, call } as unknown as Context
  await call(listPets({}))
  return found.run(context).catch((error: unknown) => error)
}

test.for([
  ['list-limit-default', 20],
  ['list-limit-most', 2],
] as const)('%s is tested by a list of %i pets', async ([id, min]) => {
  expect(await endAmong(id, min - 1)).toMatchObject({ name: 'Untested', because: 'permission' })
  expect(await endAmong(id, min)).toBeUndefined()
})
