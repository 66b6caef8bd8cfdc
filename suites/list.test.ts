// The checks of lists without a pet: a refusal is a violation, and an empty list is no pass.
import { describe, expect, test } from 'vitest'
import type { Context } from '../engine/check/context.ts'
import type { ApiRequest } from '../engine/check/exchange.ts'
import { PetIndex } from '../engine/check/known-pets.ts'
import { fakeExchange } from '../tests/fake-exchange.ts'
import { list } from './list.ts'
import { listPets } from './pets/requests.ts'

type Respond = (limit: number) => { readonly status: number; readonly body: string }

/** How a check ends if lists get these responses; of the first one the pets are known. */
const endOf = async (
  id: string,
  respond: Respond,
  differing: Partial<Context>,
): Promise<unknown> => {
  const found = list.find((each) => each.id === id)
  if (found?.kind !== 'check') throw new Error(`there is no check ${id}`)
  const knownPets = new PetIndex()
  const call = async (apiRequest: ApiRequest) => {
    const limit = Number(/limit=(\d+)/.exec(apiRequest.path)?.[1] ?? 20)
    const exchange = fakeExchange(apiRequest, respond(limit))
    knownPets.learn(exchange)
    return exchange
  }
  const settled = (judge: () => Promise<unknown>) => judge()
  const once = (_name: string, make: () => Promise<unknown>) => make()
  const sample = (all: readonly unknown[], count: number) => all.slice(0, count)
  const parts = { knownPets, seed: 1, settled, once, call, sample, allow: [] }
  const context = { ...parts, ...differing } as unknown as Context
  await call(listPets({}))
  return found.run(context).catch((error: unknown) => error)
}

const categories = { free: false, known: [] } as unknown as Context['categories']
const writing: Partial<Context> = { allow: ['write'], categories }

const error = '{"code":"c","message":"m","status":400}'

describe.for([
  ['list-limit-bounds-200'],
  ['list-limit-most'],
  ['list-limit-no-fewer'],
  ['list-limit-default'],
  ['list-status-sold-all'],
] as const)('%s', ([id]) => {
  test('finds a refusal', async () => {
    const ending = await endOf(id, () => ({ status: 400, body: error }), writing)
    expect(ending).toMatchObject({ name: 'Violation', expected: 'status 200' })
  })

  test('names what is missing for an empty list', async () => {
    const ending = await endOf(id, () => ({ status: 200, body: '[]' }), writing)
    expect(ending).toMatchObject({ name: 'Untested', because: 'category' })
  })
})

const pets = (count: number) =>
  Array.from({ length: count }, (_, at) => `{"id":${at + 1},"name":"a","categoryId":1}`)

/** Of a store that has so many pets. */
const among =
  (stored: number): Respond =>
  (limit) => ({ status: 200, body: `[${pets(Math.min(limit, stored))}]` })

test.for([
  ['list-limit-default', 20],
  ['list-limit-most', 2],
] as const)('%s is tested by a list of %i pets', async ([id, min]) => {
  expect(await endOf(id, among(min - 1), { allow: [] })).toMatchObject({
    name: 'Untested',
    because: 'permission',
  })
  expect(await endOf(id, among(min), { allow: [] })).toBeUndefined()
})
