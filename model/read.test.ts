// What a request is, part by part, and which statuses are legal for it.
import { expect, test } from 'vitest'
import { type ApiRequest, get, type Header, json, post, unauthorized } from '../history/exchange.ts'
import { PetIndex } from '../history/known-pets.ts'
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { type DuePart, dueOf, isDue } from './due.ts'
import { read, servedQuery } from './read.ts'
import { isExtremeName, isOrdinaryName, type Part } from './read-body.ts'

const knownPets = new PetIndex()
knownPets.learn(fakeExchange('/pets/5', { status: 200, body: '{"id":5}' }))
const facts = { categories: { free: true, known: [] }, knownPets }

const rex = (members: string) => post('/pets', `{"name":"Rex",${members}}`)
const whole = '{"name":"Rex","categoryId":1,"status":"sold"}'
const withHeader = (name: string, value: string): ApiRequest => ({
  ...get('/pets'),
  headers: [[name, value]],
})
const typed = (...types: Header[]) => post('/pets', whole, types)
const sentAs = (framing: NonNullable<ApiRequest['framing']>) => ({
  ...post('/pets', whole),
  framing,
})
const named = (name: string) => post('/pets', whole.replace('"Rex"', JSON.stringify(name)))
const text = (body: string | Uint8Array | null) => post('/pets', body)
const deep = `${'['.repeat(600)}${']'.repeat(600)}`

/** What is due: what the status is about, some that are legal, and some that are not. */
const dues = {
  listed: ['valid', [200], [204, 302, 400, 500]],
  listedOrNot: ['valid', [200, 400], [302, 500]],
  anyList: ['valid', [200, 302, 406], [500]],
  fetched: ['valid', [200], [404]],
  unknown: ['id', [404], [200, 204, 400]],
  notFetched: ['id', [400, 404], [200, 500]],
  anyFetch: ['id', [200, 404], [500]],
  suffix: ['prefix', [400, 404], [200, 500]],
  created: ['valid', [201], [200, 303, 400, 500]],
  invalid: ['body', [400], [201, 404, 413, 422, 500]],
  tooLarge: ['body', [400, 413], [201, 404, 500]],
  chunked: ['valid', [201, 411], [200, 400, 500]],
  lenient: ['lenient', [400, 422], [201, 500]],
  anyCreation: ['body', [201, 400, 411, 415], [500]],
  method: ['method', [405, 501], [200, 500]],
  openMethod: ['method', [200, 405, 501], [500]],
  group: ['method', [404], [200]],
  anything: ['method', [200, 404, 500], []],
  key: ['key', [401], [200, 201, 400, 403]],
  malformedKey: ['key', [400, 401], [403, 200, 500]],
} as const satisfies Record<string, readonly [DuePart, readonly number[], readonly number[]]>

type Case = readonly [ApiRequest, keyof typeof dues, ...`${Part['is']}: ${string}`[]]

const sold = 'valid: with status "sold"'
const withSold = (members: string) => rex(`${members},"status":"sold"`)
const type = (value: string): Header => ['Content-Type', value]
const jsonInUtf8 = 'Application/JSON; charset=utf-8'

