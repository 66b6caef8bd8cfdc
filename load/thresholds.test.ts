// What a file of thresholds may hold, and the message for an invalid one.
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

describe('an invalid file is an error of one line that says what is expected', () => {
  const time = '"< 20 ms" (us, ms or s) or "< 3x baseline" (or prism, or reference)'
  const known = Object.keys(schema.properties).slice(1).join(', ')
  const figures = 'mean, p50, p90, p99, p999, max, errors, refused, perSecond'
  const noFile = 'the file expects scenarios, for example steady: { p99: "< 20 ms" }'
  const noFigures = 'steady expects figures, for example p99: "< 20 ms"'
  test.for([
    ...['', '[1]', '{}'].map((text) => [text, noFile]),
    ...['steady: {}', 'steady: fast'].map((text) => [text, noFigures]),
    ...['steay', '__proto__'].map((name) => [
      `${name}: { p99: < 1 s }`,
      `unknown scenario "${name}"; available: ${known}`,
    ]),
    ['steady: { p95: < 1 s }', `unknown figure of steady "p95"; available: ${figures}`],
    ['steady: { p99: 20 }', `steady.p99 expects ${time}, got 20`],
    ...['fast', '> 20 ms', '< 20', '< -1 ms', '< 1e3 ms', '< 2x mock'].map((limit) => [
      `steady: { p99: ${limit} }`,
      `steady.p99 expects ${time}, got "${limit}"`,
    ]),
    [
      'soak: { errors: < 3x prism }',
      'soak.errors expects "< 0.1 %", a share of the requests sent, got "< 3x prism"',
    ],
    [
      'capacity: { perSecond: < 9 /s }',
      'capacity.perSecond expects "> 500 /s" or "> 0.5x baseline" (or prism, or reference), ' +
        'got "< 9 /s"',
    ],
    ['steady: { p99: < 1 s, p99: < 2 s }', 'Map keys must be unique (line 1, column 25)'],
  ])('%s', ([text = '', message = '']) => {
    const quoted = text.replaceAll(/: ([<>][^,}]*[^,} ])/g, ': "$1"')
    expect(() => readThresholds(quoted)).toThrow(new Error(message))
  })
})

test('the schema has every scenario, and no other', () => {
  const { $schema: _, ...members } = schema.properties
  expect(Object.keys(members).sort()).toEqual(scenarios.map(({ id }) => id).sort())
})
