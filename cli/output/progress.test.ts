// The progress line: one on a terminal, never wider than it, and gone when the run is.
import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../engine/run/run-options.ts'
import { createProgress } from './progress.ts'

const make = (isTerminal: boolean, columns = 80) => {
  const written: string[] = []
  const now = { ms: 0, columns }
  const write = (text: string) => written.push(text)
  const screen = { write, isTerminal, columns: () => now.columns }
  const progress = createProgress({}, undefined, screen, () => now.ms)
  progress.event({ kind: 'start', seed: 1, checks: 3, requests: 40, leftMs: 300_000 })
  return { written, progress, now, last: () => written.at(-1) }
}

const check = (leftMs?: number): RunEvent => ({
  kind: 'check',
  id: 'list-a',
  done: 0,
  all: 3,
  ...(leftMs !== undefined && { leftMs }),
})
const sent = (number: number): RunEvent => ({ kind: 'request', sent: number })
const waiting = (ms: number, why = 'the quota'): RunEvent => ({ kind: 'waiting', ms, why })

const line = (text: string) => `\r${text}\u001b[K`

/** What is drawn after an event, or a second in which nothing happens, at a time. */
type Step = readonly [ms: number, event: RunEvent | 'tick', drawn?: string | RegExp]

const loading: RunEvent = { kind: 'load', text: 'burst at target, 60/s, 9 served', leftMs: 4_000 }

describe('on a terminal', () => {
  test.for<[string, ...Step[]]>([
    [
      'what runs, and the requests',
      [0, check()],
      [1_000, sent(3), '1/3 list-a · 3/40 requests'],
      [4_000, sent(10), '1/3 list-a · 10/40 requests'],
    ],
    [
      'the estimate of a run in real time, counted down',
      [200, check(285_000), 'about 4.8 min left · 1/3 list-a · 0/40 requests'],
      [60_200, 'tick', 'about 3.8 min left · 1/3 list-a · 0/40 requests'],
      [400_000, 'tick', '1/3 list-a · 0/40 requests'],
    ],
    [
      'no time left that grows: while a wait holds the run up none is shown',
      [200, check(60_000), /^about 60 s left/],
      [10_000, check(90_000)],
      [10_000, waiting(75_000)],
      [20_000, 'tick', /^waiting 65 s/],
      [50_000, 'tick', /^about 50 s left · waiting 35 s/],
    ],
    [
      'what lasts longer by far than announced, as that',
      [200, check(240_000), /^about 4 min left ·/],
      [1_000, check(290_000), /^1\/3 list-a/],
      [2_000, check(400_000), /^about 6.7 min left, more than announced · 1\/3 list-a/],
      [3_000, check(390_000), /^about 6.5 min left ·/],
    ],
    [
      'what a load does, and the time that is left of it',
      [1_000, loading, /^about 4 s left · burst at target, 60\/s, 9 served/],
      [3_000, 'tick', /^about 2 s left · burst/],
    ],
    [
      'a wait at once, counted down, with its reason escaped',
      [0, check(1_000)],
      [
        0,
        waiting(12_300, 'for the \u001b[2J'),
        /^about 13 s left · waiting 13 s for the \\u\{1b}\[2J/,
      ],
      [9_000, 'tick', /waiting 4 s for the/],
    ],
  ])('shows %s', ([, ...steps]) => {
    const { progress, now, last } = make(true)
    for (const [ms, event, drawn] of steps) {
      now.ms = ms
      if (event === 'tick') progress.tick()
      else progress.event(event)
      const shown = last()?.replace('\r', '').replace('\u001b[K', '')
      if (typeof drawn === 'string') expect(shown).toBe(drawn)
      else if (drawn) expect(shown).toMatch(drawn)
    }
    progress.clear()
    expect(last()).toBe('\r\u001b[K')
  })

  test('is drawn at most ten times a second, within the width, and only where it changed', () => {
    const { progress, now, written } = make(true, 20)
    now.ms = 1_000
    for (let number = 1; number <= 50; number++) progress.event(sent(number))
    expect(written.length).toBeLessThanOrEqual(2)
    expect(written.every((text) => text.length < 20 + '\r\u001b[K'.length)).toBe(true)
    const before = written.length
    progress.tick()
    progress.tick()
    expect(written.length).toBeLessThanOrEqual(before + 1)
  })

  test.for([
    [60, 'about 4.8 min left · 12/288 list-a · 0/40 requests'],
    [35, 'about 4.8 min left · 12/288 list-…'],
  ] as const)('at %i columns the time that is left comes first', ([columns, text]) => {
    const { progress, now, last } = make(true, columns)
    now.ms = 200
    progress.event({ kind: 'check', id: 'list-a', done: 11, all: 288, leftMs: 285_000 })
    expect(last()).toBe(line(text))
  })
})

test('in a log two lines a minute for a long run', () => {
  const { progress, now, written } = make(false)
  progress.event(check())
  progress.event(waiting(40_000, 'the clock is moved'))
  for (let second = 1; second <= 65; second++) {
    now.ms = second * 1_000
    progress.event(sent(second))
    progress.tick()
  }
  expect(written).toEqual([
    'petvet: 1/3 list-a · 30/40 requests\n',
    'petvet: 1/3 list-a · 60 requests\n',
  ])
})

test('a log says at once that a program is sent again, and what that adds', () => {
  const { progress, now, written } = make(false)
  progress.event(check(300_000))
  now.ms = 200_000
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3, leftMs: 250_000, isAgain: true })
  expect(written).toEqual([
    'petvet: about 4.2 min left, more than announced · ' +
      '1/3 list-a again, as a law of the limits is in doubt · 0/40 requests\n',
  ])
})

const failing = (kind: 'result' | 'violation', id: string, outcome: 'fail' | 'pass') =>
  ({ kind, result: { id, outcome, detail: 'expected 200; got 500' } }) as unknown as RunEvent

test.each([true, false])(
  'failures are printed once, as they happen (terminal: %s)',
  (isTerminal) => {
    const written: string[] = []
    const screen = { write: (text: string) => written.push(text), isTerminal, columns: () => 80 }
    const progress = createProgress({}, new Set(['known']), screen, () => 0)
    progress.event(failing('violation', 'shape', 'fail'))
    progress.event(failing('result', 'shape', 'fail'))
    progress.event(failing('result', 'known', 'fail'))
    progress.event(failing('result', 'fine', 'pass'))
    const headlines = written.filter((text) => text.startsWith('FAIL'))
    expect(headlines).toEqual(['FAIL  shape: expected 200; got 500\n'])
    if (isTerminal) expect(written.join('')).toContain('1 failed')
  },
)
