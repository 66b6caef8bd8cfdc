// What a creation may hold, and how each fault in one is refused.
import { describe, expect, test } from 'vitest'
import { readNewPet } from './new-pet.ts'

const read = (body: string | Buffer | 'too-large', type: string | undefined) =>
  readNewPet({
    method: 'POST',
    target: '/v1/pets',
    header: (name) => (name === 'content-type' ? type : undefined),
    body: body === 'too-large' ? body : Buffer.from(body),
    connection: {},
  })
const longestNameCodePoints = 10_000
const json = 'application/json'
const valid = '{"name":"Rex","categoryId":1}'

describe('a valid creation', () => {
  test.each([
    [valid, { name: 'Rex', categoryId: 1n, status: 'available' }],
    ['{"name":"","categoryId":0,"status":"sold"}', { name: '', categoryId: 0n, status: 'sold' }],
    ['{"name":" \\u0000 ","categoryId":-9223372036854775808}', { categoryId: -(2n ** 63n) }],
    ['{"name":"\\ud83d\\ude00","categoryId":9223372036854775807}', { name: '😀' }],
    ['{"id":5,"x":[{}],"__proto__":{"status":1},"name":"a","categoryId":1}', { name: 'a' }],
    ['{"name":1,"name":"last","categoryId":1}', { name: 'last' }],
    [JSON.stringify({ name: '😀'.repeat(longestNameCodePoints), categoryId: 1 }), {}],
  ])('%.60s', (body, fields) => {
    expect(read(body, json)).toMatchObject({ value: fields })
  })

  test.each([
    'Application/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf8";v=1',
  ])('as %s', (type) => {
    expect(read(valid, type)).toHaveProperty('value')
  })
})

describe('400', () => {
  test.each([
    '',
    'null',
    '[]',
    '"x"',
    '{"name":"a"',
    '{}',
    '{"name":"a"}',
    '{"categoryId":1}',
    '{"name":null,"categoryId":1}',
    '{"name":1,"categoryId":1}',
    '{"name":"\\ud800","categoryId":1}',
    '{"name":"a","categoryId":"1"}',
    '{"name":"a","categoryId":true}',
    '{"name":"a","categoryId":null}',
    '{"name":"a","categoryId":1.5}',
    '{"name":"a","categoryId":1.0}',
    '{"name":"a","categoryId":1e2}',
    '{"name":"a","categoryId":9223372036854775808}',
    '{"name":"a","categoryId":-9223372036854775809}',
    '{"name":"a","categoryId":1,"status":null}',
    '{"name":"a","categoryId":1,"status":"Sold"}',
    '{"name":"a","categoryId":1,}',
    `${valid} //`,
    `${valid}${valid}`,
    `\uFEFF${valid}`,
    '{"__proto__":{"name":"a","categoryId":1}}',
    JSON.stringify({ name: 'x'.repeat(longestNameCodePoints + 1), categoryId: 1 }),
    `{"name":"a","categoryId":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  ])('%.60s', (body) => {
    expect(read(body, json)).toMatchObject({ refusal: { status: 400, code: 'invalid_body' } })
  })

  test('bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3]), Buffer.from('"}')])
    expect(read(bytes, json)).toMatchObject({ refusal: { status: 400 } })
  })
})

test.each([undefined, '', 'text/plain', 'application/jsonp', 'application/json; charset=latin1'])(
  'as %s: 415',
  (type) => {
    expect(read(valid, type)).toMatchObject({ refusal: { status: 415 } })
  },
)

test('a body over the limit: 413, and an empty one: 400 whatever its type', () => {
  expect(read('too-large', json)).toMatchObject({ refusal: { status: 413 } })
  expect(read('', undefined)).toMatchObject({ refusal: { status: 400 } })
})
