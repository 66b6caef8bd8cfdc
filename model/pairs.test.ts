// Which ordered pairs of kinds a history covers.
import { expect, test } from 'vitest'
import { type ApiRequest, get, post, unauthorized } from '../history/exchange.ts'
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { countPairs, pairs } from './pairs.ts'

test('at most 800 are listed once each, and few of them are left out', () => {
  const ids = pairs.map(({ first, second, when }) => `${first} ${second} ${when}`)
  expect(new Set(ids).size).toBe(pairs.length)
  expect(pairs.length).toBeLessThanOrEqual(800)
  expect(pairs.filter(({ leftOut }) => leftOut).length).toBeLessThanOrEqual(pairs.length / 10)
})

const list = get('/pets')
const faulty = post('/pets', '{}')

/** Sent one after another, unless said: each begins so many milliseconds after the one before. */
const sent = (
  ...all: (readonly [ApiRequest, status: number, key?: string, afterMs?: number])[]
) => {
  let atMs = 0
  const exchanges = all.map(([request, status, key = 'free-1', afterMs = 10], at) => {
    atMs += afterMs
    const isKeyed = request.authorization === 'valid'
    return {
      ...fakeExchange(request, { status, body: '[]', key: isKeyed ? key : null, seq: at + 1 }),
      ...{ sentMs: atMs, receivedMs: atMs + 5 },
    }
  })
  return { exchanges, knownPets: { seen: new Map() } as never }
}

const covered = (history: ReturnType<typeof sent>) =>
  Object.entries(countPairs(history)).flatMap(([when, [count]]) =>
    count > 0 ? [`${when} ${count}`] : [],
  )

const hourMs = 3_601_000

type Sent = Parameters<typeof sent>[number]
const twice: Sent[] = [
  [list, 200],
  [list, 200],
]
const keyless: Sent = [unauthorized(list), 401]
const late: Sent[] = [
  [list, 200],
  [list, 200, 'free-1', hourMs],
]
const refusal: Sent[] = [
  [list, 200],
  [list, 429],
]
const fresh = { ...faulty, fresh: true }

test.each<[string, Parameters<typeof sent>, string[]]>([
  ['one alone', [[list, 200]], []],
  ['with another key', [...twice, [list, 200, 'pro-1']], ['same key 1', 'another key 1']],
  ['without a key', [[list, 200], keyless], ['in turn 1']],
  [
    'on a fresh connection',
    [
      [list, 200],
      [fresh, 400],
    ],
    ['same key 1', 'fresh connection 1'],
  ],
  [
    'in flight together',
    [
      [list, 200],
      [faulty, 400, 'free-1', 2],
    ],
    [],
  ],
  ['an hour later, each first of its kind', [...late, [faulty, 400]], ['same key 1', 'an hour 2']],
  ['a refusal, and what waits for it', [...refusal, [faulty, 400]], ['same key 1']],
])('%s', (_words, all, expected) => {
  expect(covered(sent(...all))).toEqual(expected)
})
