// Samples of k6 judged: exact over all instances, and refused where they are not one whole run.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { plans } from '../../spec/plans.ts'
import { folderWith } from '../../tests/e2e/petvet.ts'
import { type FakeSample, fakeK6, limited, startMs } from '../../tests/fake-k6.ts'
import { outcomesOf } from '../../tests/vet-reference.ts'
import { scenarios } from '../scenarios.ts'
import { readThresholds } from '../thresholds.ts'
import { judgeK6 } from './judge-samples.ts'
import { k6Plan } from './k6-plan.ts'

const secret = 'a-key-of-this-test'
const planOf = (scenario: string) =>
  k6Plan({
    target: {
      baseUrl: 'https://staging.example.com/v1',
      keys: [
        { plan: 'free', key: secret, quota: plans.free },
        { plan: 'free', key: `${secret}-2`, quota: plans.free },
      ],
      ...{ allow: ['exhaust', 'ban'], shared: false },
    },
    ...{ headers: [], settings: { connections: [20], durationMs: null }, thresholds: [] },
    scenarios: scenarios.filter(({ id }) => id === scenario),
  }).plan

const plan = planOf('burst')

const written = (text: string | Buffer): string => join(folderWith({ samples: text }), 'samples')

const judge = (paths: readonly string[], thresholds: string | null = null): Promise<RunFile> =>
  judgeK6(
    {
      ...{ paths, scenarios, options: { strict: false } },
      thresholds: thresholds === null ? null : readThresholds(thresholds),
    },
    { event: () => {} },
  )

/** Two probes and a burst, one request after another. */
const requests: readonly FakeSample[] = [
  { atMs: 500, part: 'probe' },
  { atMs: 4_500, part: 'probe' },
  ...Array.from({ length: 78 }, (_, at) => ({ atMs: 5_000 + at })),
]

/** Every n-th is that of one instance. */
const partOf = <T>(all: readonly T[], index: number, count: number): T[] =>
  all.filter((_one, at) => at % count === index)

const instancesOf = (samples: readonly FakeSample[], count: number) =>
  Array.from({ length: count }, (_, index) =>
    fakeK6({ plan, index, count, samples: partOf(samples, index, count) }),
  )

test('the quota is exact over all instances, in files of both kinds', async () => {
  const [first = '', ...others] = instancesOf(limited(requests), 4)
  const run = await judge([written(gzipSync(first)), written(others.join(''))])
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested')).toEqual([])
  expect(run).toMatchObject({
    verdict: 'conformant',
    requests: 80,
    requestsByKey: { 'free-1': 80 },
  })
  const { target } = run.load?.[0]?.columns ?? {}
  expect(target).toMatchObject({ sent: 80, counts: { served: 60, refused: 20 } })
  expect(run.notes.join()).toContain('4 instances of k6')
  expect(JSON.stringify(run)).not.toContain(secret)
})

test('a quota that each instance is granted anew is found', async () => {
  const texts = [0, 1].map((index) =>
    fakeK6({
      plan,
      index,
      count: 2,
      samples: limited(index === 0 ? requests : requests.slice(2)),
    }),
  )
  const run = await judge(texts.map(written))
  expect(outcomesOf(run, 'fail').join()).toContain('load-burst-not-more')
})

test('what the clocks of two instances may explain is untested, and no fail', async () => {
  // One more than was announced: a bucket that refills one token a second grants it a second later.
  const samples = limited(requests).map((one, at) => ({
    ...one,
    status: at <= 60 ? 200 : 429,
    metadata: { ...one.metadata, reset: `${(startMs + one.atMs) / 1_000 + 2}`.split('.')[0] ?? '' },
  }))
  const run = await judge(instancesOf(samples, 2).map(written))
  expect(outcomesOf(run, 'fail')).toEqual([])
  expect(outcomesOf(run, 'untested').join()).toContain('clocks of the instances')
})

test('a clock that is wrong by minutes is corrected by Date', async () => {
  const samples = limited(requests)
  const [first = ''] = instancesOf(samples, 2)
  const ahead = fakeK6({
    plan,
    index: 1,
    count: 2,
    aheadMs: 90_000,
    samples: partOf(samples, 1, 2),
  })
  const run = await judge([written(first), written(ahead)])
  expect(outcomesOf(run, 'fail', 'error')).toEqual([])
  expect(run.load?.[0]?.columns.target?.durationMs).toBeLessThan(10_000)
})

test('figures are those of all samples, and thresholds are judged', async () => {
  const steady = planOf('steady')
  const samples = Array.from({ length: 100 }, (_, at) => ({
    atMs: at * 10,
    ms: at + 1,
    part: 'pace',
  }))
  const text = fakeK6({ plan: steady, samples })
  const run = await judge([written(text)], 'steady: { p50: "< 40 ms", p99: "< 1 s" }')
  expect(run.load?.[0]?.columns.target?.latency).toMatchObject({ count: 100, p50Ms: 50.015 })
  expect(outcomesOf(run, 'warn').join()).toContain('load-threshold-steady-p50')
})

describe('files that are not one whole run', () => {
  const [a = '', b = ''] = instancesOf(limited(requests), 2)
  const other = fakeK6({ plan, index: 1, count: 2, run: 'two', samples: [] })
  test.for<[string, readonly (string | Buffer)[], string]>([
    ['truncated in a line', [a, b.slice(0, -20)], 'is truncated'],
    ['truncated between lines', [a, b.slice(0, b.lastIndexOf('\n{') + 1)], 'k6 did not end there'],
    ['truncated gzip', [a, gzipSync(b).subarray(0, -40)], 'is truncated'],
    ['foreign', ['{"hello":1}\n'], 'is no output of k6'],
    ['an instance less', [a], 'instances are missing: 1 of 2'],
    ['the same twice', [a, b, b], 'two runs are mixed'],
    ['two runs', [a, other], 'another run'],
  ])('%s', async ([, texts, message]) => {
    await expect(judge(texts.map(written))).rejects.toThrow(message)
  })

  test('a file that is not there', async () => {
    await expect(judge(['none.json'])).rejects.toThrow('ENOENT')
  })
})
