// What a request leaves on its connection, or for the next one, and whose key it lends.
import { expect, test } from 'vitest'
import { type ApiRequest, get, post, unauthorized } from '../../history/exchange.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { isolateOrState } from './isolate.ts'
import { countedOnKey } from './lent-keys.ts'
import { Seen } from './seen.ts'
import { stepBefore } from './states.ts'
import { rightAfterServed } from './turns.ts'

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

const ofStatus = (status: string) =>
  post('/pets', `{"name":"Rex","categoryId":1,"status":"${status}"}`)

/** Creations with these statuses in turn, of which each that has one is served, or is not. */
const inTurn = (...codes: readonly number[]) =>
  codes.flatMap((code, at) => [
    sent(ofStatus(at % 3 === 0 ? 'sold' : 'pending'), code, 10 * at + 1),
    ...Array.from({ length: at % 3 }, (_, nth) => sent(create, 201, 10 * at + 2 + nth)),
  ])

const decisive = (all: ReturnType<typeof inTurn>) => {
  const failing = all.find(({ response }) => response.status === 400)
  const { after, chance, parts = [] } = (failing && isolateOrState(failing, new Seen(all))) ?? {}
  return [...parts.map(({ words }) => words), after ?? chance]
}

test('what fails right after one with a value of a member that was served, and only then', () => {
  const all = inTurn(201, 400, 201, 400, 201, 400, 201, 400, 201)
  expect(decisive(all)).toEqual(['with a status', rightAfterServed])
  expect(decisive(inTurn(201, 400, 201, 400, 201, 201, 201, 400, 201))[1]).not.toBe(
    rightAfterServed,
  )
  expect(decisive(inTurn(201, 400, 201, 400, 201, 400))[1]).not.toBe(rightAfterServed)
})

const counted = (request: ApiRequest, remaining: number, seq: number, limit = 60) => ({
  ...sent(request, 200, seq),
  response: fakeExchange(request, {
    ...{ status: 200, body: '[]' },
    headers: { 'X-RateLimit-Limit': `${limit}`, 'X-RateLimit-Remaining': `${remaining}` },
  }).response,
})

test('what is served without a key has the count of one, where it is one less each time', () => {
  const bare = unauthorized(list)
  const own = [40, 38, 36, 34].flatMap((remaining) => [
    counted(list, remaining, 100 - remaining),
    counted(bare, remaining - 1, 101 - remaining),
  ])
  const keylessOf = (all: typeof own) => all.filter(({ key }) => key === null)
  const wordsFor = (all: typeof own) => countedOnKey(keylessOf(all), new Seen(all))
  expect(wordsFor(own)).toBe('with the count of a key that was sent before')
  expect(countedOnKey(own, new Seen(own))).toBeUndefined()
  // Another key has the same number; a refusal does not count.
  const twin = own.flatMap((one) =>
    one.key ? [{ ...one, key: 'free-2', seq: one.seq - 0.5 }, one] : [one],
  )
  expect(wordsFor(twin)).toBe('with the count of a key that was sent before')
  expect(wordsFor(own.slice(0, 4))).toBeUndefined()
  // The key has one less for its own call alone, and those without a key a count of their own.
  const beside = [58, 57, 56, 55].map((remaining, at) => counted(bare, remaining, at + 2))
  expect(wordsFor([counted(list, 59, 1), ...beside, counted(list, 58, 9)])).toBeUndefined()
  const apart = own.map((one, at) => (one.key ? one : counted(bare, 50 - at, one.seq, 10)))
  expect(wordsFor(apart)).toBeUndefined()
})
