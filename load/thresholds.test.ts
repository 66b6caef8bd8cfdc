// What a file of thresholds may say, and what is told of one that says something else.
import { describe, expect, test } from 'vitest'
import { scenarios } from './scenarios.ts'
import schema from './thresholds.schema.json' with { type: 'json' }
import { readThresholds } from './thresholds.ts'

test('a file is read, as YAML or as JSON', () => {
  const yaml = 'steady:\n  p99: "< 3x baseline"\n  errors: <= 0.1 %\ncapacity: { p50: <1.5s }\n'
  const json = JSON.stringify({
    $schema: 'https://example.com/thresholds.schema.json',
    steady: { p99: '< 3x baseline', errors: '<= 0.1 %' },
    capacity: { p50: '<1.5s' },
  })
  expect(readThresholds(yaml)).toEqual(readThresholds(json))
  expect(readThresholds(yaml)).toEqual([
    {
      scenario: 'steady',
      metric: 'p99',
      sign: '<',
      value: 3,
      of: 'baseline',
      text: '< 3x baseline',
    },
    { scenario: 'steady', metric: 'errors', sign: '<=', value: 0.001, of: null, text: '<= 0.1 %' },
    { scenario: 'capacity', metric: 'p50', sign: '<', value: 1500, of: null, text: '<1.5s' },
  ])
})

test.for([
  ['p50', '< 250 us', 0.25, null],
  ['p999', '<= 20.5 ms', 20.5, null],
  ['max', '< 2 s', 2000, null],
  ['mean', '< 1.5x reference', 1.5, 'reference'],
  ['refused', '<= 0 %', 0, null],
  ['perSecond', '> 500 /s', 500, null],
  ['perSecond', '>= 0.5x prism', 0.5, 'prism'],
] as const)('%s: %s', ([metric, text, value, of]) => {
  const [threshold] = readThresholds(JSON.stringify({ steady: { [metric]: text } }))
  expect(threshold).toMatchObject({ metric, value, of, text, sign: text.split(' ')[0] })
})

describe('what is wrong is told in one line that says what to write', () => {
  const times = '"< 20 ms" (us, ms or s) or "< 3x baseline" (or prism, or reference)'
  const scenarios = Object.keys(schema.properties).slice(1).join(', ')
  test.for([
    ['', 'the file takes scenarios, such as steady: { p99: "< 20 ms" }'],
    ['[1]', 'the file takes scenarios, such as steady: { p99: "< 20 ms" }'],
    ['{}', 'the file takes scenarios, such as steady: { p99: "< 20 ms" }'],
    ['steady: {}', 'steady takes figures, such as p99: "< 20 ms"'],
    ['steady: fast', 'steady takes figures, such as p99: "< 20 ms"'],
    ['steay: { p99: < 1 s }', `"steay" is no scenario: there are ${scenarios}`],
    ['__proto__: { p99: < 1 s }', `"__proto__" is no scenario: there are ${scenarios}`],
    [
      'steady: { p95: < 1 s }',
      '"p95" is no figure of steady: ' +
        'there are mean, p50, p90, p99, p999, max, errors, refused, perSecond',
    ],
    ['steady: { p99: fast }', `steady.p99 takes ${times}, not "fast"`],
    ['steady: { p99: 20 }', `steady.p99 takes ${times}, not 20`],
    ['steady: { p99: > 20 ms }', `steady.p99 takes ${times}, not "> 20 ms"`],
    ['steady: { p99: < 20 }', `steady.p99 takes ${times}, not "< 20"`],
    ['steady: { p99: < -1 ms }', `steady.p99 takes ${times}, not "< -1 ms"`],
    ['steady: { p99: < 1e3 ms }', `steady.p99 takes ${times}, not "< 1e3 ms"`],
    ['steady: { p99: < 2x mock }', `steady.p99 takes ${times}, not "< 2x mock"`],
    [
      'soak: { errors: < 3x prism }',
      'soak.errors takes "< 0.1 %", a share of the requests sent, not "< 3x prism"',
    ],
    [
      'capacity: { perSecond: < 9 /s }',
      'capacity.perSecond takes "> 500 /s" or "> 0.5x baseline" (or prism, or reference), ' +
        'not "< 9 /s"',
    ],
    ['steady: { p99: < 1 s, p99: < 2 s }', 'Map keys must be unique (line 1, column 25)'],
  ])('%s', ([text = '', says = '']) => {
    const quoted = text.replaceAll(/: ([<>][^,}]*[^,} ])/g, ': "$1"')
    expect(() => readThresholds(quoted)).toThrow(new Error(says))
  })
})

test('the schema knows every scenario, and none that there is not', () => {
  const { $schema: _, ...members } = schema.properties
  expect(Object.keys(members).sort()).toEqual(scenarios.map(({ id }) => id).sort())
})
