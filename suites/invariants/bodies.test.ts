// Bodies and statuses: what violates each requirement about them, and what is legal.
import { describe, expect, test } from 'vitest'
import { get, post } from '../../engine/exchange.ts'
import { fakeExchange, invariantNamed, judged } from '../../tests/fake-exchange.ts'
import { deprecation } from '../versioning.ts'
import { bodies } from './bodies.ts'

const named = (id: string) => invariantNamed([...bodies, ...deprecation], id)

const list = (body: string | Uint8Array, headers = {}) =>
  fakeExchange('/pets', { status: 200, body, headers })

const validPet = '{"id":9007199254740993,"name":"Rex","categoryId":1}'

describe('JSON', () => {
  test.for(['application/json', 'Application/JSON; charset=utf-8'])('%s is its type', (type) => {
    expect(judged(named('body-media-type-json'), list('[]', { 'Content-Type': type }))).toBe(
      'holds',
    )
  })

  test.for(['text/html', 'application/problem+json', undefined])('%s is not', (type) => {
    const response = list('[]', { 'Content-Type': type })
    expect(judged(named('body-media-type-json'), response)).toContain(type ?? 'no Content-Type')
  })

  test.for([
    ['a comma', '[1,]'],
    ['NaN', '[NaN]'],
    ['a byte order mark', '\uFEFF[]'],
    ['Latin-1', new Uint8Array([0x22, 0xe9, 0x22])],
  ] as const)('with %s is none', ([, body]) => {
    expect(judged(named('body-strict-json'), list(body))).toContain('a JSON body')
  })

  test('is not required of an empty body, of HEAD, or of a response from below the API', () => {
    const strict = named('body-strict-json')
    const low = fakeExchange('/pets', { status: 414, body: '<p>' })
    const head = fakeExchange({ ...get('/pets'), method: 'HEAD' }, { status: 200, body: '<p>' })
    for (const response of [list(''), low, head])
      expect(judged(strict, response)).toBe('not judged')
    expect(judged(strict, fakeExchange('/store', { status: 404, body: '<p>' }))).toBe('not judged')
  })
})

describe('pets', () => {
  test.for([
    ['pet-id-int64', validPet, 'holds'],
    ['pet-id-int64', '{"id":"1","name":"Rex","categoryId":1}', 'an int64'],
    ['pet-id-int64', '{"id":9223372036854775808,"name":"Rex","categoryId":1}', 'an int64'],
    ['pet-id-int64', '{"name":"Rex","categoryId":1}', 'an int64'],
    ['pet-fields', '{"name":"Rex","categoryId":1}', 'holds'],
    ['pet-fields', '{"id":1,"name":"Rex","categoryId":1,"more":null}', 'holds'],
    ['pet-fields', '{"id":1,"name":"Rex"}', 'no categoryId: {'],
    ['pet-fields', '{"id":1,"name":null,"categoryId":1}', '/name is null, not a string'],
    ['pet-fields', '{"id":1,"name":"Rex","categoryId":1.5}', '/categoryId is 1.5, not an int64'],
    ['pet-status-listed', '{"id":1,"status":"sold"}', 'holds'],
    ['pet-status-listed', '{"id":1,"status":"SOLD"}', 'a status of'],
    ['pet-status-listed', '{"id":1,"status":null}', 'a status of'],
    ['pet-state-known', '{"id":1,"status":"gone"}', 'a status of'],
    ['pet-status-listed', validPet, 'not judged'],
  ] as const)('%s: %s: %s', ([id, pet, says]) => {
    expect(judged(named(id), list(`[${pet}]`))).toContain(says)
    const one = fakeExchange('/pets/1', { status: 200, body: pet })
    expect(judged(named(id), one)).toContain(says)
    const created = fakeExchange(post('/pets', '{}'), { status: 201, body: pet })
    expect(judged(named(id), created)).toContain(says)
  })

  test('a list is an array of objects; a single pet is none', () => {
    expect(judged(named('list-body-array'), list('[]'))).toBe('holds')
    expect(judged(named('list-body-array'), list(`{"pets":[${validPet}]}`))).toContain('an array')
    expect(judged(named('list-body-array'), list('[1]'))).toContain('an array')
    const wrapped = fakeExchange('/pets/1', { status: 200, body: `[${validPet}]` })
    expect(judged(named('pet-fields'), wrapped)).toContain('a Pet')
    expect(judged(named('pet-fields'), list('[]'))).toBe('not judged')
  })

  test('in an envelope are none, and so violate one requirement alone', () => {
    for (const body of ['{"pets":[]}', `{"pets":[${validPet}]}`, validPet]) {
      expect(judged(named('list-body-array'), list(body))).toContain('an array')
      for (const id of ['pet-fields', 'pet-id-int64', 'pet-status-listed']) {
        expect(judged(named(id), list(body))).toBe('not judged')
      }
    }
  })

  test('a list holds at most 100', () => {
    const many = (count: number) => `[${Array(count).fill(validPet).join(',')}]`
    expect(judged(named('list-length-most'), list(many(100)))).toBe('holds')
    expect(judged(named('list-length-most'), list(many(101)))).toContain('101 pets')
  })
})

describe('a 5xx', () => {
  const response = (method: string, path: string, status: number, date?: string) =>
    judged(
      named('answer-no-5xx'),
      fakeExchange(
        { ...get(path), method },
        { status, body: '', ...(date !== undefined && { headers: { Date: date } }) },
      ),
    )

  test('is a violation for any request to a path of the interface', () => {
    expect(response('GET', '/pets?limit=x', 500)).toContain('no 5xx')
    expect(response('PUT', '/pets', 503)).toContain('no 5xx')
    expect(response('GET', '/pets', 501)).toContain('no 5xx')
    expect(response('GET', '/pets/1', 501)).toContain('no 5xx')
    expect(response('GET', '/store', 500)).toBe('not judged')
  })

  test('may be 501 for an unsupported method, and for the removed operation', () => {
    expect(response('PUT', '/pets', 501)).toBe('holds')
    expect(response('GET', '/pets/1', 501, 'Fri, 06 Dec 2030 00:00:01 GMT')).toBe('holds')
  })
})

describe('the announcement of the removal', () => {
  const sent = (name: string, value: string | readonly string[]) =>
    judged(
      named(`get-${name.toLowerCase()}-header-date`),
      fakeExchange('/pets/1', { status: 200, body: validPet, headers: { [name]: value } }),
    )

  test.for([
    ['Deprecation', '@1764892800', 'holds'],
    ['Deprecation', 'true', 'RFC 9745'],
    ['Deprecation', '@1922832000', 'RFC 9745'],
    ['Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT', 'holds'],
    ['Sunset', 'Thu, 05 Dec 2030 23:59:59 GMT', 'holds'],
    ['Sunset', 'Wed, 04 Dec 2030 23:59:59 GMT', '5 December 2030'],
    ['Sunset', '2030-12-05', '5 December 2030'],
  ] as const)('%s: %s: %s', ([name, value, says]) => {
    expect(sent(name, value)).toContain(says)
  })

  test('is one value, and is optional', () => {
    const both = ['Thu, 05 Dec 2030 00:00:00 GMT', 'Thu, 05 Dec 2030 00:00:00 GMT']
    expect(sent('Sunset', both)).toContain('one HTTP-date')
    expect(judged(named('get-sunset-header-date'), list('[]'))).toBe('not judged')
  })
})
