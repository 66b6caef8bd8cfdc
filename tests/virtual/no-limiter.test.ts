// In virtual time: a target without a limiter is detected and not waited for, and still fails
// its limit checks; with --no-wait nothing is waited for at any target.
import { expect, test } from 'vitest'
import type { Wires } from '../../engine/client/wires.ts'
import { runSuites } from '../../engine/run.ts'
import type { RunOptions } from '../../engine/run-options.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { outcomesOf, testOptions } from '../vet-reference.ts'
import { createTarget, createTime, createVirtualWires } from './virtual.ts'

const key = { plan: 'free', key: 'virtual-one', quota: plans.free } as const
const endless = { perMinute: 1_000_000, perDay: 1_000_000 }

/** The responses without their rate-limit headers. */
const unlimited = (wires: Wires): Wires => ({
  ...wires,
  client: {
    ...wires.client,
    send: async (request) => {
      const result = await wires.client.send(request)
      const headers = (result.response?.headers ?? []).filter(([name]) => !/^x-rate/i.test(name))
      return result.response ? { ...result, response: { ...result.response, headers } } : result
    },
  },
})

/** A scheme in lower case gets 401, with a valid key too. */
const strictAboutCase = (wires: Wires): Wires => ({
  ...wires,
  client: {
    ...wires.client,
    send: (request) => {
      const isLower = request.headers.some(([, value]) => value.startsWith('bearer '))
      const headers = request.headers.filter(([name]) => !isLower || !/^authorization$/i.test(name))
      return wires.client.send({ ...request, headers })
    },
  },
})

const vet = async (
  differing: Partial<RunOptions>,
  hasLimiter: boolean,
  behind: (wires: Wires) => Wires = (wires) => wires,
) => {
  const time = createTime()
  const issued = [{ ...key, ...(hasLimiter ? plans.free : endless) }]
  const target = createTarget({}, issued, Date.UTC(2026, 10, 20, 12), time)
  const surrounding = { latencyMs: () => 1, skewMs: 0, hasClock: false }
  const wires = createVirtualWires(target, time, surrounding)
  const options = testOptions('http://127.0.0.1/v1', { keys: [key], clockUrl: null, ...differing })
  const waits: number[] = []
  const sink = {
    exchange: () => {},
    event: (event: { readonly kind: string; readonly ms?: number }) => {
      if (event.kind === 'waiting') waits.push(event.ms ?? 0)
    },
  }
  try {
    const run = await runSuites(
      catalogue,
      options,
      sink,
      hasLimiter ? wires : behind(unlimited(wires)),
    )
    return { run, waits }
  } finally {
    time.stop()
  }
}

test('no limiter: no wait, and its limit checks fail', async () => {
  const { run, waits } = await vet({ allow: ['write', 'exhaust'] }, false)
  expect(waits.filter((ms) => ms > 10_000)).toEqual([])
  const failed = outcomesOf(run, 'fail').join('\n')
  for (const id of ['header-limit-present', 'quota-free-not-more', 'quota-429-status']) {
    expect(failed).toContain(id)
  }
  expect(run.notes.join()).toContain('the target limits nothing')
})

test('no limiter: a 401 for one request with a valid key is not taken for one', async () => {
  const { run, waits } = await vet({ allow: ['write', 'exhaust'] }, false, strictAboutCase)
  expect(outcomesOf(run, 'warn').join()).toContain('auth-scheme-lower-case-200')
  expect(waits.filter((ms) => ms > 10_000)).toEqual([])
})

test('--no-wait: no wait, no failure, and the rest untested for the budget', async () => {
  const { run, waits } = await vet({ allow: ['write', 'exhaust'], noWait: true }, true)
  expect(waits).toEqual([])
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  const left = run.checks.filter(({ because }) => because === 'budget')
  expect(left.length).toBeGreaterThan(50)
  expect(run.verdict).toBe('undecided')
  expect(run.checks.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(50)
})
