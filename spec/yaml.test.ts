// YAML in, exact values out, and one line for what is wrong with it.
import { describe, expect, test } from 'vitest'
import { parseYaml, YamlNotRead } from './yaml.ts'

test.for([
  ['a: 1', { a: 1 }],
  ['[9007199254740991, -9007199254740991]', [9007199254740991, -9007199254740991]],
  ['[9007199254740992, -9007199254740993]', [9007199254740992n, -9007199254740993n]],
  ['{"id": 9223372036854775807, "x": 1.5}', { id: 9223372036854775807n, x: 1.5 }],
  ['"9007199254740993"', '9007199254740993'],
  ['1: one', { 1: 'one' }],
  ['a: &x [1]\nb: *x', { a: [1], b: [1] }],
  ['a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
  ['a: &x b\n*x : 1', { a: 'b', b: 1 }],
  ['"<<": 1', { '<<': 1 }],
  ['', null],
] as const)('%s', ([text, value]) => {
  expect(parseYaml(text)).toEqual(value)
})

test('a member named __proto__ is a member like any other', () => {
  const value = parseYaml('__proto__: { polluted: true }')
  expect(Object.keys(value as object)).toEqual(['__proto__'])
  expect(value).not.toHaveProperty('polluted')
})

const faultOf = (text: string): Error => {
  try {
    parseYaml(text)
  } catch (error) {
    return error as Error
  }
  throw new Error('it was read')
}

describe('a fault is one line, with its place', () => {
  test.for([
    ['a: 1\na: 2', 'Map keys must be unique (line 2, column 1)'],
    ['a: [1', /\(line 1, column \d+\)$/],
    ['a: !!js/function x', /Unresolved tag.* \(line 1, column 4\)$/],
    ['a\n---\nb', /multiple documents.* \(line \d+, column \d+\)$/],
    ['a: *nobody', 'nothing is named nobody (line 1, column 4)'],
    ['1: a\n"1": b', 'Map keys must be unique (line 2, column 1)'],
    ['[a]: 1', 'a key that is not a scalar (line 1, column 1)'],
    ['a: &x\n  b: *x', 'the alias *x refers to its own parent (line 2, column 6)'],
    ['['.repeat(20_000), 'the text is nested too deeply'],
    ['x'.repeat(5_000_000), 'the text is longer than 4194304 characters'],
    [bomb(), /^aliases expand to too many values \(line \d+, column \d+\)$/],
  ] as const)('fault %$', ([text, message]) => {
    const fault = faultOf(text).message
    expect(fault).toMatch(message)
    expect(fault.split('\n')).toHaveLength(1)
  })
})

describe('valid text that is not read has an error of its own', () => {
  test.for([
    ['- '.repeat(100_000), 'nested too deeply'],
    [`[${'1,'.repeat(210_000)}]`, 'more than 400000 tokens'],
    ['a: &x { b: 1 }\nc: { <<: *x }', 'a merge key'],
    [bomb(), 'too many values'],
  ] as const)('%$', ([text, message]) => {
    const fault = faultOf(text)
    expect(fault).toBeInstanceOf(YamlNotRead)
    expect(fault.message).toContain(message)
  })

  test.for(['a: [1', 'a: *nobody'])('and %j is not valid', (text) => {
    expect(faultOf(text)).not.toBeInstanceOf(YamlNotRead)
  })
})

// With each key compared to each other one, and each alias to each anchor, this took seconds.
test('many keys, and many aliases, are read in no time', () => {
  const all = Array.from({ length: 10_000 }, (_, i) => i)
  const keys = parseYaml(all.map((i) => `a${i}: ${i}`).join('\n')) as Record<string, unknown>
  expect([Object.keys(keys).length, keys.a9999]).toEqual([10_000, 9_999])
  const aliases = parseYaml(all.map((i) => `- &a${i} ${i}\n- *a${i}`).join('\n')) as unknown[]
  expect(aliases.slice(-4)).toEqual([9_998, 9_998, 9_999, 9_999])
})

test('many faults cost no more than one', () => {
  expect(() => parseYaml(`a: "${'\\x'.repeat(200_000)}`)).toThrow(/^Invalid escape sequence/)
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
