// The sentence of a headline, from real violations: it has the condition that its owner needs.

import { expect, test } from 'vitest'
import { type ApiRequest, get, post, unauthorized } from '../history/exchange.ts'
import { text } from '../history/text.ts'
import { wrongBody } from '../model/clause.ts'
import {
  create,
  failed,
  headlines,
  sent,
  served,
  status,
  wrongly,
} from '../tests/fakes/fake-failures.ts'

test('the value itself, where others of its kind were served', () => {
  const named = (name: string) => post('/pets', `{"name":"${name}","categoryId":1}`)
  const trace = [sent(named("O'Neil the Third"), 201), sent(named('Rex'), 201)]
  const refused = status(201, sent(named("'; SELECT 1;--"), 400))
  expect(headlines(failed([refused], { trace: [...trace, ...served] }))).toEqual([
    'POST /pets with signs of markup, SQL or templates in the name: 400 instead of 201',
  ])
  const all = [...trace, sent(named("O'Neil; $1"), 201)]
  expect(headlines(failed([refused], { trace: all }))).toEqual([
    `POST /pets with name "'; SELECT 1;--": 400 instead of 201`,
  ])
})

test('the length of a name, only where nothing else explains it', () => {
  const named = (name: string) => post('/pets', `{"name":"${name}","categoryId":1}`)
  const trace = [...served, sent(named('R'.repeat(50)), 201)]
  const refuse = (...names: string[]) => names.map((name) => status(201, sent(named(name), 400)))
  const [first = ''] = headlines(failed(refuse("'".repeat(53)), { trace }))
  expect(first).toMatch(/^POST \/pets \{"name":"'{53}","categoryId":1\}: 400 instead of 201$/)
  expect(headlines(failed(refuse("'".repeat(53), 'R'.repeat(51)), { trace }))).toEqual([
    'POST /pets with a name of more than 50 characters: 400 instead of 201 ' +
      '(both responses that were judged)',
  ])
})

test('the spelling of the scheme', () => {
  const scheme = (spelling: string) => ({ ...get('/pets'), scheme: spelling })
  const trace = [sent('/pets', 200), sent(scheme('bearer'), 200)]
  const refused = status(200, sent(scheme('BEARER'), 401))
  expect(headlines(failed([refused], { trace }))).toEqual([
    'GET /pets with the scheme BEARER: 401 instead of 200',
  ])
})

test('what is wrong with JSON: how much of it was sent, or what is no JSON', () => {
  const taken = (body: string) => headlines(failed([status(400, sent(post('/pets', body), 201))]))
  const whole = '{"name":"petvet-5f21c09b-47","categoryId":1152926801264543095,"status":"sold"'
  expect(taken(whole)).toEqual([
    'POST /pets with truncated JSON (cut after 77 characters): 201 instead of 400',
  ])
  expect(taken(`${whole},}`)).toEqual([
    'POST /pets with JSON that only lenient parsers take (…543095,"status":"sold",}): ' +
      '201 instead of 400',
  ])
})

test('the sequence that was shrunk', () => {
  const before = sent(create('"status":"pending"'), 201)
  const last = sent(post('/pets', '{"name":"Rex"}'), 201)
  const wrong = { aspect: 'behaviour', kind: 'unlike alone', inSequence: true } as const
  const found = wrongly(
    { ...wrong, brief: text('201') },
    'status 400, as alone',
    '201 {"id":1}',
    before,
    last,
  )
  expect(headlines(failed([found]))).toEqual([
    'POST /pets without categoryId right after POST /pets (201): 201; ' +
      'expected status 400, as alone',
  ])
})

test('that no new connection got such a status', () => {
  const refused = [1, 2].map(() => {
    sent('/pets', 200)
    const first = sent(unauthorized(get('/pets')), 401, { key: null })
    return [first, sent('/pets', 401)] as const
  })
  const anew = [1, 2, 3].map(() => sent({ ...get('/pets'), fresh: true }, 200))
  const trace = [...served, ...refused.map(([first]) => first), ...anew]
  const found = refused.map(([, second]) => status(200, second))
  expect(headlines(failed(found, { trace }))).toEqual([
    'GET /pets on some connections that were used before, and on no new one: ' +
      '401 instead of 200 (both responses that were judged)',
  ])
})

test('a body is described, not printed', () => {
  const exchange = sent('/pets', 200, { body: '{"code":"unauthorized"}' })
  const { wrong, actual } = wrongBody(exchange)
  expect(headlines(failed([wrongly(wrong, 'an array', actual, exchange)]))).toEqual([
    'A 200 of GET /pets: an object; expected an array',
  ])
})

test('the published description, where nothing was requested of the API', () => {
  const found = wrongly({ aspect: 'behaviour' }, 'an OpenAPI document', 'a document of HTML')
  expect(headlines(failed([found]))).toEqual([
    'The published description: a document of HTML; expected an OpenAPI document',
  ])
})

test('the one field that all have which lack a header, and none else with their status', () => {
  const field = (value: string): ApiRequest => ({ ...get('/pets'), headers: [['X-A', value]] })
  const missing = { aspect: 'header', name: 'X-RateLimit-Limit', kind: 'missing' } as const
  const found = [1, 2, 3, 4, 5].map(() =>
    wrongly(missing, 'the header', 'no such header', sent(field('b'), 400)),
  )
  const headers = { 'X-RateLimit-Limit': '60' }
  const trace = [1, 2, 3, 4, 5].map((at) => sent(`/pets?limit=${-at}`, 400, { headers }))
  expect(headlines(failed(found, { trace }))).toEqual([
    '5 of 10 responses with 400 have no X-RateLimit-Limit: those of GET /pets with X-A: b',
  ])
})

test('where any key is accepted, and none: each operation, and no other spelling of it', () => {
  const bare = (request: ApiRequest, got: number) =>
    failed([status(401, sent(unauthorized(request), got, { key: null }))])
  const invalid = status(401, sent(unauthorized(get('/pets'), 'Bearer x'), 200, { key: null }))
  const all = [bare(get('/pets'), 200), bare(get('/pets/'), 200), bare(create('"id":1'), 201)]
  expect(headlines(...all)).toEqual([
    'GET /pets and POST /pets without an Authorization header: 200 or 201 instead of 401',
  ])
  expect(headlines(...all, failed([invalid]))).toEqual([
    'GET /pets and POST /pets without an Authorization header or with an invalid key: ' +
      '200 or 201 instead of 401',
  ])
})