const cases: readonly Case[] = [
  [get('/pets'), 'listed'],
  [
    get('/pets?limit=100&status=sold'),
    'listed',
    'valid: with limit=100',
    'valid: with status=sold',
  ],
  [get('/pets?limit=101'), 'listedOrNot', 'invalid: with limit=101'],
  [get('/pets?limit=+7'), 'anyList', 'open: with limit=+7'],
  [get('/pets?limit=1&limit=2'), 'anyList', 'open: with limit=1&limit=2'],
  [get('/pets?colour=red'), 'anyList', 'open: with colour=red'],
  [withHeader('Cookie', 'a=b'), 'listed', 'valid: with Cookie: a=b'],
  [withHeader('Accept', 'text/html'), 'anyList', 'open: with Accept: text/html'],
  [{ ...get('/pets'), fresh: true }, 'listed', 'valid: on a connection of its own'],
  [{ ...get('/pets'), scheme: 'BEARER' }, 'listed', 'valid: with the scheme BEARER'],

  [get('/pets/5'), 'fetched'],
  [get('/pets/6'), 'unknown'],
  [get('/pets/-7'), 'unknown', 'valid: with the id -7'],
  [get('/pets/5?x=1'), 'anyFetch', 'open: with x=1'],
  [get(`/pets/${2n ** 63n}`), 'notFetched', `invalid: with the id ${2n ** 63n}`],
  [get('/pets/5.5'), 'notFetched', 'invalid: with the id 5.5'],
  [get('/pets/%zz'), 'notFetched', 'invalid: with the id %zz'],
  [get('/pets/005'), 'anyFetch', 'open: with the id 005'],
  [get('/pets/0x5'), 'anyFetch', 'open: with the id 0x5'],
  [get('/pets/%D9%A5'), 'anyFetch', 'open: with the id %D9%A5'],
  [get('/pets/%C2%B2'), 'notFetched', 'invalid: with the id %C2%B2'],
  [get('/pets/%2e'), 'anything'],
  [get('/pets/..?x=1'), 'anything', 'open: with x=1'],
  [get('/pets/...'), 'notFetched', 'invalid: with the id ...'],
  [get('/pets/5.json'), 'suffix', 'lenient: with the id 5.json'],

  [text(whole), 'created', sold],
  [rex('"categoryId":1'), 'created', 'valid: without status'],
  [
    withSold('"age":3'),
    'invalid',
    'invalid: without categoryId',
    sold,
    'open: with the extra member age',
  ],
  [withSold('"categoryId":true'), 'invalid', 'invalid: with categoryId true', sold],
  [withSold(`"categoryId":${2n ** 63n}`), 'invalid', `invalid: with categoryId ${2n ** 63n}`, sold],
  [withSold('"categoryId":-1'), 'anyCreation', 'open: with categoryId -1', sold],
  [withSold(`"categoryId":${2n ** 60n}`), 'created', `valid: with categoryId ${2n ** 60n}`, sold],
  [rex('"categoryId":1,"status":""'), 'invalid', 'invalid: with status ""'],
  [rex('"categoryId":1,"status":null'), 'anyCreation', 'open: with status null'],
  [withSold('"categoryId":1,"age":3'), 'anyCreation', sold, 'open: with the extra member age'],
  [named('"'), 'created', sold, 'valid: with a double quote in the name'],
  [named(''), 'anyCreation', sold, 'open: with an empty name'],

  [
    text('{ "n\\u0061me":\r\n"a\\/b","categoryId":1,"status":"sold" }'),
    ...(['created', sold, 'valid: with line ends of CR and LF in its JSON'] as const),
    ...(['valid: with / written as \\/', 'valid: with letters written as \\uXXXX'] as const),
    'valid: with names of members written as \\uXXXX',
  ],
  [
    text('{"categoryId":1,"name":"Rex","status":"sold"}'),
    ...(['created', sold, 'valid: with the members of its JSON in another order'] as const),
  ],
  ...['"name":"Max","categoryId":1', '"categoryId":1e0'].map(
    (members): Case => [
      ...([withSold(members), 'anyCreation', sold] as const),
      'open: with JSON that parsers may read differently',
    ],
  ),

  [text(null), 'invalid', 'invalid: without a body'],
  [text('[]'), 'invalid', 'invalid: with a body that is an array'],
  [text(deep), 'tooLarge', 'invalid: with a body nested 600 deep'],
  [text('{"a'), 'invalid', 'invalid: with truncated JSON ({"a)'],
  [text('{"a":1,}'), 'lenient', 'lenient: with JSON that only lenient parsers take ({"a":1,})'],
  [text(new Uint8Array([255])), 'lenient', 'lenient: with a body that is not UTF-8'],
  [text('\ufeff{}'), 'anyCreation', 'open: with a body that is not JSON (\ufeff{})'],
  [
    text(`${' '.repeat(5_000)}[]`),
    ...(['tooLarge', 'invalid: with a body that is an array'] as const),
    'open: with a body of 5002 bytes',
  ],

  [post('/pets?x=1', whole), 'anyCreation', 'open: with x=1', sold],
  [typed(type(jsonInUtf8)), 'created', sold, `valid: with Content-Type: ${jsonInUtf8}`],
  [typed(type('text/plain')), 'anyCreation', sold, 'open: with Content-Type: text/plain'],
  [typed(), 'anyCreation', sold, 'open: without Content-Type'],
  [sentAs('in two parts'), 'created', sold, 'valid: with a body that is sent in two parts'],
  [sentAs('chunked'), 'chunked', sold, 'open: with a body that is sent chunked'],

  [{ ...get('/pets'), method: 'PURGE' }, 'method'],
  [{ ...get('/pets'), method: 'HEAD' }, 'openMethod'],
  [get('/store'), 'group'],
  [get('/pets/'), 'anything'],
  [
    unauthorized(post('/pets', '[]')),
    'key',
    'invalid: without an Authorization header',
    'invalid: with a body that is an array',
  ],
  [unauthorized(get('/pets'), 'Bearer x'), 'key', 'invalid: with an invalid key'],
  [
    unauthorized(get('/pets'), 'Bearer'),
    'malformedKey',
    'invalid: with Authorization: Bearer and no key',
  ],
]

