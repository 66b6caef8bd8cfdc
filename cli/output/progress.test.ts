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

describe('on a terminal', () => {
  test('shows what runs, and the requests', () => {
    const { progress, now, last } = make(true)
    progress.event(check())
    now.ms = 1_000
    progress.event(sent(3))
    expect(last()).toBe(line('1/3 list-a · 3/40 requests'))
    now.ms = 4_000
    progress.event(sent(10))
    expect(last()).toBe(line('1/3 list-a · 10/40 requests'))
    progress.clear()
    expect(last()).toBe('\r\u001b[K')
  })

  test('counts down the estimate of a run in real time', () => {
    const { progress, now, written, last } = make(true)
    now.ms = 200
    progress.event(check(285_000))
    now.ms = 60_200
    progress.tick()
    expect(written.slice(-2)).toEqual([
      line('about 4.8 min left · 1/3 list-a · 0/40 requests'),
      line('about 3.8 min left · 1/3 list-a · 0/40 requests'),
    ])
    now.ms = 400_000
    progress.tick()
    expect(last()).not.toContain('left')
  })

  test('the time left never grows: while a wait holds the run up it is not shown', () => {
    const { progress, last, now } = make(true)
    now.ms = 200
    progress.event(check(60_000))
    expect(last()).toContain('about 60 s left')
    now.ms = 10_000
    progress.event(check(90_000))
    progress.event(waiting(75_000))
    now.ms = 20_000
    progress.tick()
    expect(last()).toMatch(/^petvet: waiting 65 s|^\rwaiting 65 s/)
    now.ms = 50_000
    progress.tick()
    expect(last()).toContain('about 50 s left · waiting 35 s')
  })

  test('what lasts longer by far than announced is announced anew, as that', () => {
    const { progress, last, now } = make(true)
    now.ms = 200
    progress.event(check(240_000))
    expect(last()).toContain('about 4 min left ·')
    now.ms = 1_000
    progress.event(check(290_000))
    expect(last()).not.toContain('left')
    now.ms = 2_000
    progress.event(check(400_000))
    expect(last()).toContain('about 6.7 min left, more than announced · 1/3 list-a')
    now.ms = 3_000
    progress.event(check(390_000))
    expect(last()).toContain('about 6.5 min left ·')
  })

  test('shows what a load does, and the time that is left of it', () => {
    const { progress, now, last } = make(true)
    now.ms = 1_000
    progress.event({ kind: 'load', text: 'burst at target, 60/s, 9 served', leftMs: 4_000 })
    expect(last()).toContain('about 4 s left · burst at target, 60/s, 9 served')
    now.ms = 3_000
    progress.tick()
    expect(last()).toContain('about 2 s left · burst')
  })

  test('shows a wait at once, counts it down, and escapes its reason', () => {
    const { progress, now, last } = make(true)
    progress.event(check(1_000))
    progress.event(waiting(12_300, 'for the window \u001b[2J'))
    expect(last()).toContain('about 13 s left · waiting 13 s for the window \\u{1b}[2J')
    now.ms = 9_000
    progress.tick()
    expect(last()).toContain('waiting 4 s for the window')
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

describe('in a log', () => {
  test('two lines a minute for a long run', () => {
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
