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
const fetched = (key: string, id: number) =>
  fakeExchange(get(`/pets/${id}`), { status: 200, body: pet(id), key })
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

describe('a pet must be there', () => {
  test('for the key that created it, and for no other one', () => {
    const { lists, fetches } = learnt(created('a', 1), created('b', 2))
    expect([lists.isKnown('a', 1n), lists.isKnown('b', 1n)]).toEqual([true, false])
    expect([fetches.isKnown('a', 2n), fetches.isKnown('b', 2n)]).toEqual([false, true])
  })

  test.for([
    ['listed', listed('b', '/pets', 1)],
    ['given', fetched('b', 1)],
  ] as const)('for a key that was %s another one of its maker', ([, shown]) => {
    const { lists, fetches } = learnt(created('a', 1), created('a', 2), shown)
    expect([lists.isKnown('b', 2n), fetches.isKnown('b', 2n)]).toEqual([true, true])
  })

  test('for a key that was shown it, whatever the others were shown', () => {
    const { lists } = learnt(listed('a', '/pets', 1, 2), listed('b', '/pets', 2, 3))
    expect([1n, 2n, 3n].map((id) => lists.isKnown('a', id))).toEqual([true, true, false])
  })

  test('for a key that reads the pets of all, and not the other way round', () => {
    const { lists } = learnt(created('a', 1), created('all', 2), listed('all', '/pets', 1, 2))
    expect([lists.isKnown('all', 1n), lists.isKnown('a', 2n)]).toEqual([true, false])
  })
})

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

  test('stays any one if a pet is missing for a key that knows it', () => {
    const knownPets = learnt(created('a', 1), listed('b', '/pets', 1), notFound('b', 1))
    expect(knownPets.fetches.isApart()).toBe(false)
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
