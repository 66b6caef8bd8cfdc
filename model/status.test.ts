// A status that is not due is a violation, unless something legal may explain it; what rules an
// explanation out stays ruled out, whatever is received later.
import { expect, test } from 'vitest'
import { type AnsweredExchange, get, post, unauthorized } from '../history/exchange.ts'
import { Violation } from '../history/outcome.ts'
import { fakeExchange, fakeTrace } from '../tests/fakes/fake-exchange.ts'
import { Unexplained } from './explanation.ts'
import { statusDue } from './status.ts'

const list = get('/pets')
const limited = get('/pets?limit=1')
const plain = post('/pets', '{"name":"Rex","categoryId":1}')
const nameless = post('/pets', '{"categoryId":1}')
const unplain = post('/pets', '{"name":"é","categoryId":1}')
const keyless = unauthorized(list)
const invalid = unauthorized(list, 'Bearer never-issued')
const anew = { ...limited, fresh: true } as const

/** `due`, what may explain it, or `violated`: of the exchange at a place. */
const judgedAt = (exchanges: readonly AnsweredExchange[], at: number): string => {
  try {
    statusDue.judge(exchanges[at] as AnsweredExchange, fakeTrace(...exchanges))
    return 'due'
  } catch (error) {
    if (error instanceof Unexplained) return error.explanation
    if (error instanceof Violation) return 'violated'
    throw error
  }
}

const requests = { list, limited, plain, nameless, unplain, keyless, invalid, anew }

/** What was sent, by its name, with the status that it got. */
const historyOf = (said: string): readonly AnsweredExchange[] =>
  said.split(', ').map((one, at) => {
    const [name, status] = one.split(' ') as [keyof typeof requests, string]
    const request = requests[name]
    const key = request.authorization === 'valid' ? 'free-1' : null
    const body = status === '200' ? '[]' : '{}'
    return fakeExchange(request, { status: Number(status), body, key, seq: at + 1 })
  })

const notServed = 'plain request not served'

/** Served at another request, and refused again. */
const turn = ', anew 200, list 401'

const cases: readonly (readonly [what: string, judged: string, at: number, said: string])[] = [
  ['a plain list that is served', 'due', 0, 'list 200'],
  ['a plain list that is not', 'violated', 0, 'list 500'],
  ['a list with a limit, where no plain one was sent', notServed, 0, 'limited 400'],
  ['a list with a limit, where a plain one is served', 'violated', 1, 'list 200, limited 400'],
  ['the same, where that comes later', 'violated', 0, 'limited 400, list 200'],
  ['a creation that has to be refused, and is served', 'violated', 0, 'nameless 201'],
  ['one that gets another refusal', notServed, 0, 'nameless 409'],
  ['the same, where a plain one is served', 'violated', 1, 'plain 201, nameless 409'],
  ['the success of all creations', 'due', 1, 'plain 200, unplain 200'],
  ['the first of them', 'violated', 0, 'plain 200, plain 200'],
  ['a key that was never served', 'never valid', 0, 'list 401, list 200'],
  ['a key that is refused once', 'banned', 1, 'list 200, list 401'],
  ['the same, served meanwhile', 'banned', 1, 'list 200, list 401, limited 200'],
  ['and refused again once', 'banned', 1, 'list 200, list 401, anew 200, list 401'],
  ['twice', 'violated', 1, 'list 200, list 401, anew 200, list 401, anew 200, list 401'],
  ['twice, after a 429', 'banned', 2, `list 200, limited 429, list 401${turn.repeat(2)}`],
  ['five times, after a 429', 'violated', 2, `list 200, limited 429, list 401${turn.repeat(5)}`],
  ['as others were sent', 'banned', 1, 'list 200, list 401, limited 200, list 401'],
  ['an invalid key that is served', 'kept by the connection', 0, 'invalid 200'],
  ['the same, refused elsewhere', 'kept by the connection', 0, 'invalid 200, invalid 401'],
  ['the same, served elsewhere', 'no key demanded', 0, 'invalid 200, invalid 200'],
  ['where one is demanded', 'violated', 0, 'invalid 200, invalid 200, keyless 401'],
  ['where none is demanded', 'no key demanded', 0, 'invalid 200, invalid 200, keyless 200'],
  ['no key at all, served twice', 'violated', 0, 'keyless 200, keyless 200'],
  ['another success, where no plain one was served', 'usual', 0, 'unplain 200'],
  ['the same, where that is usual', 'due', 0, 'unplain 200, plain 200'],
  ['the same, where it is not', 'violated', 0, 'unplain 200, plain 201'],
]

test.for(cases)('%s: %s', ([, judged, at, said]) => {
  expect(judgedAt(historyOf(said), at)).toBe(judged)
})

test.for(cases)('once it is violated it stays so: %s', ([, , at, said]) => {
  const exchanges = historyOf(said)
  const lengths = exchanges.map((_, nth) => nth + 1).filter((length) => length > at)
  const judged = lengths.map((length) => judgedAt(exchanges.slice(0, length), at))
  const first = judged.indexOf('violated')
  if (first >= 0) expect(new Set(judged.slice(first))).toEqual(new Set(['violated']))
})

test.for([429, 402])('a refusal for the quota is not judged: %i', (status) => {
  const headers = { 'X-RateLimit-Remaining': '0', 'Retry-After': '30' }
  const refused = fakeExchange(list, { status, body: '{}', headers })
  expect(statusDue.applies(refused)).toBe(false)
})

test('the finding names the requirement that follows from the request', () => {
  const exchanges = historyOf('plain 201, nameless 201')
  const judge = () => statusDue.judge(exchanges[1] as AnsweredExchange, fakeTrace(...exchanges))
  const requirement = 'new-pet.name.required'
  expect(judge).toThrow(
    expect.objectContaining({ wrong: expect.objectContaining({ aspect: 'status', requirement }) }),
  )
})

test('a body that is no UTF-8 may show the pet that was asked for', () => {
  const shown = (name: string, encoding: BufferEncoding) =>
    fakeExchange('/pets/7', {
      status: 200,
      body: new Uint8Array(Buffer.from(`{"id":8,"name":"${name}"}`, encoding)),
    })
  expect(judgedAt([shown('é', 'latin1')], 0)).toBe('due')
  expect(judgedAt([shown('é', 'utf8')], 0)).toBe('violated')
})
