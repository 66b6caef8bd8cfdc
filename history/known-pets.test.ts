// Which pets a run knows, from the responses it got, and which each key must be shown, judged by
// what the keys were shown before.
import { describe, expect, test } from 'vitest'
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { type AnsweredExchange, get, post } from './exchange.ts'
import { PetIndex } from './known-pets.ts'

const body = '{"name":"petvet-1","categoryId":9007199254740993}'
const petText = (id: number | bigint, status = 'sold') =>
  `{"id":${id},"name":"petvet-1","categoryId":9007199254740993,"status":"${status}"}`

const learnt = (...exchanges: AnsweredExchange[]) => {
  const knownPets = new PetIndex()
  for (const exchange of exchanges) knownPets.learn(exchange)
  return knownPets
}

const elsewhere = { ...get('/pets'), from: 'origin' } as const

const created = (id: number, key = 'free-1') =>
  fakeExchange(post('/pets', body), { status: 201, body: petText(id), key })
const listed = (text: string, path = '/pets', key = 'free-1') =>
  fakeExchange(path, { status: 200, body: text, key })
const listedFor = (key: string, ...ids: number[]) =>
  listed(`[${ids.map((id) => petText(id)).join(',')}]`, '/pets', key)

test('a list that is not read lacks no pet; such a creation is known by its name', () => {
  const cut = (exchange: AnsweredExchange): AnsweredExchange => ({
    ...exchange,
    response: { ...exchange.response, cut: true },
  })
  const long = cut(listed('[', '/pets?limit=100', 'free-2'))
  const knownPets = learnt(created(1), { ...long, sentMs: 60_000 })
  expect(knownPets.unread?.apiRequest.path).toBe('/pets?limit=100')
  expect(knownPets.isApart).toBe(false)
  const made = cut(created(3))
  expect(learnt(made).creations).toEqual([])
  expect(learnt(made).isOfCreation({ name: 'petvet-1' }, made)).toBe(true)
})

test.each([
  ['DELETE', '/pets/1', 200, [2]],
  ['DELETE', '/pets/1?x=1', 200, [2]],
  ['DELETE', '/pets', 204, []],
  ['DELETE', '/pets/no-id', 200, [2, 1]],
  ['DELETE', '/pets/1', 405, [2, 1]],
  ['HEAD', '/pets/1', 200, [2, 1]],
])('after %s %s with %i these must be listed: %j', (method, path, status, ids) => {
  const request = { ...get(path), method }
  const changed = fakeExchange(request, { status, body: '', key: 'free-1' })
  const list = { ...listedFor('free-1'), sentMs: 60_000 }
  const due = learnt(created(1), created(2), changed).dueIn(list, undefined)
  expect(due.map(Number)).toEqual(ids)
})

describe('a creation', () => {
  test('of an id that was given before leaves it open which pet is shown', () => {
    const knownPets = learnt(created(1), created(2), created(1))
    expect([1n, 2n].map(knownPets.isRepeated)).toEqual([true, false])
    expect(knownPets.count(undefined)).toBe(1)
  })

  test.for([
    ['without an id', 201, '{"name":"x"}'],
    ['with an id that is no integer', 201, '{"id":"a1"}'],
    ['that is no JSON', 201, 'created'],
    ['of a redirect', 307, petText(1)],
  ] as const)('%s is none', ([, status, text]) => {
    const knownPets = learnt(fakeExchange(post('/pets', body), { status, body: text }))
    expect(knownPets.creations).toEqual([])
    expect(knownPets.refusals).toEqual([])
  })

  test.for([
    ['with another success', 200, petText(1)],
    ['with an id as text', 201, '{"id":"1","name":"petvet-1"}'],
    ['in an envelope', 201, `{"data":${petText(1)},"meta":{"count":1}}`],
    ['behind a byte order mark', 201, `\uFEFF${petText(1)}`],
  ] as const)('%s can be used', ([, status, text]) => {
    const knownPets = learnt(fakeExchange(post('/pets', body), { status, body: text }))
    expect(knownPets.creations.map(({ id }) => id)).toEqual([1n])
  })

  test('whose body is no object is not: there is nothing to find again', () => {
    const bodies = ['[1]', '{"name":', null, Uint8Array.of(0xff)]
    const all = bodies.map((each) => fakeExchange(post('/pets', each), { status: 400, body: '' }))
    expect(learnt(...all).refusals).toEqual([])
  })
})

describe('a pet is seen', () => {
  test('in lists, once, as it was first', () => {
    const knownPets = learnt(
      listed(`[${petText(1, 'available')},${petText(2)}]`, '/pets?limit=2'),
      listed(`[${petText(1, 'sold')}]`),
    )
    expect([...knownPets.seen.keys()]).toEqual([1n, 2n])
    expect(knownPets.count('available')).toBe(1)
    expect(knownPets.count('sold')).toBe(1)
    expect(knownPets.someId()).toBe(1n)
  })

  test('in a list in an envelope', () => {
    const knownPets = learnt(listed(`{"data":[${petText(1)},{"id":"2"}],"total":2}`))
    expect([...knownPets.seen.keys()]).toEqual([1n, 2n])
  })

  test.for([
    ['an error', fakeExchange('/pets', { status: 404, body: petText(1) })],
    ['another address', fakeExchange(elsewhere, { status: 200, body: petText(1) })],
    ['no pet', listed('[null, 1, "x", {"id": 1.5}, {"id": "x1"}]')],
    ['two lists', listed(`{"data":[${petText(1)}],"other":[${petText(2)}]}`)],
    ['a body that is no JSON', listed('[')],
  ] as const)('not in %s', ([, exchange]) => {
    expect(learnt(exchange).count(undefined)).toBe(0)
  })
})

test('no target fills the memory of a run', () => {
  const knownPets = new PetIndex()
  for (let page = 0; page < 60; page += 1) {
    const pets = Array.from({ length: 100 }, (_, i) => `{"id":${page * 100 + i}}`)
    knownPets.learn(listed(`[${pets.join(',')}]`))
  }
  expect(knownPets.seen.size).toBe(5_000)
})

test('keys have pets of their own once one did not get what another created', () => {
  const known = learnt(created(3, 'b'), created(1, 'a'))
  expect([known.isApart, known.knower(1n), known.knower(3n)]).toEqual([false, 'a', 'b'])
  known.learn(fakeExchange('/pets/1', { status: 404, body: '{}', key: 'b' }))
  expect(known.isApart).toBe(true)
})