test.for(cases)('%# %j', ([request, due, ...parts]) => {
  const found = read({ apiRequest: request }).parts
  expect(found.map(({ is, words }) => `${is}: ${words}`)).toEqual(parts)
  const [about, legal, illegal] = dues[due]
  const judged = [...legal, ...illegal].map((status) => {
    const found = dueOf(fakeExchange(request, { status, body: '' }), facts)
    return [found.part, status, isDue(found, status)]
  })
  expect(judged).toEqual([
    ...legal.map((status) => [about, status, true]),
    ...illegal.map((status) => [about, status, false]),
  ])
})

test('a category that is not known to exist may be refused', () => {
  const known = { ...facts, categories: { free: false, known: [1n] } }
  const mayGet400 = (category: number) => {
    const refused = fakeExchange(rex(`"categoryId":${category}`), { status: 400, body: '' })
    return isDue(dueOf(refused, known), 400)
  }
  expect([1, 2].map(mayGet400)).toEqual([false, true])
})

test('from 6 December 2030 on a pet that exists is not served by its id', () => {
  const at = (date: string, status: number, path = '/pets/5') => {
    const exchange = fakeExchange(path, { status, body: '', headers: { Date: date } })
    return isDue(dueOf(exchange, facts), status)
  }
  const after = 'Fri, 06 Dec 2030 00:00:01 GMT'
  const allowed = [200, 410, 404, 403].map((status) => at(after, status))
  expect(allowed).toEqual([false, true, true, false])
  const withQuery = [200, 410, 400, 501, 500].map((status) => at(after, status, '/pets/5?x=1'))
  expect(withQuery).toEqual([false, true, true, true, false])
  // The day itself is not judged.
  expect([200, 410].map((status) => at('Thu, 05 Dec 2030 12:00:00 GMT', status))).toEqual([
    ...[true, true],
  ])
})

test('what is requested, and what must be returned as sent, is known of valid requests', () => {
  const queryOf = (path: string, status = 200) =>
    servedQuery(fakeExchange(path, { status, body: '' }))
  expect(queryOf('/pets?status=sold')).toEqual({ limit: 20, status: 'sold' })
  expect(queryOf('/pets?limit=0')).toBeUndefined()
  expect(queryOf('/pets', 400)).toBeUndefined()
  const petOf = (request: ApiRequest) => read({ apiRequest: request }).pet
  expect(petOf(rex('"age":3,"categoryId":1'))).toEqual({ name: 'Rex', categoryId: 1n })
  expect(petOf(text(` ${whole}`))).toEqual({ name: 'Rex', categoryId: 1n, status: 'sold' })
  for (const request of [rex('"categoryId":0'), rex('"categoryId":1.0'), named(' ')]) {
    expect(petOf(request)).toBeUndefined()
  }
  expect(petOf({ ...text(whole), headers: [json, ['X-A', 'b']] })).toBeDefined()
})

test('a name is ordinary, extreme, or has spaces at its ends', () => {
  const ordinary = [
    ...['x', 'a\u00a0b', 'a\u202eb', '\ufffd', 'e\u0301', '👩🏽‍🌾', 'a "b" \\ c'],
    ...['n'.repeat(100), '🐈'.repeat(100)],
  ]
  const extreme = [
    ...['', '  ', 'n'.repeat(101), '🐈'.repeat(101), 'a\u0000b', 'a\tb', 'a\ud800b'],
    ...['a\u0378b', 'a\ue000b', 'a\uffffb', 'a\u0085b', 'a\u2028b', 'a\u2029b'],
  ]
  const spaced = [' x', 'x ']
  expect([...ordinary, ...extreme, ...spaced].filter(isOrdinaryName)).toEqual(ordinary)
  expect([...ordinary, ...extreme, ...spaced].filter(isExtremeName)).toEqual(extreme)
})
