// Runs of one load on several machines become one run, and others are refused.
import { describe, expect, test } from 'vitest'
import type { Counts, LoadFigures } from '../suites/kit/load-figures.ts'
import type { CheckResult, RunFile } from '../suites/kit/run-file.ts'
import { createHistogram } from './histogram.ts'
import { mergeRuns, type ShardRun } from './merge-runs.ts'

const countsOf = (served: number, refused: number): Counts => ({
  served,
  refused,
  banned: 0,
  otherClientError: 0,
  serverError: 0,
  timeout: 0,
  reset: 0,
})

const figuresOf = (ms: number, served: number, label: string): LoadFigures => {
  const histogram = createHistogram()
  for (let index = 0; index < served; index += 1) histogram.record(ms)
  const counts = countsOf(served, 1)
  return {
    durationMs: 1_000,
    sent: served + 1,
    neverSent: 2,
    counts,
    countsByKey: { [label]: counts },
    latency: histogram.latency(),
    seconds: [
      { second: served, key: label, counts, p50Ms: ms, p99Ms: ms, remaining: 3 },
      { second: 0, key: label, counts, p50Ms: ms, p99Ms: ms, remaining: 4 },
    ],
    steps: [
      { connections: 1, perSecond: 10, p50Ms: ms, p99Ms: 2 * ms, errors: 1 },
      ...(served > 50 ? [{ connections: 2, perSecond: 19, p50Ms: ms, p99Ms: ms, errors: 0 }] : []),
    ],
  }
}

const check = (outcome: CheckResult['outcome'], detail: string): CheckResult => ({
  id: 'load-burst-exact',
  requirement: 'limits.free',
  level: 'must',
  outcome,
  because: outcome === 'untested' ? 'key' : null,
  detail,
  requests: 61,
  evidence: [],
})

const runOf = (index: number, of: number, change: Partial<RunFile>): ShardRun => {
  const [ms, served] = index === 1 ? [1, 60] : [9, 40]
  return {
    place: `run-${index}`,
    run: {
      schema: 1,
      petvet: '0.1.0',
      interface: '1.0.0',
      seed: 7,
      startedAt: `2026-11-20T12:00:0${index}.000Z`,
      durationMs: 5_000,
      target: { baseUrl: 'http://127.0.0.1:8080/v1', plans: ['free'], clock: false },
      verdict: 'conformant',
      interrupted: false,
      impossible: null,
      notes: [`note ${index}`],
      decided: { must: [1, 1], should: [0, 0] },
      requests: served + 2,
      requestsByKey: { 'free-1': served + 2 },
      checks: [check('pass', 'exactly 60')],
      requirements: [],
      observations: {},
      shard: { index, of },
      load: [
        {
          id: 'burst',
          says: 'A burst.',
          connections: 10,
          columns: {
            target: figuresOf(ms, served, 'free-1'),
            ...(index === 1 && { prism: figuresOf(2, 10, 'free-1') }),
          },
        },
      ],
      ...change,
    },
  }
}

test('what was counted adds up, each key has its own name, latencies are those of all', () => {
  const merged = mergeRuns([runOf(2, 2, {}), runOf(1, 2, {})])
  expect(merged.shard).toBeUndefined()
  expect(merged.verdict).toBe('conformant')
  expect(merged.requests).toBe(104)
  expect(merged.requestsByKey).toEqual({ 'free-1': 62, 'free-2': 42 })
  expect(merged.startedAt).toBe('2026-11-20T12:00:01.000Z')
  expect(merged.durationMs).toBe(6_000)
  expect(merged.decided.must).toEqual([1, 1])
  expect(merged.notes).toEqual(['merged from the runs of 2 machines', 'note 1', 'note 2'])
  const [burst] = merged.load ?? []
  expect(burst?.connections).toBe(20)
  expect(Object.keys(burst?.columns ?? {})).toEqual(['target', 'prism'])
  expect(burst?.columns.prism?.sent).toBe(11)
  const target = burst?.columns.target
  expect(target).toMatchObject({
    sent: 102,
    neverSent: 4,
    counts: countsOf(100, 2),
    countsByKey: { 'free-1': countsOf(60, 1), 'free-2': countsOf(40, 1) },
    latency: { count: 100, p50Ms: 1, p90Ms: 9.007, p99Ms: 9.007 },
    steps: [{ connections: 2, perSecond: 20, p50Ms: 9, p99Ms: 18, errors: 2 }],
  })
  expect(target?.seconds.map(({ second, key }) => [second, key])).toEqual([
    [0, 'free-1'],
    [0, 'free-2'],
    [40, 'free-2'],
    [60, 'free-1'],
  ])
})

