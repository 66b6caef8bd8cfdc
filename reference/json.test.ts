// JSON keeps every integer, refuses what is none, and never overflows.
import { describe, expect, test } from 'vitest'
import { isInt64, parseJson, printJson } from './json.ts'

describe('parseJson', () => {
  test.each([
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['-0', 0n],
    ['1.0', 1],
    ['1e2', 100],
    ['{"a":1,"a":{"b":2}}', { a: { b: 2n } }],
    ['[true,null,"1"]', [true, null, '1']],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual({ value })
  })

  test.each(['', '{', '[1,]', '{} {}', '\uFEFF{}', '// x\n1', '01', '+1', 'NaN', '"\u0001"'])(
    '%j is no JSON',
    (text) => {
      expect(parseJson(text)).toBeUndefined()
    },
  )

  test('nests as deep as 64, and brackets within strings do not count', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(parseJson(nested(64))).toBeDefined()
    expect(parseJson(nested(65))).toBeUndefined()
    expect(parseJson(nested(500_000))).toBeUndefined()
    expect(parseJson(`"\\"${'['.repeat(100)}"`)).toBeDefined()
  })

  test('a literal of a million digits is no integer', () => {
    expect(parseJson('9'.repeat(1_000_000))).toEqual({ value: Number.POSITIVE_INFINITY })
  })
})

test('printJson prints every digit', () => {
  expect(printJson({ id: -(2n ** 63n), name: 'é\u0000' })).toBe(
    '{"id":-9223372036854775808,"name":"é\\u0000"}',
  )
})

test('isInt64 holds at both ends', () => {
  expect([2n ** 63n - 1n, -(2n ** 63n)].every(isInt64)).toBe(true)
  expect([2n ** 63n, -(2n ** 63n) - 1n, 1, '1', null].some(isInt64)).toBe(false)
})
