// In virtual time, without a test clock: a day spent over minutes and runs with the notebook. No
// legal day draws a fail, a faulty one does, and what another client explains is left open.
import { describe, expect, test } from 'vitest'
import type { Variant } from '../../reference/compose.ts'
import { clockWindow } from '../../reference/limiter.ts'
import { dayMutants } from '../../reference/mutants/limiters/days.ts'
import { daysBy, enforcing } from '../../reference/mutants/limiters/over.ts'
import { told } from '../vet-reference.ts'
import { type Course, type DayRun, dayKey, vetDays } from './days.ts'
import { type Design, designs, legalVariant } from './target.ts'

const dayMs = 86_400_000
const { perDay } = dayKey.quota
/** Early in a day of UTC. */
const early: Omit<Course, 'runs'> = {
  startMs: Date.UTC(2026, 10, 20, 3, 0, 13),
  skewMs: 0,
  foreign: null,
  callsBefore: 0,
}

const usual: Omit<Design, 'meter' | 'speaksOf'> = {
  countsUnsound: true,
  ban: null,
  reset: 'up',
  retryAfter: 'seconds',
  spareMs: 0,
}

const outcomeOf = (id: string, { run }: DayRun): string | undefined =>
  run.checks.find((check) => check.id === id)?.outcome

const more = 'day-quota-enterprise-not-more'
const fewer = 'day-quota-enterprise-not-fewer'
const ownWindow = 'day-refusal-enterprise-own-window'

const outcomes = (run: DayRun) => [more, fewer, ownWindow].map((id) => outcomeOf(id, run))

const one = [{ pauseMs: 0 }]
const twoDays = [{ pauseMs: 0 }, { pauseMs: dayMs }]

describe.each(Object.keys(designs))('the legal day %s', (meter) => {
  test.for(['tightest', 'minute', 'day'] as const)('whose headers speak of: %s', async (of) => {
    const variant = legalVariant({ ...usual, meter, speaksOf: of })
    const midnight = Date.UTC(2026, 10, 20, 23, 58, 30)
    const others: Course[] = [
      { ...early, skewMs: 90_000, callsBefore: 17, runs: twoDays },
      { ...early, startMs: midnight, skewMs: -90_000, runs: [...one, { pauseMs: 300_000 }] },
    ]
    const courses = [{ ...early, runs: twoDays }, ...(of === 'tightest' ? others : [])]
    const all = await Promise.all(courses.map((course) => vetDays(variant, course)))
    for (const { runs } of all) {
      expect(runs.flatMap(({ run }) => told(run, 'fail', 'warn', 'error'))).toEqual([])
      for (const { calls } of runs) expect(calls).toBeLessThanOrEqual(2 * perDay + 4)
    }
    const [first, second] = all[0]?.runs ?? []
    // No minute is overdrawn: the one refusal is that of the day.
    expect(first?.refused).toBe(1)
    expect(second && outcomeOf(ownWindow, second)).toBe('pass')
  })
})

test('an honest day is decided, is not spent twice, and shows its end to a later run', async () => {
  const { runs, text } = await vetDays({}, { ...early, runs: twoDays })
  expect(runs.map(outcomes)).toEqual([
    ['pass', 'pass', 'untested'],
    ['pass', 'pass', 'pass'],
  ])
  expect(runs.map(({ calls }) => calls)).toEqual([perDay + 1, 1])
  expect(text).not.toContain(dayKey.key)
  const [before] = runs
  const check = before?.run.checks.find(({ id }) => id === ownWindow)
  expect(check?.detail).toContain('run again after 2026-11-21T00:00:0')
})

