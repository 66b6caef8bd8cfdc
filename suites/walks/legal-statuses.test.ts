// Which statuses are legal: for valid requests, for each kind of fault, and for what is open.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/check/context.ts'
import { type ApiRequest, get, post, unauthorized } from '../../engine/check/exchange.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { createPet, getPet, listPetsWith } from '../pets/requests.ts'
import { findDue, type Part } from './legal-statuses.ts'

const known = 5n

const context = {
  categories: { free: true, known: [], any: 1n },
  knownPets: { seen: new Map([[known, {}]]), fetches: { isKnown: () => true } },
} as unknown as Context

const pet = { name: 'Rex', categoryId: 1n }
const withType = (type: string) => ({
  ...createPet(pet),
  headers: [['Content-Type', type]] as const,
})
const afterRemoval = 'Fri, 06 Dec 2030 00:00:01 GMT'

type Case = readonly [
  request: ApiRequest,
  part: Part,
  legal: readonly number[],
  illegal: readonly number[],
]

const cases: readonly Case[] = [
  [createPet(pet), 'valid', [201], [200, 303, 400, 500]],
  [withType('Application/JSON; charset=utf-8'), 'valid', [201], [415]],
  [withType('text/plain'), 'body', [201, 400, 415], [500]],
  [createPet({ name: 'Rex' }), 'body', [400], [201, 404, 422, 500]],
  [createPet({ ...pet, categoryId: 2n ** 63n }), 'body', [400], [201]],
  [createPet({ ...pet, status: null }), 'body', [201, 400], [500]],
  [createPet({ ...pet, more: 1n }), 'body', [201, 400], [500]],
  [post('/pets', '{"name":"Rex","categoryId":1'), 'body', [400], [201]],
  [post('/pets', '{"name":"Rex","categoryId":1,}'), 'lenient', [400, 422], [201, 500]],
  [post('/pets', '{"name":"Rex","name":"Max","categoryId":1}'), 'body', [201, 400], [500]],
  [post('/pets', '{"name":"Rex","categoryId":1e0}'), 'body', [201, 400], [500]],
  [listPetsWith('limit=100&status=sold'), 'valid', [200], [204, 400]],
  [listPetsWith('limit=101'), 'valid', [200, 400], [302, 500]],
  [listPetsWith('limit=1&limit=2'), 'valid', [200, 400], [500]],
  [getPet(known), 'valid', [200], [404]],
  [getPet(6n), 'id', [404], [400, 204]],
  [get('/pets/5.5'), 'id', [404, 400], [200, 500]],
  [get('/pets/005'), 'id', [200, 404], [500]],
  [get('/pets/0x5'), 'id', [200, 404], [500]],
  [get('/pets/5.json'), 'prefix', [404, 400], [200, 500]],
  [get('/pets/5%00'), 'prefix', [404, 400], [200, 500]],
  [{ ...get('/pets'), method: 'PURGE' }, 'method', [405, 501], [200, 500]],
  [{ ...get('/pets'), method: 'HEAD' }, 'method', [200, 405], [500]],
  [get('/store'), 'method', [404], [200]],
  [unauthorized(createPet({})), 'key', [401], [400, 201]],
]

test.for(cases)('%j', ([request, part, legal, illegal]) => {
  for (const status of [...legal, ...illegal]) {
    const due = findDue(fakeExchange(request, { status, body: '' }), context)
    expect(due.part).toBe(part)
    expect([status, due.allows(status)]).toEqual([status, legal.includes(status)])
  }
})

test('from 6 December 2030 on a pet that exists is not served by its id', () => {
  const at = (date: string, status: number) => {
    const exchange = fakeExchange(getPet(known), { status, body: '', headers: { Date: date } })
    return findDue(exchange, context).allows(status)
  }
  expect([200, 410, 404, 403].map((status) => at(afterRemoval, status))).toEqual([
    ...[false, true, true, false],
  ])
  // The day itself is not judged.
  expect(at('Thu, 05 Dec 2030 12:00:00 GMT', 200)).toBe(true)
  expect(at('Thu, 05 Dec 2030 12:00:00 GMT', 410)).toBe(true)
})
