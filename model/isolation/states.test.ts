// What a request leaves on its connection.
import { expect, test } from 'vitest'
import { type ApiRequest, get, post, unauthorized } from '../../history/exchange.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { Seen } from './seen.ts'
import { stepBefore } from './states.ts'

const sent = (request: ApiRequest, status: number, seq: number) =>
  fakeExchange(request, {
    ...{ status, body: '{}', seq },
    key: request.authorization === 'valid' ? 'free-1' : null,
  })

const list = get('/pets')
const create = post('/pets', '{"name":"Rex","categoryId":1}')
const keyless = unauthorized(create)

/** A creation without a key, and what follows it on its connection; then a list that passes. */
const turns = [0, 1, 2, 3, 4, 5].flatMap((at) => [
  sent(keyless, 401, 10 * at + 1),
  sent(at % 2 === 0 ? list : create, 400, 10 * at + 2),
  sent(list, 200, 10 * at + 3),
  sent(create, 201, 10 * at + 4),
])
const [, broken] = turns

const stepIn = (all: typeof turns) => broken && stepBefore(broken, new Seen(all))

test('what is sent right after it gets one status, whatever it is', () => {
  const step = 'right after a POST /pets without a valid key (401) on its connection'
  expect(stepIn(turns)).toBe(step)
  // On a connection of its own nothing is left.
  const fresh = [sent(keyless, 401, 71), sent({ ...list, fresh: true }, 200, 72)]
  expect(stepIn([...turns, ...fresh])).toBe(step)
})

test('nothing, where one request after it passes, few follow, or none passes elsewhere', () => {
  const passed = [sent(keyless, 401, 71), sent(list, 200, 72)]
  expect(stepIn([...turns, ...passed])).toBeUndefined()
  expect(stepIn(turns.slice(0, 16))).toBeUndefined()
  const others = turns.filter(({ response: { status } }) => status >= 400)
  expect(stepIn(others)).toBeUndefined()
})

test('nothing, where each second request fails', () => {
  const all = Array.from({ length: 40 }, (_, at) => sent(list, at % 2 === 0 ? 200 : 500, at + 1))
  expect(all[1] && stepBefore(all[1], new Seen(all))).toBeUndefined()
})
