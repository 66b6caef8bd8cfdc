// Which pets each key must be shown, judged by what the keys were shown before.
import { describe, expect, test } from 'vitest'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { get, post } from '../exchange.ts'
import { createKnownPets } from './known-pets.ts'

const pet = (id: number, status = 'sold') =>
  `{"id":${id},"name":"petvet-${id}","categoryId":1,"status":"${status}"}`

const created = (key: string, id: number) =>
  fakeExchange(post('/pets', '{"name":"x","categoryId":1}'), { status: 201, body: pet(id), key })
const listed = (key: string, path: string, ...ids: number[]) => {
  const body = `[${ids.map((id) => pet(id)).join(',')}]`
  return fakeExchange(get(path), { status: 200, body, key })
}
const notFound = (key: string, id: number) =>
  fakeExchange(get(`/pets/${id}`), { status: 404, body: '{}', key })

/** The same exchange, so much later. */
const later = (exchange: ReturnType<typeof fakeExchange>, ms: number) => ({
  ...exchange,
  sentMs: exchange.sentMs + ms,
  receivedMs: exchange.receivedMs + ms,
})

const learnt = (...exchanges: ReturnType<typeof fakeExchange>[]) => {
  const { knownPets, learn } = createKnownPets()
  for (const exchange of exchanges) learn(exchange)
  return knownPets
}

describe('the key that is used', () => {
  test('is any one, until one was not shown what another created', () => {
    const { fetches } = learnt(created('a', 1), created('b', 2))
    expect(fetches.chosen([1n])).toBeUndefined()
    expect(fetches.knower([1n])).toBe('a')
  })

  test('is then the one that knows most', () => {
    const knownPets = learnt(created('b', 3), created('a', 1), created('a', 2), notFound('b', 1))
    expect([knownPets.fetches.chosen([1n]), knownPets.fetches.chosen([3n])]).toEqual(['a', 'b'])
    expect([knownPets.fetches.chosen([1n, 2n, 3n]), knownPets.lists.chosen([1n])]).toEqual([
      'a',
      undefined,
    ])
  })
})

describe('a list shows that each key has its own pets', () => {
  const maker = created('a', 1)
  test.for([
    ['a second later', listed('b', '/pets?limit=2', 5), true],
    ['of its status', listed('b', '/pets?limit=2&status=sold', 5), true],
    ['of another status', listed('b', '/pets?limit=2&status=pending'), false],
    ['that is cut', listed('b', '/pets?limit=1', 5), false],
    ['of an unsound query', listed('b', '/pets?limit=2&page=9', 5), false],
  ] as const)('%s: %s', ([, list, isApart]) => {
    expect(learnt(maker, later(list, 1_500)).lists.isApart()).toBe(isApart)
  })

  test('and not before', () => {
    expect(learnt(maker, later(listed('b', '/pets', 5), 900)).lists.isApart()).toBe(false)
  })
})

test('pets are shared if two keys were shown the same one', () => {
  expect(learnt(created('a', 1), created('b', 2), listed('b', '/pets', 2)).isShared()).toBe(false)
  expect(learnt(created('a', 1), listed('b', '/pets', 1)).isShared()).toBe(true)
  expect(learnt(listed('a', '/pets', 1), listed('b', '/pets', 1)).isShared()).toBe(true)
})
