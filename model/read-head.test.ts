// What the head of a request asks: fields that are valid or open, lengths, and paths.
import { expect, test } from 'vitest'
import { fieldsOf, headerOf } from '../engine/check/parts.ts'
import { type ApiRequest, get, type Header, json, post } from '../history/exchange.ts'
import { PetIndex } from '../history/known-pets.ts'
import headerFields from '../suites/vocabulary/header-fields.json' with { type: 'json' }
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { dueOf, isDue } from './due.ts'
import { isFromBelow } from './from-below.ts'
import { read } from './read.ts'

const facts = { categories: { free: true, known: [] }, knownPets: new PetIndex() }

const withHeader = (...field: Header): ApiRequest => ({ ...get('/pets'), headers: [field] })

test.for([
  ...['Expect: 100-continue', 'If-None-Match: *', 'Prefer: return=minimal', 'Early-Data: 1'],
  ...[
    'Idempotency-Key: "a"',
    'Content-Digest: sha-256=:AAAA:',
    'Depth: infinity',
    'Range: bytes=0-1',
  ],
  ...['Cache-Control: only-if-cached', 'Accept: text/html', 'Accept: application/json;q=0'],
  ...['Origin: https://other.example', 'Origin: null', 'Sec-Fetch-Site: cross-site'],
  ...['X-Forwarded-Proto: http', 'X-Forwarded-Proto: http, https', 'X-Forwarded-Scheme: HTTP'],
  ...[
    'Forwarded: for=192.0.2.1;proto=http',
    'Forwarded: host=other.example',
    'Front-End-Https: off',
  ],
  ...['X-Forwarded-Ssl: off', 'X-Forwarded-Host: other.example'],
])('a list may be refused with %s, and never fails', (field) => {
  const request = withHeader(...headerOf(field))
  expect(read({ apiRequest: request }).parts.map(({ is }) => is)).toEqual(['open'])
  const allowed = [200, 301, 400, 403, 406, 500].map((status) =>
    isDue(dueOf(fakeExchange(request, { status, body: '' }), facts), status),
  )
  expect(allowed).toEqual([true, true, true, true, true, false])
})

test('every innocent field is valid, and each that asks for something is open', () => {
  const kindsOf = (headers: readonly Header[]) => {
    const { parts } = read({ apiRequest: { ...get('/pets'), headers } })
    return [headers.join(), ...new Set(parts.map(({ is }) => is))]
  }
  const { innocent, furtherInnocent, bodyTypes, asking, furtherAsking } = headerFields
  for (const table of [innocent, furtherInnocent, bodyTypes])
    for (const fields of fieldsOf(table)) expect(kindsOf(fields)).toEqual([fields.join(), 'valid'])
  for (const table of [asking, furtherAsking])
    for (const fields of fieldsOf(table)) expect(kindsOf(fields)).toEqual([fields.join(), 'open'])
})

test.each([
  [withHeader('X-A', 'a'.repeat(4_000)), 431, 'with a long head'],
  [get(`/pets?limit=${'9'.repeat(2_000)}`), 414, 'with a target of 2012 characters'],
])('what is too long for some servers is open: %#', (request, status, words) => {
  expect(read({ apiRequest: request }).parts.at(-1)?.words).toBe(words)
  const due = dueOf(fakeExchange(request, { status, body: '' }), facts)
  const allowed = [status, 400, 404, 200, 500].map((each) => isDue(due, each))
  expect(allowed).toEqual([true, true, true, true, false])
})

test.for([
  ...[
    ...['/pets/a%2Fb', '/pets/5%5C', '/pets/%2541', '/pets/%00', '/pets/5;v=1', '/pets/..'],
    '/pets/%2e',
  ],
])('%s may be refused below the application', (path) => {
  const statuses = [400, 404, 403].map((status) => fakeExchange(path, { status, body: '' }))
  expect(statuses.map(isFromBelow)).toEqual([true, true, false])
})

test('a body that is not what its coding says may be refused below the application', () => {
  const [plain, coded] = [[json], [json, ['Content-Encoding', 'br'] as const]].map((headers) =>
    fakeExchange({ ...post('/pets', '{}'), headers }, { status: 400, body: '' }),
  )
  expect([plain, coded].map((one) => one && isFromBelow(one))).toEqual([false, true])
})

test('ordinary addresses reach the application', () => {
  const paths = ['/pets/5', '/pets/1.5', '/pets/abc', '/pets?a=;%2F', '/pets/%20']
  const refused = paths.map((path) => fakeExchange(path, { status: 400, body: '' }))
  expect(refused.filter(isFromBelow)).toEqual([])
})

test('a front may redirect any path and method for a field', () => {
  for (const path of ['/pets', '/store', '/nonsense'])
    for (const method of ['PUT', 'ACL']) {
      const request = { ...withHeader('X-Forwarded-Proto', 'http'), path, method }
      const due = dueOf(fakeExchange(request, { status: 301, body: '' }), facts)
      expect([path, method, isDue(due, 301)]).toEqual([path, method, true])
    }
})
