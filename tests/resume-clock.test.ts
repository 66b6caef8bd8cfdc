// A resumed run and the clock of its target, which never goes back before the removal.
import { expect, test } from 'vitest'
import { runSuites } from '../engine/run.ts'
import { legalRemovals } from '../reference/legal/dates.ts'
import {
  expectOnce,
  interruptAfter,
  interruptAt,
  named,
  nothingKept,
  optionsFor,
  pastOf,
  resumeToEnd,
  silent,
  started,
} from './interrupted-run.ts'
import { outcomesOf } from './kill/outcomes.ts'

const dated = named('create-name', 'get-', 'pet-stays-', 'list-after', 'version-')

test('a run whose budget is spent leaves the clock before the removal', async () => {
  const whole = await runSuites(dated, optionsFor(await started(0, true), 'writes'), silent)
  expect(whole.verdict).toBe('conformant')
  const all = whole.requests
  // In the midst of the work, and with fewer and fewer of the five that need the clock moved.
  const cases = [
    ...[20, all - 5, all - 4].map((most) => [most, '2030-12-04T22'] as const),
    ...([
      [all - 3, '2030-12-05'],
      [all - 2, '2030-12-07'],
    ] as const),
  ]
  for (const [maxRequests, before] of cases) {
    const reference = await started(0, true)
    const options = { ...optionsFor(reference, 'writes'), maxRequests }
    const kept = nothingKept()
    const first = await interruptAfter(dated, options, kept, 100_000)
    const left = first.checks.filter(({ because }) => because === 'budget')
    expect([first.verdict, left.length > 0]).toEqual(['undecided', true])
    const { now } = JSON.parse(await (await fetch(reference.clockUrl ?? '')).text())
    expect([maxRequests, now < before]).toEqual([maxRequests, true])
    const run = await resumeToEnd(dated, { ...options, maxRequests: 3_000 }, kept)
    expect([maxRequests, outcomesOf(run)]).toEqual([maxRequests, outcomesOf(whole)])
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
    const { 'get-id-own': own, 'list-after-removal-200': list } = outcomesOf(run)
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
  expect(outcomesOf(run)).toEqual(outcomesOf(whole))
})
