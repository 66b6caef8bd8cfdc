// A key in a response is found wherever it was sent, and an existing pet is not revealed.
import { expect, test } from 'vitest'
import { type ApiRequest, get, unauthorized } from '../history/exchange.ts'
import { clauseNamed, fakeExchange, judged } from '../tests/fake-exchange.ts'
import { keyClauses } from './keys.ts'

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
