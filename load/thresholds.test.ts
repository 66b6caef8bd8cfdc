// What a file of thresholds may hold, and the message for an invalid one; a threshold is met or not
// by what was measured, and never met by what was not.
import { describe, expect, test } from 'vitest'
import type { Counts, LoadFigures, LoadScenarioFigures } from '../engine/check/run-file.ts'
import { noCounts } from '../tests/fake-load.ts'
import { Histogram } from './meter.ts'
import { scenarios } from './scenarios.ts'
import schema from './thresholds.schema.json' with { type: 'json' }
import { judgeThresholds, readThresholds } from './thresholds.ts'

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
  const figures = 'mean, p50, p90, p95, p99, p999, max, errors, refused, perSecond'
  const noFile = 'the file expects scenarios, for example steady: { p99: "< 20 ms" }'
  const noFigures = 'steady expects figures, for example p99: "< 20 ms"'
  test.for([
    ...['', '[1]', '{}'].map((text) => [text, noFile]),
    ...['steady: {}', 'steady: fast'].map((text) => [text, noFigures]),
    ...['steay', '__proto__'].map((name) => [
      `${name}: { p99: < 1 s }`,
      `unknown scenario "${name}"; available: ${known}`,
    ]),
    ['steady: { p75: < 1 s }', `unknown figure of steady "p75"; available: ${figures}`],
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

/** All responses after `ms`, in ten seconds. */
const figures = (ms: number, given: Partial<Counts>): LoadFigures => {
  const counts = { ...noCounts, ...given }
  const histogram = new Histogram()
  for (let index = 0; index < counts.served; index += 1) histogram.record(ms)
  const sent = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    durationMs: 10_000,
    sent,
    neverSent: 0,
    counts,
    countsByKey: { 'free-1': counts },
    latency: histogram.latency(),
    seconds: [],
  }
}

const judged = (
  threshold: Record<string, Record<string, string>>,
  columns: LoadScenarioFigures['columns'] | null,
  chosen = Object.keys(threshold),
) => {
  const [id = ''] = Object.keys(threshold)
  const load = columns ? [{ id, says: '', connections: 1, columns }] : []
  const own = scenarios.filter((each) => chosen.includes(each.id))
  const results: object[] = []
  judgeThresholds(readThresholds(JSON.stringify(threshold)), load, own, (one, ending) => {
    const { kind, ...says } = ending
    results.push({ id: one.id, kind, detail: Object.values(says).join() })
  })
  expect(results).toHaveLength(1)
  return results[0]
}

describe('a time', () => {
  const at = (text: string, ms: number) =>
    judged({ steady: { p99: text } }, { target: figures(ms, { served: 100 }) })

  test('is compared with what was measured', () => {
    expect(at('< 20 ms', 12)).toEqual({
      id: 'load-threshold-steady-p99',
      kind: 'observed',
      detail: 'steady p99: 12.0 ms (< 20 ms)',
    })
    expect(at('< 20 ms', 25)).toMatchObject({ kind: 'warned' })
    expect(at('< 0.02 s', 19.9)).toMatchObject({ kind: 'observed' })
    expect(at('< 900 us', 1)).toMatchObject({ kind: 'warned' })
  })

  test('is met by an equal value only with <=', () => {
    expect(at('<= 8 ms', 8)).toMatchObject({ kind: 'observed' })
    expect(at('< 8 ms', 8)).toMatchObject({ kind: 'warned' })
  })
})

describe('a percentile of too few responses', () => {
  const few = { kind: 'threw' }
  test.for([
    ['p50', 2],
    ['p90', 10],
    ['p95', 20],
    ['p99', 100],
    ['p999', 1_000],
  ] as const)('%s takes %i: with one less it is undecided', ([metric, needed]) => {
    for (const limit of ['< 900 s', '< 1 us']) {
      const at = (served: number) =>
        judged({ steady: { [metric]: limit } }, { target: figures(5, { served }) })
      expect(at(needed)).toMatchObject({ kind: limit === '< 1 us' ? 'warned' : 'observed' })
      const why = `takes ${needed} responses, and there were ${needed - 1}`
      const detail = expect.stringContaining(why)
      expect(at(needed - 1)).toMatchObject({ ...few, detail })
    }
  })

  test('at the baseline leaves it undecided too', () => {
    const columns = { target: figures(1, { served: 200 }), prism: figures(1, { served: 99 }) }
    const detail = expect.stringContaining('takes 100 responses, and there were 99 at prism')
    expect(judged({ steady: { p99: '< 9x prism' } }, columns)).toMatchObject({ ...few, detail })
  })

  test('is no matter for the largest and the mean', () => {
    const columns = { target: figures(5, { served: 1 }) }
    for (const metric of ['max', 'mean']) {
      expect(judged({ steady: { [metric]: '< 9 s' } }, columns)).toMatchObject({ kind: 'observed' })
    }
  })
})

describe('a multiple', () => {
  const served = { served: 100 }
  const columns = {
    target: figures(6, served),
    prism: figures(3, served),
    reference: figures(1, served),
  }
  test.for([
    ['< 3x baseline', 'observed', 'steady p50: 6.00 ms (< 3x baseline: prism has 3.00 ms, so 2.00'],
    ['< 3x prism', 'observed', 'prism has 3.00 ms'],
    ['< 3x reference', 'warned', 'reference has 1.00 ms, so 6.00 times it'],
    ['< 2x baseline', 'warned', 'prism'],
    ['<= 2x baseline', 'observed', 'prism'],
  ])('%s: %s', ([text = '', kind, says]) => {
    const result = judged({ steady: { p50: text } }, columns)
    expect(result).toMatchObject({ kind, detail: expect.stringContaining(says ?? '') })
  })

  test('of the baseline is one of the reference where Prism did not run', () => {
    const { target, reference } = columns
    const result = judged({ steady: { p50: '< 3x baseline' } }, { target, reference })
    expect(result).toMatchObject({ kind: 'warned' })
    expect(result).toMatchObject({ detail: expect.stringContaining('reference has 1.00 ms') })
  })

  test('of what was not measured is never met', () => {
    const { target } = columns
    for (const prism of [undefined, figures(1, {}), figures(1, { timeout: 9 })]) {
      const result = judged({ steady: { p50: '< 3x prism' } }, { target, ...(prism && { prism }) })
      expect(result).toMatchObject({ kind: 'warned' })
      expect(result).toMatchObject({
        detail: 'steady p50: 6.00 ms, and nothing was measured at prism for < 3x prism',
      })
    }
  })
})

describe('nothing measured meets no threshold', () => {
  test.for(['p50', 'p99', 'max', 'mean', 'errors', 'refused', 'perSecond'])('%s', (metric) => {
    const text = metric === 'perSecond' ? '>= 0 /s' : /e/.test(metric) ? '<= 100 %' : '< 9 s'
    const limit = metric === 'mean' ? '< 9 s' : text
    for (const columns of [{ target: figures(1, {}) }, {}]) {
      const result = judged({ steady: { [metric]: limit } }, columns)
      expect(result).toMatchObject({ kind: 'warned' })
      expect(result).toMatchObject({ detail: expect.stringContaining('nothing was measured') })
    }
  })

  test('and a scenario that was not selected is untested', () => {
    const result = judged({ soak: { p50: '< 1 s' } }, {}, ['steady'])
    expect(result).toMatchObject({
      kind: 'threw',
      detail: 'Error: the scenario soak was not selected',
    })
    const missing = judged({ soak: { p50: '< 1 s' } }, null)
    expect(missing).toMatchObject({ kind: 'warned' })
  })
})

describe('errors', () => {
  const share = (scenario: string, given: Partial<Counts>, limit: string) =>
    judged({ [scenario]: { errors: limit } }, { target: figures(1, given) })

  test('are all that failed, of all that was sent', () => {
    const given = { served: 995, timeout: 1, reset: 1, serverError: 2, otherClientError: 1 }
    expect(share('burst', given, '<= 0.5 %')).toMatchObject({
      kind: 'observed',
      detail: 'burst errors: 0.5 % (<= 0.5 %)',
    })
    expect(share('burst', given, '< 0.5 %')).toMatchObject({ kind: 'warned' })
  })

  test('are refusals too, where the quota was kept', () => {
    const given = { served: 90, refused: 8, banned: 2 }
    expect(share('burst', given, '<= 0 %')).toMatchObject({ kind: 'observed' })
    for (const scenario of ['steady', 'capacity', 'soak']) {
      expect(share(scenario, given, '< 10 %')).toMatchObject({ kind: 'warned' })
    }
    const refused = judged({ burst: { refused: '< 10 %' } }, { target: figures(1, given) })
    expect(refused).toMatchObject({ detail: 'burst refused: 10 % (< 10 %)' })
  })
})

test('what was planned within the quota and never sent is an error', () => {
  const target = { ...figures(1, { served: 90 }), neverSent: 10 }
  const steady = judged({ steady: { errors: '< 10 %' } }, { target })
  expect(steady).toMatchObject({ kind: 'warned', detail: 'steady errors: 10 % (< 10 %)' })
  expect(judged({ burst: { errors: '<= 0 %' } }, { target })).toMatchObject({ kind: 'observed' })
})

test('the rate is that of the whole, or of the best step', () => {
  const whole = figures(1, { served: 5000 })
  expect(judged({ fleet: { perSecond: '>= 500 /s' } }, { target: whole })).toMatchObject({
    kind: 'observed',
  })
  const steps = [100, 700, 5].map((perSecond) => ({
    ...{ connections: 1, perSecond, p50Ms: 1, p99Ms: 1, errors: 0 },
  }))
  const stepped = { ...whole, steps }
  const result = judged({ capacity: { perSecond: '> 700 /s' } }, { target: stepped })
  expect(result).toMatchObject({
    kind: 'warned',
    detail: 'capacity perSecond: 700.0 /s (> 700 /s)',
  })
})
