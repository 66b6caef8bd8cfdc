// What of a request may matter to its status.
import { expect, test } from 'vitest'
import { type ApiRequest, get, post, unauthorized } from '../history/exchange.ts'
import { fakeExchange } from '../tests/fake-exchange.ts'
import { findConditions, passingIn } from './conditions.ts'

const sent = (request: ApiRequest | string, status = 500, seq = 1) =>
  fakeExchange(request, { status, body: request === '/pets/7' ? '{"id":7}' : '{}', seq })

const seen = (trace: readonly ReturnType<typeof sent>[]) => ({ trace, passing: passingIn(trace) })

const plain = post('/pets', '{"name":"Rex","categoryId":1,"status":"pending"}')

const served = [sent('/pets', 200), sent('/pets/7', 200), sent(plain, 201)]

const wordsOf = (request: ApiRequest | string): string[] =>
  findConditions(sent(request), seen(served)).map(({ words }) => words)

const pet = (own: string) => post('/pets', `{"name":"Rex","categoryId":1,"status":"sold"${own}}`)

test.each<[ApiRequest | string, readonly string[]]>([
  ['/pets', []],
  ['/pets/7', []],
  ['/pets/8', ['with an unknown id']],
  ['/pets?limit=0', ['with limit=0']],
  ['/pets?limit=1&limit=2', ['with limit=1&limit=2']],
  [unauthorized(get('/pets')), ['without an Authorization header']],
  [pet(''), ['with status "sold"']],
  [pet(',"age":3'), ['with status "sold"', 'with the extra member age']],
  [post('/pets', '[]'), ['with a body that is an array']],
  [
    { ...get('/pets'), headers: [['Content-Type', 'text/plain']], fresh: true },
    ['with Content-Type: text/plain', 'on a connection of its own'],
  ],
])('what matters of a request: %#: %j', (request, words) => {
  expect(wordsOf(request)).toEqual(words)
})

test('what served requests have too does not matter', () => {
  const failed = sent(pet(',"age":3'))
  const essential = (...trace: ReturnType<typeof sent>[]) =>
    findConditions(failed, seen(trace)).map(({ words }) => words)
  expect(essential()).toEqual([])
  expect(essential(sent(pet(''), 201))).toEqual(['with the extra member age'])
  expect(essential(sent(pet(',"age":3'), 201))).toEqual([])
})
