// YAML in, exact values out, and one line for what is wrong with it.
import { describe, expect, test } from 'vitest'
import { parseYaml } from './yaml.ts'

test.for([
  ['a: 1', { a: 1 }],
  ['[9007199254740991, -9007199254740991]', [9007199254740991, -9007199254740991]],
  ['[9007199254740992, -9007199254740993]', [9007199254740992n, -9007199254740993n]],
  ['{"id": 9223372036854775807, "x": 1.5}', { id: 9223372036854775807n, x: 1.5 }],
  ['"9007199254740993"', '9007199254740993'],
  ['1: one', { 1: 'one' }],
  ['a: &x [1]\nb: *x', { a: [1], b: [1] }],
  ['', null],
] as const)('%s', ([text, value]) => {
  expect(parseYaml(text)).toEqual(value)
})

test('a member named __proto__ is a member like any other', () => {
  const value = parseYaml('__proto__: { polluted: true }')
  expect(Object.keys(value as object)).toEqual(['__proto__'])
  expect(value).not.toHaveProperty('polluted')
})

describe('a fault is told in one line, with its place', () => {
  test.for([
    ['a: 1\na: 2', 'Map keys must be unique (line 2, column 1)'],
    ['a: [1', /\(line 1, column \d+\)$/],
    ['a: !!js/function x', /Unresolved tag.* \(line 1, column 4\)$/],
    ['a\n---\nb', /multiple documents.* \(line \d+, column \d+\)$/],
    ['a: *nobody', /nobody/],
    ['['.repeat(20_000), /call stack size exceeded|nested too deeply/],
    ['x'.repeat(5_000_000), 'the text is longer than 4194304 characters'],
    [bomb(), /[Ee]xcessive alias count/],
  ] as const)('fault %$', ([text, message]) => {
    expect(() => parseYaml(text)).toThrow(message)
    expect(() => parseYaml(text)).toThrow(/^.+$/)
  })
})

/** Ten levels of ten aliases each: a few bytes that would become ten thousand million. */
function bomb(): string {
  const levels = ['a0: &a0 [x]']
  for (let i = 1; i <= 10; i++) {
    levels.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    )
  }
  return levels.join('\n')
}