describe('a faulty day is found', () => {
  const enforced = (change: (calls: number) => number) =>
    enforcing((quota) => ({ ...quota, perDay: change(quota.perDay) }))

  const threeMinutes = daysBy((limit, windowMs) => {
    const kept = clockWindow(limit, 180_000)
    const tell = clockWindow(limit, windowMs)
    const resetAtMs = (nowMs: number) => tell.look(nowMs).resetAtMs
    return { ...kept, look: (nowMs) => ({ ...kept.look(nowMs), resetAtMs: resetAtMs(nowMs) }) }
  })

  const inWrongWords = dayMutants.filter(({ id }) => id === 'day-refused-for-thirty-seconds')

  test.for<[string, Variant, string, Course['runs']]>([
    ['not enforced', enforced(() => 10_000_000), more, one],
    ['one more', enforced((calls) => calls + 1), more, one],
    ['twenty-four more', enforced((calls) => calls + 24), more, one],
    ['begun anew each three minutes', threeMinutes, more, one],
    ['refused twenty early', enforced((calls) => calls - 20), fewer, one],
    ['one fewer, on two days', enforced((calls) => calls - 1), fewer, twoDays],
    ...inWrongWords.map((mutant): [string, Variant, string, Course['runs']] => [
      mutant.id,
      mutant,
      ownWindow,
      one,
    ]),
  ])('%s', async ([, variant, id, course]) => {
    const { runs } = await vetDays(variant, { ...early, runs: course })
    const last = runs.at(-1)
    expect(last && outcomeOf(id, last)).toBe('fail')
  })

  test('one fewer, on one day, may be another client', async () => {
    const { runs } = await vetDays(
      enforced((calls) => calls - 1),
      { ...early, runs: one },
    )
    expect(runs.flatMap(({ run }) => told(run, 'fail'))).toEqual([])
    expect(runs.map((run) => outcomeOf(fewer, run))).toEqual(['untested'])
  })
})

describe('the notebook', () => {
  const killed = [
    { pauseMs: 0, killedAt: 90 },
    { pauseMs: 5_000, killedAt: 50 },
    { pauseMs: 5_000 },
    { pauseMs: dayMs },
  ]

  test('holds what was sent when a run is killed, and nothing is counted twice', async () => {
    const { runs } = await vetDays({}, { ...early, runs: killed })
    expect(runs.map(({ calls }) => calls)).toEqual([90, 50, perDay - 140 + 1, 1])
    expect(runs.slice(2).map(outcomes)).toEqual([
      ['pass', 'pass', 'untested'],
      ['pass', 'pass', 'pass'],
    ])
  })

  test('keeps a run away from a key whose day is spent', async () => {
    const course = [{ pauseMs: 0 }, { pauseMs: 3_600_000 }, { pauseMs: dayMs }]
    const { runs } = await vetDays({}, { ...early, runs: course })
    expect(runs.map(({ calls }) => calls)).toEqual([perDay + 1, 0, 1])
    const smoke = runs[1]?.run.checks.find(({ because }) => because === 'blocked')
    expect(smoke?.detail).toContain('is spent until 2026-11-21T00:00:0')
  })

  test('that is lost leaves the day open', async () => {
    const course = [
      { pauseMs: 0, killedAt: 90 },
      { pauseMs: 5_000, forgets: true },
    ]
    const { runs } = await vetDays({}, { ...early, runs: course })
    expect(runs.slice(1).map(outcomes)).toEqual([['untested', 'untested', 'untested']])
  })
})

describe('another client leaves the day open', () => {
  const foreign = { pauseMs: 20_000, even: false, crowd: 2, obeys: true, seed: 3 }

  test.for<[string, Partial<Course>]>([
    ['that called before', { callsBefore: 30, runs: [{ pauseMs: 61_000 }] }],
    ['that calls meanwhile', { foreign, runs: [{ pauseMs: 61_000 }] }],
    ['that calls a crowd at a time', { foreign: { ...foreign, crowd: 15 }, runs: one }],
  ])('%s', async ([, differing]) => {
    const { runs } = await vetDays({}, { ...early, runs: one, ...differing })
    expect(runs.flatMap(({ run }) => told(run, 'fail', 'warn', 'error'))).toEqual([])
    expect(runs.map((run) => outcomeOf(fewer, run))).toEqual(['untested'])
    expect(runs.map((run) => outcomeOf(ownWindow, run))).toEqual(['untested'])
  })
})
