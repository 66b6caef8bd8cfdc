// A resumed run: what has a result is skipped, the verdict is that of an uninterrupted run, and the
// clock of its target never goes back before the removal.
import { expect, test, vi } from 'vitest'
import { runSuites } from '../engine/run/run.ts'
import { legalRemovals } from '../reference/legal/limiters.ts'
import { mutants } from '../reference/mutants.ts'
import type { Variant } from '../reference/variant.ts'
import { catalogue } from '../suites/index.ts'
import {
  expectOnce,
  interruptAfter,
  interruptAt,
  named,
  nothingKept,
  optionsFor,
  pastOf,
  resumeToEnd,
  started,
  startedAt,
} from './interrupted-run.ts'
import { isProof, sample } from './sample.ts'
import { endingsOf, idsOf, silent } from './vet-reference.ts'

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
  const first = await started(0, false)
  const options = optionsFor(first, 'writes')
  const kept = nothingKept()
  await interruptAfter(catalogue, options, kept, 400)
  await first.close()
  await started(Number(new URL(first.url).port), false)
  const run = await resumeToEnd(catalogue, options, kept)
  expect(run.impossible).toContain('the target was restarted')
  expect([run.verdict, idsOf(run, 'fail')]).toEqual(['error', []])
})

/** Restarts the target during a run, without its pets; @returns the run */
const restartedAt = async (exchanges: number, kind: 'memory' | 'with a clock') => {
  const first = await started(0, kind === 'with a clock')
  const options = optionsFor(first, kind === 'with a clock' ? 'all' : 'writes')
  const [port, clockPort] = [first.url, first.clockUrl ?? first.url].map((url) =>
    Number(new URL(url).port),
  )
  let again: Promise<unknown> | undefined
  let lines = 0
  const exchange = () => {
    lines += 1
    if (lines !== exchanges) return
    again = first.close().then(() => startedAt(port ?? 0, kind === 'memory' ? null : clockPort))
  }
  const checks = named('create-', 'list-', 'get-', 'pet-', 'remaining-', 'walk-statuses')
  const run = await runSuites(checks, options, { ...silent, exchange })
  await again
  return run
}

test.for([
  [60, 'memory'],
  ...[150, 300]
    .filter((_, at) => isProof || at === 0)
    .map((many) => [many, 'with a clock'] as const),
] as const)(
  'a target that is restarted after %i responses, %s, fails nothing',
  async ([exchanges, kind]) => {
    const run = await restartedAt(exchanges, kind)
    expect(run.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual([])
    expect(run.impossible).toMatch(
      /^the (?:target was restarted and has lost|test clock .* went back)/,
    )
    expect(run.verdict).toBe('error')
  },
)

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
    { journal, event: () => {} },
  )

  const failed = idsOf(run, 'fail')
  expect(failed).toContain('body-media-type-json')
  expect(run.impossible).toBeNull()
})

const dated = named('create-name', 'get-', 'pet-stays-', 'list-after', 'version-')

test('a spent budget may be raised; until then the clock stays before the removal', async () => {
  const whole = await runSuites(dated, optionsFor(await started(0, true), 'writes'), silent)
  expect(whole.verdict).toBe('conformant')
  const hazards = whole.checks.filter(({ id }) => id === 'create-name-lone-surrogate')
  // Those come after all that moves the clock.
  const all = whole.requests - hazards.reduce((sum, { requests }) => sum + requests, 0)
  // In the midst of the work, and with fewer and fewer of the five that need the clock moved.
  const late = [
    ...[all - 5, all - 4].map((most) => [most, '2030-12-04T22'] as const),
    ...([
      [all - 3, '2030-12-05'],
      [all - 2, '2030-12-07'],
    ] as const),
  ]
  const cases = [[20, '2030-12-04T22'] as const, ...sample(late, 2)]
  for (const [maxRequests, before] of cases) {
    const reference = await started(0, true)
    const options = { ...optionsFor(reference, 'writes'), maxRequests }
    const kept = nothingKept()
    const first = await interruptAfter(dated, options, kept, 100_000)
    const left = first.checks.filter(({ because }) => because === 'budget')
    expect([first.verdict, left.length > 0]).toEqual(['undecided', true])
    if (maxRequests === 20) {
      const same = await resumeToEnd(dated, options, kept)
      const again = same.checks.filter(({ because }) => because === 'budget')
      expect([same.impossible, same.requests, again.length > 0]).toEqual([null, 20, true])
    }
    const { now } = JSON.parse(await (await fetch(reference.clockUrl ?? '')).text())
    expect([maxRequests, now < before]).toEqual([maxRequests, true])
    const run = await resumeToEnd(dated, { ...options, maxRequests: 3_000 }, kept)
    expect([maxRequests, endingsOf(run)]).toEqual([maxRequests, endingsOf(whole)])
    expectOnce(run, kept)
  }
})

test.for([
  [410, {}],
  [404, legalRemovals.find(({ id }) => id === 'removed-404')],
] as const)(
  'where another run has moved the clock past the removal, %i fails nothing',
  async ([, variant]) => {
    const reference = await started(0, true, variant)
    const options = optionsFor(reference, 'writes')
    const kept = nothingKept()
    await interruptAfter(dated, options, kept, 60)
    await fetch(reference.clockUrl ?? '', {
      method: 'POST',
      body: '{"set":"2030-12-06T00:00:01Z"}',
    })
    const again = { ...options, past: pastOf(kept) }
    const second = await interruptAfter(dated, again, kept, kept.journal.length + 15)
    expect(second.impossible).toBeNull()
    const run = await resumeToEnd(dated, options, kept)
    expect([run.verdict, run.impossible]).toEqual(['conformant', null])
    const { 'get-fragile-200': own, 'list-after-removal-200': list } = endingsOf(run)
    expect([own, list]).toEqual(['untested clock', 'pass'])
    expectOnce(run, kept)
  },
)

test('a run that has moved the clock past the removal itself is resumed after it', async () => {
  const whole = await runSuites(dated, optionsFor(await started(0, true), 'writes'), silent)
  const reference = await started(0, true)
  const options = optionsFor(reference, 'writes')
  const kept = nothingKept()
  await interruptAt(dated, options, kept, (line) =>
    line.includes('"check":"get-after-removal-gone"'),
  )
  const { now } = JSON.parse(await (await fetch(reference.clockUrl ?? '')).text())
  expect(now > '2030-12-06').toBe(true)
  const run = await resumeToEnd(dated, options, kept)
  expect(endingsOf(run)).toEqual(endingsOf(whole))
})
