// What tells refused requests from served ones: a length, a range, a text, a value, or nothing.
import { expect, test } from 'vitest'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { findContrast } from './contrast.ts'
import { type AnsweredExchange, type ApiRequest, get, post } from './exchange.ts'

const create = (name: string, category = 7): ApiRequest =>
  post('/pets', `{"name":${JSON.stringify(name)},"categoryId":${category}}`)

const got = (status: number, requests: readonly ApiRequest[]): readonly AnsweredExchange[] =>
  requests.map((request) => fakeExchange(request, { status, body: '{}' }))

const words = ['ant', 'bear', 'hedgehog', 'tiny mouse', 'élan', 'salamander', 'new owl', 'old dog']
const plain = got(201, [...words.map((name) => create(name)), create('kangaroo rat', 9)])
const limits = [1, 2, 3, 5, 8, 13, 21, 34]
const lists = got(200, [
  ...limits.map((limit) => get(`/pets?limit=${limit}`)),
  get('/pets?status=sold'),
])

test.each<[string | undefined, readonly AnsweredExchange[]]>([
  ['with a name of at most 2 characters', got(400, [create('ox'), create('y')])],
  [
    'with a name of at least 13 characters',
    got(400, [create('a'.repeat(13)), create('b'.repeat(40))]),
  ],
  ['with a name of at least 14 bytes', got(400, [create('éééééééé'), create('ääääääää'.slice(1))])],
  ['with "drop" in the name', got(403, [create('drop it'), create('now DROP')])],
  [
    'with limit and status',
    got(400, [get('/pets?limit=4&status=sold'), get('/pets?status=sold&limit=9')]),
  ],
  ['with name "none"', got(500, [create('none'), create('none', 9)])],
  ['with a categoryId of at least 10', got(400, [create('bear', 10), create('ant', 11)])],
  ['with a limit of at least 55', got(500, [get('/pets?limit=55'), get('/pets?limit=89')])],
  // One request shows nothing, and neither do two values that were served, or a spent quota.
  [undefined, got(400, [create('y')])],
  [undefined, got(400, [create('bear'), create('ant')])],
  [undefined, got(429, [create('ox'), create('y')])],
  // Both its name and its category may be the reason.
  [undefined, got(400, [create('ox', 10), create('y', 11)])],
])('%s', (expected, refused) => {
  const [first] = refused as [AnsweredExchange]
  expect(findContrast(first, { aspect: 'status' }, [...plain, ...lists, ...refused])?.words).toBe(
    expected,
  )
})

test.each([
  [
    'with a name of at least 10 UTF-16 code units',
    '🐈',
    '🐈🐈🐈🐈🐈',
    (name: string) => name.slice(0, 9),
  ],
  ['with an emoji in the name', 'gnat', '🐈', (name: string) => name.replaceAll('🐈', '')],
  ['with U+200D in the name', 'x\u200ey', 'x\u200dy', (name: string) => name.replace('\u200d', '')],
] as const)('of creations that changed the name: %s', (expected, right, wrong, kept) => {
  const short = words.filter((name) => name.length < 10)
  const creations = [...short, 'hen', right, `${wrong}z`, wrong].map((name) =>
    fakeExchange(create(name), { status: 201, body: JSON.stringify({ name: kept(name) }) }),
  )
  const last = creations.at(-1) as AnsweredExchange
  const found = findContrast(last, { aspect: 'member', name: 'name' }, creations)
  expect(found?.words).toBe(expected)
})

test('of a few that were served any one is the least', () => {
  const refused = got(400, [create('ox'), create('y')])
  const [first] = refused as [AnsweredExchange]
  expect(
    findContrast(first, { aspect: 'status' }, [...plain.slice(0, 7), ...refused]),
  ).toBeUndefined()
})
