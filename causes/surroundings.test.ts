// The sentence of a headline: what of the run, next to the request, explains it. Each request that
// breaks the server has one; what is wrong with its response has none.

import { expect, test } from 'vitest'
import { type AnsweredExchange, get, post, unauthorized } from '../history/exchange.ts'
import { text } from '../history/text.ts'
import {
  create,
  failed,
  headlines,
  no5xx,
  sent,
  served,
  status,
  wrongly,
} from '../tests/fakes/fake-failures.ts'

test('a key that a connection lends, and one that is taken on any, are two headlines', () => {
  const spoiled = unauthorized(get('/pets'), 'Bearer kEY')
  const changed = unauthorized(get('/pets'), 'Bearer kez')
  const taken = [spoiled, changed].map((each) => sent(each, 200, { key: null }))
  const anew = sent({ ...spoiled, fresh: true }, 401, { key: null })
  const checks = taken.map((one) => failed([status(401, one)], { trace: [...served, anew] }))
  expect(headlines(...checks)).toEqual([
    'GET /pets with an invalid key on some connections that were used before, and on no new ' +
      'one: 200 instead of 401',
    'GET /pets with an invalid key: 200 instead of 401',
  ])
})

test('each id of nineteen digits', () => {
  const ids = ['1152926801264543048', '1152926801264543049', '1152926801264543051']
  const long = ids.map((id) => sent(`/pets/${id}`, 500))
  const found = long.map((one) => status(404, one))
  const trace = [...served, sent('/pets/9007199254740996', 200)]
  const share = '(all 3 responses that were judged)'
  expect(headlines(failed(found, { trace }))).toEqual([
    `GET /pets/{petId} with the id ${ids[0]}, ${ids[1]} or ${ids[2]}: 500 instead of 404 ${share}`,
  ])
})

test('that an invalid key is served on a connection that was used before', () => {
  const spoiled = unauthorized(get('/pets'), 'Bearer kEY')
  const taken = sent(spoiled, 200, { key: null })
  const taking = (fresh: object, got: number) =>
    headlines(
      failed([status({ statuses: [[300, 599]] }, taken)], {
        trace: [...served, sent({ ...spoiled, ...fresh }, got, { key: null })],
      }),
    )
  expect(taking({ fresh: true }, 401)).toEqual([
    'GET /pets with an invalid key on some connections that were used before, and on no new ' +
      'one: 200 instead of a refusal',
  ])
  const plain = ['GET /pets with an invalid key: 200 instead of a refusal']
  expect(taking({}, 401)).toEqual(plain)
  expect(taking({ fresh: true }, 200)).toEqual(plain)
})

test('what was sent before, where the server breaks at every request since', () => {
  const taken = sent(create('"status":"sold","id":77'), 201)
  const broken = [201, 202, 203].map((category) =>
    sent(post('/pets', `{"name":"Rex","categoryId":${category},"status":"sold"}`), 500),
  )
  const found = broken.map((one) => status(no5xx, one))
  const own = { trace: [...served, taken] }
  const after = 'POST /pets after POST /pets with the extra member id (201)'
  expect(headlines(failed(found, own))).toEqual([
    `${after}: 500; expected no 5xx response (all 3 responses that were judged)`,
  ])
  // Whatever is wrong with a request then does not matter.
  const invalid = sent(create('"status":"gone"'), 500)
  const all = [...found, status(no5xx, invalid)]
  expect(headlines(failed(all, own))).toEqual([
    `${after}: 500; expected no 5xx response (all 4 responses that were judged)`,
  ])
  const healed = { trace: [...served, taken, sent(create('"status":"sold"'), 201)] }
  expect(headlines(failed(found, healed))).toEqual([
    'POST /pets {"name":"Rex","categoryId":201,"status":"sold"}, among others: 500; expected no ' +
      '5xx response (all 3 responses that were judged)',
  ])
})

test('what breaks the server gets the error of what finds it broken', () => {
  const headers = [...create('').headers, ['Expect', '100-continue'] as const]
  const odd = { ...create('"status":"sold"'), headers }
  // What was harmless before is so again; it is refused before the broken state is reached.
  const harmless = [sent(odd, 404), sent(create('"status":"sold"'), 201)]
  const poison = sent(create('"status":"sold","id":77'), 500)
  const refused = sent(odd, 404)
  const broken = [201, 202, 203].map((category) =>
    sent(post('/pets', `{"name":"Rex","categoryId":${category},"status":"sold"}`), 500),
  )
  const lists = status(no5xx, sent('/pets', 500))
  const found = [poison, ...broken].map((one) => status(no5xx, one))
  expect(headlines(failed(found, { trace: [...harmless, refused] }), failed([lists]))).toEqual([
    'POST /pets after POST /pets with the extra member id (500): 500; expected no 5xx response ' +
      '(all 4 responses that were judged)',
    'GET /pets: 500; expected no 5xx response',
  ])
  // What was served before breaks for the same reason.
  const later = failed([lists], { trace: [sent('/pets', 200, { seq: 0 })] })
  expect(headlines(failed(found, { trace: [...harmless, refused] }), later)).toEqual([
    'POST /pets and GET /pets after POST /pets with the extra member id (500): 500; ' +
      'expected no 5xx response',
  ])
})

