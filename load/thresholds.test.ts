// What a file of thresholds may hold, and the message for an invalid one; a threshold is met or not
// by what was measured, and never met by what was not.
import { describe, expect, test } from 'vitest'
import type { Counts, LoadFigures, LoadScenarioFigures } from '../engine/check/run-file.ts'
import { noCounts } from '../tests/fakes/fake-load.ts'
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
  const values = readThresholds(yaml).map(({ metric, value, of }) => [metric, value, of])
  expect(values).toEqual([
    ['p99', 3, 'baseline'],
    ['errors', 0.001, null],
    ['p50', 1_500, null],
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
  const time = '`< 20 ms` (us, ms or s) or `< 3x baseline` (or prism, or reference)'
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
      'soak.errors expects `< 0.1 %`, a share of the requests sent, got "< 3x prism"',
    ],
    [
      'capacity: { perSecond: < 9 /s }',
      'capacity.perSecond expects `> 500 /s` or `> 0.5x baseline` (or prism, or reference), ' +
        'of the best step if it has steps, got "< 9 /s"',
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
  text: string,
  columns: LoadScenarioFigures['columns'] | null,
  chosen?: readonly string[],
) => {
  const [id = '', metric = '', limit = ''] = text.split(/: | (?=[<>])/)
  const load = columns ? [{ id, says: '', connections: 1, columns }] : []
  const own = scenarios.filter((each) => (chosen ?? [id]).includes(each.id))
  const results: object[] = []
  const threshold = readThresholds(JSON.stringify({ [id]: { [metric]: limit } }))
  judgeThresholds(threshold, load, own, (one, ending) => {
    const { kind, ...says } = ending
    results.push({ id: one.id, kind, detail: Object.values(says).join() })
  })
  expect(results).toHaveLength(1)
  return results[0]
}

const all = { served: 100 }
const [target, prism, reference] = [figures(6, all), figures(3, all), figures(1, all)]
const lost = { served: 995, timeout: 1, reset: 1, serverError: 2, otherClientError: 1 }
const refusing = { target: figures(1, { served: 90, refused: 8, banned: 2 }) }
const unsent = { target: { ...figures(1, { served: 90 }), neverSent: 10 } }
const whole = figures(1, { served: 5000 })
const steps = [100, 700, 5].map((perSecond) => ({
  ...{ connections: 1, perSecond, p50Ms: 1, p99Ms: 1, errors: 0 },
}))
const notAtPrism = 'steady p50: 6.00 ms, and nothing was measured at prism for < 3x prism'

test.for([
  ['steady: p99 < 20 ms', { target }, 'observed', 'steady p99: 6.00 ms (< 20 ms)'],
  ['steady: p99 < 5 ms', { target }, 'warned', '6.00 ms'],
  ['steady: p99 < 0.007 s', { target }, 'observed', '6.00 ms'],
  ['steady: p99 < 900 us', { target }, 'warned', '6.00 ms'],
  ['steady: p99 <= 6 ms', { target }, 'observed', '6.00 ms'],
  ['steady: p99 < 6 ms', { target }, 'warned', '6.00 ms'],
  ['steady: max < 9 s', { target: figures(5, { served: 1 }) }, 'observed', '5.00 ms'],
  ['steady: p99 < 9x prism', { target, prism: figures(1, { served: 99 }) }, 'threw', '99 at prism'],
  [
    'steady: p50 < 3x baseline',
    { target, prism, reference },
    'observed',
    'prism has 3.00 ms, so 2',
  ],
  ['steady: p50 < 3x reference', { target, prism, reference }, 'warned', '1.00 ms, so 6.00 times'],
  ['steady: p50 < 2x baseline', { target, prism, reference }, 'warned', 'prism'],
  ['steady: p50 <= 2x baseline', { target, prism, reference }, 'observed', 'prism'],
  ['steady: p50 < 3x baseline', { target, reference }, 'warned', 'reference has 1.00 ms'],
  ['steady: p50 < 3x prism', { target }, 'warned', notAtPrism],
  ['steady: p50 < 3x prism', { target, prism: figures(1, { timeout: 9 }) }, 'warned', notAtPrism],
  ['burst: errors <= 0.5 %', { target: figures(1, lost) }, 'observed', 'burst errors: 0.5 % (<='],
  ['burst: errors < 0.5 %', { target: figures(1, lost) }, 'warned', '0.5 %'],
  ['burst: errors <= 0 %', refusing, 'observed', '0 %'],
  ['burst: refused < 10 %', refusing, 'warned', 'burst refused: 10 % (< 10 %)'],
  // Where the quota is kept, refusals are errors, and so is what was never sent.
  ...['steady', 'capacity', 'soak'].map(
    (id) => [`${id}: errors < 10 %`, refusing, 'warned', '10 %'] as const,
  ),
  ['steady: errors < 10 %', unsent, 'warned', 'steady errors: 10 % (< 10 %)'],
  ['burst: errors <= 0 %', unsent, 'observed', '0 %'],
  ['fleet: perSecond >= 500 /s', { target: whole }, 'observed', '500.0 /s'],
  ['capacity: perSecond > 700 /s', { target: { ...whole, steps } }, 'warned', '700.0 /s'],
] as const)('%s: %o: %s', ([text, columns, kind, says]) => {
  expect(judged(text, columns)).toMatchObject({ kind, detail: expect.stringContaining(says) })
})

test.for([
  ['p50', 2],
  ['p90', 10],
  ['p95', 20],
  ['p99', 100],
  ['p999', 1_000],
] as const)('%s takes %i responses: with one less it is undecided', ([metric, needed]) => {
  for (const limit of ['< 900 s', '< 1 us']) {
    const at = (served: number) =>
      judged(`steady: ${metric} ${limit}`, { target: figures(5, { served }) })
    expect(at(needed)).toMatchObject({ kind: limit === '< 1 us' ? 'warned' : 'observed' })
    const why = `takes ${needed} responses, and there were ${needed - 1}`
    expect(at(needed - 1)).toMatchObject({ kind: 'threw', detail: expect.stringContaining(why) })
  }
})

test.for(['p50 < 9 s', 'mean < 9 s', 'errors <= 100 %', 'refused <= 100 %', 'perSecond >= 0 /s'])(
  'nothing measured does not meet %s',
  (limit) => {
    for (const columns of [{ target: figures(1, {}) }, {}, null]) {
      const detail = expect.stringContaining('nothing was measured')
      expect(judged(`steady: ${limit}`, columns)).toMatchObject({ kind: 'warned', detail })
    }
  },
)

test('a scenario that was not selected is untested', () => {
  const detail = 'Error: the scenario soak was not selected'
  expect(judged('soak: p50 < 1 s', {}, ['steady'])).toMatchObject({ kind: 'threw', detail })
})
