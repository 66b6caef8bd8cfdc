// Which violations are one headline, and what it says of their responses: true for each of them.
// Of all that shows one, the plainest exchange is shown.

import { expect, test } from 'vitest'
import { joined } from '../engine/check/findings.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  markTogether,
  post,
} from '../history/exchange.ts'
import { Violation } from '../history/outcome.ts'
import { any4xx, type Statuses } from '../history/statuses.ts'
import { asHeader, expectError, expectJson, violateAs, violateStatus } from '../model/clause.ts'
import { createdClauses } from '../model/created.ts'
import { isDue } from '../model/due.ts'
import { fakeTrace } from '../tests/fakes/fake-exchange.ts'
import { failed, headlines, no5xx, sent, wrongly } from '../tests/fakes/fake-failures.ts'
import { explain } from './findings.ts'

const create = (members: string) => sent(post('/pets', `{"name":"Rex",${members}}`), 201)

const many = (make: () => AnsweredExchange): AnsweredExchange[] => Array.from({ length: 6 }, make)

type Judge = (exchange: AnsweredExchange) => void

const plain = sent(post('/pets', '{"name":"Rex","categoryId":1}'), 201, { body: '{}' })

/** What a clause finds in responses. */
const judged = (
  all: readonly AnsweredExchange[],
  judge: Judge,
  outcome: 'fail' | 'warn' = 'fail',
) => {
  const found = all.flatMap((exchange) => {
    try {
      judge(exchange)
    } catch (error) {
      if (error instanceof Violation) return [error]
      throw error
    }
    return []
  })
  return failed(found, { trace: [plain, ...all], outcome, judged: all.length })
}

const limit = 'X-RateLimit-Limit'

const noLimitAt =
  (...failing: readonly AnsweredExchange[]): Judge =>
  (one) => {
    if (!failing.includes(one)) return
    violateAs(asHeader(limit, 'missing'), `the header ${limit}`, 'no such header', one)
  }

const notDue =
  (...due: Statuses): Judge =>
  (one) => {
    if (!isDue({ statuses: due }, one.response.status)) violateStatus({ statuses: due }, one)
  }

const is400 = notDue([400, 400])

const page = '<!doctype html><html><head><title>HTTP Status 400 – Bad Request</title></head>'

test('the responses of a status that lack a header, where others of the status have it', () => {
  const [known, words] = [many(() => sent('/pets/999', 404)), many(() => sent('/pets/abc', 404))]
  words.push(sent('/pets/%zz', 404))
  const all = [...known, ...words]
  const of = 'of GET /pets/{petId} with an id that is no integer'
  expect(headlines(judged(all, noLimitAt(...words)))).toEqual([
    `7 of 13 responses with 404 have no ${limit}: those ${of}`,
  ])
  const other = sent({ ...get('/pets'), method: 'PUT' }, 405)
  expect(headlines(judged([...all, other], noLimitAt(...words, other)))).toEqual([
    `8 of 14 responses with 404 or 405 have no ${limit}: those with 404 ${of}`,
  ])
  // Fewer than five are chance.
  const [few, three] = [
    [...known.slice(2), ...words],
    [...known, ...words.slice(4)],
  ]
  expect(headlines(judged(few, noLimitAt(...words)))).toEqual([
    `7 of 11 responses with 404 have no ${limit}`,
  ])
  expect(headlines(judged(three, noLimitAt(...words)))).toEqual([
    `3 of 9 responses with 404 have no ${limit}`,
  ])
})

test('how many of a status, where nothing that was sent tells them apart', () => {
  const all = many(() => sent('/pets', 200))
  const [one, other] = all as [AnsweredExchange, AnsweredExchange]
  expect(headlines(judged(all, noLimitAt(one, other)))).toEqual([
    `2 of 6 responses with 200 have no ${limit}`,
  ])
})

