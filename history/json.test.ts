// Lossless JSON: integers of any size, and nothing else changed.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactJson, isInt64, parseJson, printJson, TooLarge } from './json.ts'

test('an int64 survives parsing and printing, digit for digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      expect(parseJson(`{"id":${value}}`)).toEqual({ id: value })
      expect(printJson({ id: value })).toBe(`{"id":${value}}`)
    }),
    { seed: 1 },
  )
})

test.each([
  ['1.0', 1n],
  ['1e2', 100n],
  ['-0', 0n],
  ['12.50e1', 125n],
  ['9007199254740993.0', 9007199254740993n],
  ['1.5', 1.5],
  ['1e999', Number.POSITIVE_INFINITY],
])('the literal %s reads as %s', (literal, value) => {
  expect(parseJson(literal)).toBe(value)
})

test.each([
  ['{ "a" : 1.0 , "b":"x\\u0079" }', '{"a":1.0,"b":"xy"}'],
  ['{"a":9007199254740992.5,"b":1.50}', '{"a":9007199254740992,"b":1.5}'],
  ['{"a":1.5e1}', '{"a":1.5e1}'],
])('the compact form of %s', (text, compact) => {
  expect(compactJson(text)).toBe(compact)
})

test('a text is read alike, whether or not a number in it needs its spelling', () => {
  const integer = fc.integer({ min: -(10 ** 14), max: 10 ** 14 })
  const leaf = fc.oneof(integer, fc.string(), fc.boolean(), fc.constant(null))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree')),
      fc.dictionary(fc.string(), tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const text = JSON.stringify(value)
      // A single 0.5 makes the parser read every number by its spelling.
      expect(parseJson(`[0.5,${text}]`)).toEqual([0.5, parseJson(text)])
      expect(printJson(parseJson(text))).toBe(text)
    }),
    { seed: 1 },
  )
})

test('a member called __proto__ is a member', () => {
  const value = parseJson('{"__proto__":1}')
  expect(Object.keys(value as object)).toEqual(['__proto__'])
})

test('int64 ends at its bounds', () => {
  expect(isInt64(2n ** 63n - 1n)).toBe(true)
  expect(isInt64(2n ** 63n)).toBe(false)
  expect(isInt64(1.5)).toBe(false)
})

test.each(['[false, "1e5"]', '"[[[[,,,,1.5"', '["9999999999999999", 999999999999999]'])(
  '%s is read as the parser reads it',
  (text) => {
    expect(printJson(parseJson(text))).toBe(text.replace(', ', ','))
  },
)

test('what is deep or long is not read', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(parseJson(nested(500))).toHaveLength(1)
  expect(() => parseJson(nested(501))).toThrow(new TooLarge('nested 501 deep'))
  expect(() => parseJson(nested(500_000))).toThrow(TooLarge)
  expect(parseJson(`[${'0,'.repeat(49_998)}0]`)).toHaveLength(49_999)
  expect(() => parseJson(`[${'0,'.repeat(49_999)}0]`)).toThrow(TooLarge)
})

test.each([
  ['a string of escaped quotes that is never closed', `"${'\\"'.repeat(500_000)}`],
  ['a string of backslashes', `"${'\\'.repeat(1_000_001)}`],
  ['many openings', '['.repeat(1_000_000)],
  ['a number of a million digits', `[${'1'.repeat(1_000_000)}.`],
])('%s is no JSON', (_what, text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})
