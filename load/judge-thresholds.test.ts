// A threshold is met or not by what was measured, and never met by what was not.
import { describe, expect, test } from 'vitest'
import type { Counts, LoadFigures, LoadScenarioFigures } from '../engine/run-file.ts'
import { noCounts } from '../tests/fake-load.ts'
import { judgeThresholds } from './judge-thresholds.ts'
import { createHistogram } from './meter.ts'
import { readThresholds } from './thresholds.ts'

/** All responses after `ms`, in ten seconds. */
const figures = (ms: number, given: Partial<Counts>): LoadFigures => {
  const counts = { ...noCounts, ...given }
  const histogram = createHistogram()
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
  columns: LoadScenarioFigures['columns'],
  chosen?: string[],
) => {
  const [id = ''] = Object.keys(threshold)
  const load = [{ id, says: '', connections: 1, columns }]
  return judgeThresholds(readThresholds(JSON.stringify(threshold)), load, chosen ?? [id])
}

describe('a time', () => {
  const at = (text: string, ms: number) =>
    judged({ steady: { p99: text } }, { target: figures(ms, { served: 100 }) })[0]

  test('is compared with what was measured', () => {
    expect(at('< 20 ms', 12)).toEqual({
      id: 'load-threshold-steady-p99',
      outcome: 'pass',
      detail: 'steady p99: 12.0 ms (< 20 ms)',
    })
    expect(at('< 20 ms', 25)?.outcome).toBe('warn')
    expect(at('< 0.02 s', 19.9)?.outcome).toBe('pass')
    expect(at('< 900 us', 1)?.outcome).toBe('warn')
  })

  test('is met by an equal value only with <=', () => {
    expect(at('<= 8 ms', 8)?.outcome).toBe('pass')
    expect(at('< 8 ms', 8)?.outcome).toBe('warn')
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
    ['< 3x baseline', 'pass', 'steady p50: 6.00 ms (< 3x baseline: prism has 3.00 ms, so 2.00'],
    ['< 3x prism', 'pass', 'prism has 3.00 ms'],
    ['< 3x reference', 'warn', 'reference has 1.00 ms, so 6.00 times it'],
    ['< 2x baseline', 'warn', 'prism'],
    ['<= 2x baseline', 'pass', 'prism'],
  ])('%s: %s', ([text = '', outcome, says]) => {
    const [result] = judged({ steady: { p50: text } }, columns)
    expect(result).toMatchObject({ outcome, detail: expect.stringContaining(says ?? '') })
  })

  test('of the baseline is one of the reference where Prism did not run', () => {
    const { target, reference } = columns
    const [result] = judged({ steady: { p50: '< 3x baseline' } }, { target, reference })
    expect(result?.outcome).toBe('warn')
    expect(result?.detail).toContain('reference has 1.00 ms')
  })

  test('of what was not measured is never met', () => {
    const { target } = columns
    for (const prism of [undefined, figures(1, {}), figures(1, { timeout: 9 })]) {
      const [result] = judged(
        { steady: { p50: '< 3x prism' } },
        { target, ...(prism && { prism }) },
      )
      expect(result?.outcome).toBe('warn')
      expect(result?.detail).toBe(
        'steady p50: 6.00 ms, and nothing was measured at prism for < 3x prism',
      )
    }
  })
})

describe('nothing measured meets no threshold', () => {
  test.for(['p50', 'p99', 'max', 'mean', 'errors', 'refused', 'perSecond'])('%s', (metric) => {
    const text = metric === 'perSecond' ? '>= 0 /s' : /e/.test(metric) ? '<= 100 %' : '< 9 s'
    const limit = metric === 'mean' ? '< 9 s' : text
    for (const columns of [{ target: figures(1, {}) }, {}]) {
      const [result] = judged({ steady: { [metric]: limit } }, columns)
      expect(result?.outcome).toBe('warn')
      expect(result?.detail).toContain('nothing was measured')
    }
  })

  test('and a scenario that was not selected is untested', () => {
    const [result] = judged({ soak: { p50: '< 1 s' } }, {}, ['steady'])
    expect(result?.outcome).toBe('untested')
    expect(
      judgeThresholds(readThresholds('soak: { p50: "< 1 s" }'), [], ['soak'])[0]?.outcome,
    ).toBe('warn')
  })
})

describe('errors', () => {
  const share = (scenario: string, given: Partial<Counts>, limit: string) =>
    judged({ [scenario]: { errors: limit } }, { target: figures(1, given) })[0]

  test('are all that failed, of all that was sent', () => {
    const given = { served: 995, timeout: 1, reset: 1, serverError: 2, otherClientError: 1 }
    expect(share('burst', given, '<= 0.5 %')).toMatchObject({
      outcome: 'pass',
      detail: 'burst errors: 0.5 % (<= 0.5 %)',
    })
    expect(share('burst', given, '< 0.5 %')?.outcome).toBe('warn')
  })

  test('are refusals too, where the quota was kept', () => {
    const given = { served: 90, refused: 8, banned: 2 }
    expect(share('burst', given, '<= 0 %')?.outcome).toBe('pass')
    for (const scenario of ['steady', 'capacity', 'soak']) {
      expect(share(scenario, given, '< 10 %')?.outcome).toBe('warn')
    }
    const [refused] = judged({ burst: { refused: '< 10 %' } }, { target: figures(1, given) })
    expect(refused?.detail).toBe('burst refused: 10 % (< 10 %)')
  })
})

test('what was planned within the quota and never sent is an error', () => {
  const target = { ...figures(1, { served: 90 }), neverSent: 10 }
  const [steady] = judged({ steady: { errors: '< 10 %' } }, { target })
  expect(steady).toMatchObject({ outcome: 'warn', detail: 'steady errors: 10 % (< 10 %)' })
  expect(judged({ burst: { errors: '<= 0 %' } }, { target })[0]?.outcome).toBe('pass')
})

test('the rate is that of the whole, or of the best step', () => {
  const whole = figures(1, { served: 5000 })
  expect(judged({ fleet: { perSecond: '>= 500 /s' } }, { target: whole })[0]?.outcome).toBe('pass')
  const steps = [100, 700, 5].map((perSecond) => ({
    ...{ connections: 1, perSecond, p50Ms: 1, p99Ms: 1, errors: 0 },
  }))
  const stepped = { ...whole, steps }
  const [result] = judged({ capacity: { perSecond: '> 700 /s' } }, { target: stepped })
  expect(result).toMatchObject({
    outcome: 'warn',
    detail: 'capacity perSecond: 700.0 /s (> 700 /s)',
  })
})