test('a page of a container, which has neither JSON nor headers', () => {
  const plain = many(() =>
    sent('/pets/abc', 400, { body: '{"code":"a","message":"b","status":400}' }),
  )
  const foreign = sent('/pets/%22%5C', 400, {
    body: page,
    headers: { 'Content-Type': 'text/html;charset=utf-8' },
  })
  const all = [...plain, foreign]
  const json = judged(all, (one) => void expectJson(one))
  const shape = judged(all, (one) => void expectError(one))
  expect(headlines(judged(all, noLimitAt(foreign)), json, shape)).toEqual([
    '1 of 7 responses with 400 has a body that is no JSON ' +
      '(text/html, "HTTP Status 400 – Bad Request"), and no ' +
      `${limit}: that to GET /pets/%22%5C`,
  ])
})

test('a number of many digits is cut', () => {
  const [one] = [sent(`/pets?limit=${'9'.repeat(250)}`, 200)]
  expect(headlines(judged([one], is400))).toEqual([
    'GET /pets with limit=99999999… (250 digits): 200 instead of 400',
  ])
})

test('a should has a headline of its own', () => {
  const error = '{"message":"a"}'
  const must = [
    sent(post('/pets', '{}'), 415, { body: error }),
    sent(post('/pets', '{}'), 415, { body: error }),
  ]
  const elsewhere = many(() => sent('/store', 404, { body: error }))
  const judge: Judge = (one) => void expectError(one)
  expect(headlines(judged(must, judge), judged(elsewhere, judge, 'warn'))).toEqual([
    'A 415 of POST /pets has no code or status in its body (both responses with 415)',
    'A 404 has no code or status in its body (all 6 responses with 404)',
  ])
})

test('each request that breaks the server, with its own due', () => {
  const deep = sent(post('/pets', `${'['.repeat(10_001)}${']'.repeat(10_001)}`), 500, {
    body: '{}',
  })
  const bytes = sent(post('/pets', new Uint8Array([0x7b, 0xff, 0x7d])), 500, { body: '{}' })
  expect(
    headlines(
      judged([deep], notDue([400, 400], [413, 413])),
      judged([bytes], notDue(any4xx), 'warn'),
      judged([bytes, deep], notDue(...no5xx.statuses)),
    ),
  ).toEqual([
    'POST /pets with a body that is not UTF-8: 500; expected no 5xx response',
    'POST /pets with a body nested 10001 deep: 500 instead of 400 or 413',
  ])
})

test('what was stored follows from the creation that was accepted', () => {
  const made = create('"categoryId":9223372036854775811')
  const shown = sent('/pets', 200, { body: '[{"id":7}]' })
  const ofPet = { aspect: 'body', name: 'categoryId', kind: 'a number', ofPet: true } as const
  const judge: Judge = (one) =>
    violateAs(ofPet, 'a Pet with its fields', '/categoryId is 9223372036854775811', made, one)
  expect(headlines(judged([shown, shown], judge), judged([made], is400))).toEqual([
    'POST /pets with categoryId 9223372036854775811: 201 instead of 400',
  ])
})

test('the plain request, where it gets the same status', () => {
  const [plain, query] = [sent('/pets', 400), sent('/pets?limit=50&status=sold', 400)]
  const violation = new Violation('status 200', '400', [query], { aspect: 'status' })
  expect(explain(violation, [plain, query]).findings[0]?.targets).toBeUndefined()
  expect(explain(violation, [query]).findings[0]?.targets).toEqual(['/pets?limit=50&status=sold'])
})

test('an id that is taken from a body is no number that is rounded', () => {
  const body = '{"id":1062809709450286000,"name":"Rex","categoryId":18014398509481992}'
  const taken = sent(
    post('/pets', '{"id":1062809709450285994,"name":"Rex","categoryId":18014398509481991}'),
    201,
    { body },
  )
  const judgeAs = (id: string) => (one: AnsweredExchange) =>
    createdClauses.find((clause) => clause.id === id)?.judge(one, fakeTrace(taken))
  expect(
    headlines(
      judged([taken], judgeAs('create-id-assigned')),
      judged([taken], judgeAs('create-category-never-changed')),
    ),
  ).toEqual([
    'POST /pets returns the id 1062809709450285994 that was sent, rounded to a double ' +
      '(1062809709450286000); expected an id assigned by the service',
    'POST /pets: categoryId is rounded to a double (categoryId 18014398509481992; expected ' +
      'categoryId 18014398509481991)',
  ])
})

