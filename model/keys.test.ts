// A key in a response is found wherever it was sent, and an existing pet is not revealed.
import { expect, test } from 'vitest'
import { type AnsweredExchange, type ApiRequest, get, unauthorized } from '../history/exchange.ts'
import { clauseNamed, fakeExchange, fakeTrace, judged } from '../tests/fakes/fake-exchange.ts'
import { judge } from './judge.ts'
import { keyClauses } from './keys.ts'
import { saysNothing, statusDue } from './status.ts'

const key = 'a-long-key-01234'

const refused = (apiRequest: ApiRequest, message: string) =>
  fakeExchange(apiRequest, {
    status: 401,
    body: JSON.stringify({ code: 'unauthorized', message, status: 401 }),
    key: null,
  })

const bare = unauthorized(get('/pets'))
const silent = clauseNamed(keyClauses, 'auth-401-repeats-no-key')

test.for([
  ['as bearer token', unauthorized(get('/pets'), `Bearer ${key}`)],
  ['under another scheme', unauthorized(get('/pets'), 'Bearer other', `Basic ${key}`)],
  ['in a header', { ...bare, headers: [['X-API-Key', key]] }],
  ['in a cookie', { ...bare, headers: [['Cookie', `a=1; token=${key}`]] }],
  ['in the query', { ...bare, path: `/pets?limit=1&api_key=${key}` }],
] as const)('a sent key is found in a response %s', ([, apiRequest]) => {
  expect(judged(silent, refused(apiRequest, `The key ${key} is wrong.`))).toContain(
    'without the key',
  )
  expect(judged(silent, refused(apiRequest, 'Bearer api_key access_token limit'))).toBe('holds')
})

test.for([
  ['a cookie of another name', { ...bare, headers: [['Cookie', 'admin=1; authenticated=true']] }],
  ['a key that is a common word', unauthorized(get('/pets'), 'Bearer authenticated')],
] as const)('a message with the words of %s repeats no key', ([, apiRequest]) => {
  expect(judged(silent, refused(apiRequest, 'Not authenticated'))).toBe('holds')
})

const reveals = clauseNamed(keyClauses, 'auth-existing-or-unknown-same-401')
const known = fakeExchange('/pets/42', { status: 200, body: '{"id":42,"name":"a","categoryId":1}' })

/** One GET of the known pet, and two of unknown ones, with these messages. */
const judgedWith = (...messages: readonly string[]) => {
  const gets = [42, 430, 43].map((id, at) =>
    refused(unauthorized(get(`/pets/${id}`)), messages[at] ?? ''),
  )
  return judged(reveals, known, ...gets)
}

test('another text for an unknown pet reveals the known one', () => {
  expect(judgedWith('Nothing for 42.', 'Nothing for 430.', 'Nothing for 43.')).toBe('holds')
  expect(judgedWith('No key.', 'No pet.', 'No pet.')).toContain('the same response')
  expect(judgedWith('No key (1).', 'No key (2).', 'No key (3).')).toContain('may differ')
})

const traced = clauseNamed(keyClauses, 'auth-trace-repeats-no-key')

test.each(['/pets', '/pets/1', '/nowhere'])('a response to TRACE %s repeats no key', (path) => {
  const plain = fakeExchange({ ...get(path), method: 'TRACE' }, { status: 405, body: '' })
  const Authorization = `Bearer ${key}`
  const request = { ...plain.request, headers: [['Authorization', Authorization]] as const }
  const answered = (body: string, more: Readonly<Record<string, string>> = {}) => {
    const { response } = fakeExchange(path, { status: 200, body, headers: more })
    return judged(traced, { ...plain, request, response })
  }
  expect(answered('TRACE / HTTP/1.1')).toBe('holds')
  expect(answered(`TRACE / HTTP/1.1\r\nauthorization: bearer ${key}`)).toContain('without the key')
  expect(answered('', { 'X-Echo': Authorization })).toContain('without the key')
})

test('until a key was served its 401 and 403 say nothing of the server', () => {
  const of = (status: number, seq: number, more = {}) =>
    fakeExchange('/pets', { status, seq, body: '[]', ...more })
  const saysIn = (...all: AnsweredExchange[]) =>
    all.map((one) => saysNothing(one, fakeTrace(...all)))
  expect(saysIn(of(401, 1), of(403, 2), of(404, 3), of(200, 4), of(401, 5))).toEqual([
    ...[true, true, false, false, false],
  ])
  // Of another key, and of none.
  expect(saysIn(of(200, 1), of(401, 2, { key: 'pro-1' }), of(401, 3, { key: null }))).toEqual([
    ...[false, true, false],
  ])
  expect(judge(statusDue, of(401, 1), fakeTrace(of(401, 1)))).toBe(false)
  expect(judge(statusDue, of(401, 2), fakeTrace(of(200, 1), of(401, 2)))).not.toBe(false)
})