const counted = (remaining: number, [sentMs, receivedMs]: readonly [number, number]) => {
  const headers = {
    ...{ 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': `${remaining}` },
    'X-RateLimit-Reset': '1795177860',
  }
  return { ...sent('/pets', 200, { headers }), sentMs, receivedMs }
}

test('that others were in flight, where alone each call counts and together not', () => {
  const wrong = { aspect: 'behaviour', kind: 'too many served', ofKey: true } as const
  const alone = [9, 8, 7, 6, 5, 4].map((left, at) => counted(left, [10 * at, 10 * at + 5]))
  const crowd = (left: readonly number[]) => left.map((each, at) => counted(each, [99 + at, 200]))
  const headlineOf = (trace: readonly ReturnType<typeof counted>[]) =>
    headlines(
      failed([wrongly(wrong, 'at most 60', '74 served', ...trace.slice(-1))], {
        trace: trace.slice(0, -1),
      }),
    )
  expect(headlineOf([...alone, ...crowd([3, 2, 2])])).toEqual([
    'One key while other requests are in flight: 74 served; expected at most 60',
  ])
  const plain = ['One key: 74 served; expected at most 60']
  expect(headlineOf([...alone, ...crowd([3, 2, 1])])).toEqual(plain)
  expect(headlineOf([...alone.slice(2), ...crowd([3, 2, 2])])).toEqual(plain)
})

test('that the id in a body is that of an earlier pet', () => {
  const extra = sent(create('"status":"sold","id":90'), 201, { body: '{"id":91}' })
  const found = status(no5xx, sent(create('"status":"sold","id":7'), 500))
  expect(headlines(failed([found], { trace: [...served, extra] }))).toEqual([
    'POST /pets with id 7, as an earlier pet has: 500; expected no 5xx response',
  ])
})

const own = { trace: [...served, sent(post('/pets', '{"name":"Rex","categoryId":1}'), 201)] }
const byStatus = sent(create('"status":1'), 500)
const byName = sent(post('/pets', '{"name":1,"categoryId":1}'), 500)

const breaks = (...all: AnsweredExchange[]) => {
  const check = failed(
    all.map((one) => status(no5xx, one)),
    own,
  )
  const [first, ...others] = check.findings
  const evidence = { seq: 0, request: byName.request, response: null, curl: '' }
  const further = others.map((each) => ({ ...each, evidence }))
  return { ...check, findings: first ? [first, ...further] : [] }
}

test('what is wrong with their responses follows, whatever broke the server', () => {
  const isPage = (...all: AnsweredExchange[]) => {
    const wrong = { aspect: 'body', kind: 'a body that is no JSON', brief: text('it') } as const
    return failed(all.map((one) => wrongly(wrong, 'a JSON body', '', one)))
  }
  const all = breaks(byStatus, byName)
  expect(headlines(all, isPage(byStatus, byName))).toHaveLength(2)
  const refused = sent('/pets/x', 400)
  expect(headlines(all, isPage(byStatus, byName, refused))).toContain(
    'A 400 of GET /pets/{petId} has it',
  )
})

test('the value of an extra member, where others of it were served', () => {
  const trace = [...served, sent(create('"status":"sold","id":7'), 201)]
  const found = status(no5xx, sent(create('"status":"sold","id":90'), 500))
  expect(headlines(failed([found], { trace }))).toEqual([
    'POST /pets with id 90: 500; expected no 5xx response',
  ])
})

test('the id of a request without a key, where others without one were refused', () => {
  const bare = (id: string, code: number) =>
    sent(unauthorized(get(`/pets/${id}`)), code, { key: null })
  const found = [status(401, bare('-9007199254740993', 404))]
  const due =
    'without an Authorization header and with the id -9007199254740993: 404 instead of 401'
  expect(headlines(failed(found, { trace: [bare('9007199254740994', 401)] }))).toEqual([
    `GET /pets/{petId} ${due}`,
  ])
  expect(headlines(failed(found, { trace: [bare('7', 404)] }))).toEqual([
    'GET /pets/{petId} without an Authorization header: 404 instead of 401',
  ])
  // The same request was refused as it has to be: neither its key nor its id decides.
  const once = { trace: [bare('-9007199254740993', 401)] }
  expect(headlines(failed(found, once))).toEqual([
    'GET /pets/-9007199254740993: 404 instead of 401',
  ])
})
