// The test clock of a target: it moves as requested, or the run ends with one line.
import { describe, expect, test } from 'vitest'
import { get } from '../../history/exchange.ts'
import { serveClock } from '../../tests/clock-server.ts'
import { check } from '../../tests/plain-checks.ts'
import { outcomeOf, probesSecondStatus, respondValidly, vetActs } from '../../tests/vet-acts.ts'
import { decideExitCode } from '../check/verdict.ts'

type ClockAct = Parameters<typeof serveClock>[0]

const minuteMs = 61_000

const moves = (id: string, ms: number) =>
  check(id, 'list.success', { stage: 'time', clock: true }, async ({ call, clock }) => {
    await clock.now()
    await clock.advance(ms)
    await call(get('/pets'))
  })

const twoYearsMs = 63_000_000_000

const vet = async (act: ClockAct) => {
  const server = await serveClock(act)
  const checks = [
    probesSecondStatus,
    moves('once', minuteMs),
    moves('again', twoYearsMs),
    moves('more', 100),
  ]
  // No message repeats the query.
  const differing = { clockUrl: `${server.url}?key=x`, responseTimeoutMs: 300 }
  const { run } = await vetActs(respondValidly, checks, differing)
  return { run, url: server.url, requests: server.requests() }
}

/** Another `now` in a valid response. */
const saying = (
  respond: () => ReturnType<Parameters<ClockAct>[1]>,
  other: (ms: number) => number,
) => {
  const response = respond()
  const { now } = JSON.parse(response.body)
  const body = JSON.stringify({ now: new Date(other(Date.parse(now))).toISOString() })
  return { ...response, body }
}

const seconds = (ms: number) => Math.floor(ms / 1_000) * 1_000

test.for<[string, ClockAct]>([
  ['moves as requested', (_, respond) => respond()],
  ['shows whole seconds', (_, respond) => saying(respond, seconds)],
])('a clock is valid that %s', async ([, act]) => {
  const { run } = await vet(act)
  expect(run.impossible).toBeNull()
  expect(['once', 'again', 'more'].map((id) => outcomeOf(run, id))).toEqual(Array(3).fill('pass'))
})

test('a time that has passed already is no move: the clock is only read', async () => {
  const moved: string[] = []
  const server = await serveClock((method, respond) => {
    if (method === 'POST') moved.push(method)
    return respond()
  })
  const checks = [
    probesSecondStatus,
    moves('back', -75_881_181),
    moves('none', -0.5),
    moves('ahead', 0.5),
  ]
  const { run } = await vetActs(respondValidly, checks, { clockUrl: server.url })
  expect(run.impossible).toBeNull()
  const outcomes = ['back', 'none', 'ahead'].map((id) => outcomeOf(run, id))
  expect(outcomes).toEqual(Array(3).fill('pass'))
  expect(moved).toHaveLength(1)
})

describe('a run ends, and keeps its results, at a clock', () => {
  let gets = 0
  const failing = { status: 500, headers: {}, body: 'no' }
  const stuck = { status: 200, headers: {}, body: '{"now":"2026-11-20T12:00:00.000Z"}' }
  const wrong: readonly (readonly [string, ClockAct, RegExp])[] = [
    ['that fails', (how, go) => (how === 'POST' ? failing : go()), / answered 500 to \{"advanceMs/],
    ['that is silent', (how, go) => (how === 'POST' ? 'silence' : go()), / gave no .*\(timeout\)/],
    ['that does not move', () => stuck, / did not move by 61000 ms as requested: .*T12:00:00/],
    [
      'that steps back',
      (how, go) => (how === 'POST' ? saying(go, (ms) => ms - 3_600_000) : go()),
      / did not move by 61000 ms as requested: .*T11:01:0/,
    ],
    [
      'that goes back by itself',
      (how, go) => {
        gets += how === 'GET' ? 1 : 0
        return gets < 3 ? go() : saying(go, (ms) => ms - 3_600_000)
      },
      / went back: .*T11:00:0/,
    ],
    [
      'whose response has no time',
      (how, go) => (how === 'POST' ? { ...stuck, body: '{}' } : go()),
      /without/,
    ],
  ]

  test.for(wrong)('%s', async ([, act, message]) => {
    const { run, url, requests } = await vet(act)
    expect(run.impossible).toMatch(message)
    expect(run.impossible).toContain(`the test clock ${url} `)
    expect(run.impossible).not.toMatch(/\n|file:|Error/)
    expect([run.verdict, decideExitCode(run), run.notes]).toEqual(['error', 3, []])
    const outcomes = run.checks.map(({ id, outcome }) => `${outcome} ${id}`)
    expect(outcomes).toContain('pass apart')
    expect(outcomes.filter((each) => /untested (once|again|more)/.test(each))).toHaveLength(3)
    expect(run.checks.find(({ id }) => id === 'more')?.detail).toBe(run.impossible)
    // The smoke call, the start, and the first check: no more than that.
    expect(requests).toBeLessThanOrEqual(6)
  })
})