test('an array of values is another body than an array', () => {
  const [values, pets] = ['["Rex",1,"sold"]', '[{"name":"Rex"}]'].map((body) =>
    sent(post('/pets', body), 201),
  )
  if (!values || !pets) throw new Error('no creation')
  expect(headlines(judged([values], is400))).toEqual([
    'POST /pets with a body that is an array of values: 201 instead of 400',
  ])
  expect(headlines(judged([pets], is400))).toEqual([
    'POST /pets with a body that is an array: 201 instead of 400',
  ])
})

test('a should that says of some what a must says of all has no headline of its own', () => {
  const [own, other] = [many(() => sent('/pets', 401)), many(() => sent('/store', 401))]
  const all = [...own, ...other]
  const judge = noLimitAt(...all)
  expect(headlines(judged(all, judge), judged(other, judge, 'warn'))).toEqual([
    `A 401 has no ${limit} (all 12 responses with 401)`,
  ])
})

test('without a pair, the one part that all that fail have, and nothing that passes', () => {
  const withFields = (...headers: ApiRequest['headers']) => ({
    ...post('/pets', '{"name":"Rex","categoryId":1}'),
    headers: [['Content-Type', 'application/json'] as const, ...headers],
  })
  const [odd, other] = [['X-Petvet', 'odd'] as const, ['X-Third', '1'] as const]
  const fields = Array.from({ length: 6 }, (_, at) => ['X-Other', `${at}`] as const)
  const broken = fields.map((each) => sent(withFields(odd, each), 500))
  const served = fields.map((each) => sent(withFields(other, each), 201))
  expect(headlines(judged([...broken, ...served], notDue([201, 201])))).toEqual([
    'POST /pets with X-Petvet: odd: 500 instead of 201 (6 of 12 responses)',
  ])
  expect(headlines(judged([...broken.slice(2), ...served], notDue([201, 201])))).toEqual([
    'POST /pets {"name":"Rex","categoryId":1} with X-Petvet: odd and with X-Other: 2, among ' +
      'others: 500 instead of 201 (4 of 10 responses)',
  ])
})

const tooMany = { aspect: 'count', kind: 'too many', by: 'one' } as const

const oneTooMany = (request: ApiRequest | string, own: object = {}) => {
  const exchange = { ...sent(request, 200), ...own }
  return wrongly(tooMany, 'at most 1 pet', `2 pets for ${exchange.apiRequest.path}`, exchange)
}

const [together, other] = [oneTooMany('/pets'), oneTooMany('/pets')]
markTogether([together, other].flatMap(({ evidence }) => evidence))

const browser = { ...get('/pets'), headers: [['DNT', '1']] } as const
const plainest = oneTooMany('/pets?limit=1')
const sequence = oneTooMany('/pets')
const before = sent('/pets/7', 200)

test.each<[string, Violation]>([
  ['alone rather than in flight', together],
  ['one request rather than several', { ...sequence, evidence: [before, ...sequence.evidence] }],
  ['fewest parts', oneTooMany('/pets?limit=1&status=sold')],
  ['no further header', oneTooMany({ ...browser, path: '/pets?limit=1' })],
  ['a row rather than a walk', oneTooMany('/pets?limit=1', { check: 'walk-list' })],
  ['the shorter path', oneTooMany('/pets?limit=10')],
])('%s', (_, odd) => {
  const all = joined([odd, plainest], 4, 'responses') as Violation
  const { shown, findings } = explain(all, [])
  expect(shown.evidence).toEqual(plainest.evidence)
  const exchanges = [plainest, odd].map(({ evidence }) => evidence.at(-1)?.seq)
  expect(findings).toMatchObject([{ actual: plainest.actual, times: 2, exchanges }])
})