describe('a check', () => {
  const mergedCheck = (...outcomes: CheckResult['outcome'][]) => {
    const runs = outcomes.map((outcome, at) =>
      runOf(at + 1, outcomes.length, { checks: [check(outcome, `seen by ${at + 1}`)] }),
    )
    const { checks, verdict } = mergeRuns(runs)
    return { ...checks[0], verdict }
  }
  test('takes the worst of its outcomes, with the machine', () => {
    expect(mergedCheck('pass', 'fail')).toMatchObject({
      outcome: 'fail',
      detail: 'seen by 2',
      requests: 122,
      verdict: 'not-conformant',
    })
    expect(mergedCheck('warn', 'warn').detail).toBe(
      'machine 1/2: seen by 1; machine 2/2: seen by 2',
    )
  })

  test('that a machine had no key for is left to the others', () => {
    expect(mergedCheck('untested', 'pass')).toMatchObject({ outcome: 'pass', detail: 'seen by 2' })
    expect(mergedCheck('untested', 'untested').verdict).toBe('undecided')
  })
})

describe('runs that do not belong together are refused', () => {
  const other = { baseUrl: 'http://127.0.0.1:9999/v1', plans: ['free'], clock: false }
  const { shard: _, ...whole } = runOf(2, 2, {}).run
  const spoilt = runOf(2, 2, {})
  const latency = { ...createHistogram().latency(), count: 1, hdr: 'AAAA' }
  const [load] = spoilt.run.load ?? []
  const target = { ...load?.columns.target, latency }
  test.for<[string, ShardRun[], string]>([
    ['one alone', [runOf(1, 2, {})], '--merge takes the runs of two machines or more'],
    [
      'no shard',
      [runOf(1, 2, {}), { place: 'x', run: whole }],
      'x is no run of one machine of several: make it with --shard I/N',
    ],
    [
      'another target',
      [runOf(1, 2, {}), runOf(2, 2, { target: other })],
      'run-2 does not belong to run-1: another target ' +
        '(http://127.0.0.1:9999/v1, and not http://127.0.0.1:8080/v1)',
    ],
    [
      'another version',
      [runOf(1, 2, {}), runOf(2, 2, { petvet: '0.2.0' })],
      'run-2 does not belong to run-1: another version of petvet (0.2.0, and not 0.1.0)',
    ],
    [
      'other scenarios',
      [runOf(1, 2, {}), runOf(2, 2, { checks: [] })],
      'run-2 does not belong to run-1: another choice of scenarios (, and not load-burst-exact)',
    ],
    [
      'another number of machines',
      [runOf(1, 2, {}), runOf(2, 3, {})],
      'run-2 does not belong to run-1: another number of machines (3, and not 2)',
    ],
    [
      'another time',
      [runOf(1, 2, {}), runOf(2, 2, { startedAt: '2026-11-20T13:00:00.000Z' })],
      'run-2 does not belong to run-1: they did not run at the same time',
    ],
    ['one twice', [runOf(1, 2, {}), runOf(1, 2, {})], 'run-1 and run-1 are both of machine 1/2'],
    ['one missing', [runOf(1, 3, {}), runOf(3, 3, {})], 'the run of machine 2/3 is missing'],
    [
      'a spoilt histogram',
      [
        runOf(1, 2, {}),
        { place: 'x', run: { ...spoilt.run, load: [{ ...load, columns: { target } }] as never } },
      ],
      'no histogram of latencies: it is no base64',
    ],
  ])('%s', ([, runs, says]) => {
    expect(() => mergeRuns(runs)).toThrow(new Error(says))
  })
})
