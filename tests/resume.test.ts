// A resumed run: what has a result is skipped, and the verdict is that of an uninterrupted run.
import { expect, test, vi } from 'vitest'
import { runSuites } from '../engine/run.ts'
import type { Variant } from '../reference/compose.ts'
import { mutants } from '../reference/mutants.ts'
import {
  expectOnce,
  interruptAfter,
  named,
  nothingKept,
  optionsFor,
  pastOf,
  resumeToEnd,
  silent,
  started,
} from './interrupted-run.ts'
import { outcomesOf } from './kill/outcomes.ts'

vi.setConfig({ testTimeout: 90_000 })

const limited = named(
  'quota-',
  'retry-after',
  'window-',
  'isolation-',
  'ban-',
  'list-limit-n',
  'list-order',
  'get-',
)

test('a restarted target is detected, and nothing fails', async () => {
  const checks = named('create-', 'list-status')
  const first = await started(0, false)
  const options = optionsFor(first, 'writes')
  const kept = nothingKept()
  await interruptAfter(checks, options, kept, 70)
  await first.close()
  await started(Number(new URL(first.url).port), false)
  const run = await resumeToEnd(checks, options, kept)
  expect(run.impossible).toContain('the target was restarted')
  expect([run.verdict, run.checks.filter(({ outcome }) => outcome === 'fail')]).toEqual([
    'error',
    [],
  ])
})

test('a run whose target is not up yet can be resumed later', async () => {
  const checks = named('create-', 'list-status')
  const first = await started(0, true)
  const options = optionsFor(first, 'writes')
  const kept = nothingKept()
  await interruptAfter(checks, options, kept, 70)
  const away = await resumeToEnd(checks, { ...options, baseUrl: 'http://127.0.0.1:9/v1' }, kept)
  expect(away.impossible).toContain('gave no answer')
  const run = await resumeToEnd(checks, options, kept)
  expect([run.verdict, run.interruptions?.length]).toEqual(['conformant', 2])
  expectOnce(run, kept)
})

test('a budget that was spent may be raised; with the same one it ends as it did', async () => {
  const checks = named('create-', 'list-limit')
  const whole = await runSuites(checks, optionsFor(await started(0, true), 'writes'), silent)
  const first = await started(0, true)
  const options = { ...optionsFor(first, 'writes'), maxRequests: 40 }
  const kept = nothingKept()
  await interruptAfter(checks, options, kept, 10_000)
  const same = await resumeToEnd(checks, options, kept)
  const budgets = same.checks.filter(({ because }) => because === 'budget')
  expect([same.impossible, same.requests, budgets.length > 0]).toEqual([null, 40, true])
  const run = await resumeToEnd(checks, { ...options, maxRequests: 3_000 }, kept)
  expect([run.verdict, run.impossible]).toEqual(['conformant', null])
  expect(outcomesOf(run)).toEqual(outcomesOf(whole))
  expectOnce(run, kept)
})

/** A server that can be made to reject bearer tokens. */
const withdrawing = (isWithdrawn: (token: string) => boolean): Variant => ({
  handle: (honest) => (request) => {
    const given = request.header('authorization') ?? ''
    if (!isWithdrawn(given.replace('Bearer ', ''))) return honest(request)
    const header = (name: string) =>
      name === 'authorization' ? 'Bearer withdrawn' : request.header(name)
    return honest({ ...request, header })
  },
})

test.for([
  [['petvet-test-key-two'], null, 'conformant'],
  [null, expect.stringContaining('all keys were'), 'error'],
] as const)('of the keys %j are withdrawn meanwhile', async ([keys, impossible, verdict]) => {
  const checks = named('create-', 'list-status')
  let isMeanwhile = false
  const issued = (token: string) => token.startsWith('petvet-test-key')
  const isWithdrawn = (token: string) =>
    isMeanwhile && (keys?.some((key) => key === token) ?? issued(token))
  const options = optionsFor(await started(0, false, withdrawing(isWithdrawn)), 'writes')
  const kept = nothingKept()
  await interruptAfter(checks, options, kept, 40)
  isMeanwhile = true
  const run = await resumeToEnd(checks, options, kept)
  expect([run.impossible, run.verdict]).toEqual([impossible, verdict])
  expect(run.checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})

test('recorded responses are judged, even if the run is interrupted again at once', async () => {
  const reference = await started(
    0,
    true,
    mutants.find(({ id }) => id === 'answer-list-as-text'),
  )
  const options = optionsFor(reference, 'all')
  const checks = [...limited, ...named('body-')]
  const kept = nothingKept()
  await interruptAfter(checks, options, kept, 230)
  const again = new AbortController()
  const journal = (line: string) => {
    if (JSON.parse(line).kind === 'resumed') again.abort()
  }
  const run = await runSuites(
    checks,
    { ...options, past: pastOf(kept), signal: again.signal },
    { exchange: () => {}, journal, event: () => {} },
  )

  const failed = run.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
  expect(failed).toContain('body-media-type-json')
  expect(run.impossible).toBeNull()
})
