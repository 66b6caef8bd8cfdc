// The progress line: one on a terminal, never wider than it, and gone when the run is.
import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

const make = (isTerminal: boolean, columns: number) => {
  const written: string[] = []
  let nowMs = 0
  const screen = { write: (text: string) => written.push(text), isTerminal, columns: () => columns }
  const progress = createProgress(screen, () => nowMs)
  progress.event({ kind: 'start', seed: 1, questions: 3, requests: 40 })
  return {
    written,
    progress,
    at: (ms: number) => {
      nowMs = ms
    },
  }
}

const line = (text: string) => `\r${text}\u001b[K`

test('tells what runs, the requests, and the time left by the pace so far', () => {
  const { progress, written, at } = make(true, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3 })
  at(1_000)
  progress.event({ kind: 'request', sent: 3 })
  expect(written.at(-1)).toBe(line('1/3 list-a · 3/40 requests'))
  at(4_000)
  progress.event({ kind: 'request', sent: 10 })
  expect(written.at(-1)).toBe(line('about 12 s left · 1/3 list-a · 10/40 requests'))
  progress.clear()
  expect(written.at(-1)).toBe('\r\u001b[K')
})

test('where time is waited it shows the time that is left, and that goes down', () => {
  const { progress, written, at } = make(true, 80)
  at(200)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3, leftMs: 285_000 })
  at(60_200)
  progress.tick()
  expect(written.slice(-2)).toEqual([
    line('about 4 min 45 s left · 1/3 list-a · 0/40 requests'),
    line('about 3 min 45 s left · 1/3 list-a · 0/40 requests'),
  ])
  at(400_000)
  progress.tick()
  expect(written.at(-1)).toContain('about 1 s left')
})

test('a wait is told at once and counted down, and nothing of the target raw', () => {
  const { progress, written, at } = make(true, 80)
  progress.event({ kind: 'waiting', ms: 12_300, why: 'the window \u001b[2J' })
  expect(written.at(-1)).toContain('waiting 13 s: the window \\u{1b}[2J')
  at(9_000)
  progress.tick()
  expect(written.at(-1)).toContain('waiting 4 s: the window')
})

test('is drawn ten times a second at most, within the width, and only where it changed', () => {
  const { progress, written, at } = make(true, 20)
  at(1_000)
  for (let sent = 1; sent <= 50; sent++) progress.event({ kind: 'request', sent })
  expect(written.length).toBeLessThanOrEqual(2)
  expect(written.every((text) => text.length < 20 + '\r\u001b[K'.length)).toBe(true)
  const before = written.length
  progress.tick()
  progress.tick()
  expect(written.length).toBeLessThanOrEqual(before + 1)
})

test.for([
  [60, 'about 4 min 45 s left · 12/288 list-a · 0/40 requests'],
  [50, 'about 4 min 45 s left · 12/288 list-a'],
  [35, 'about 4 min 45 s left · 12/288 li…'],
  [22, '4 min 45 s left'],
  [8, '4 min …'],
] as const)('at %i columns the time that is left stands first', ([columns, text]) => {
  const { progress, written, at } = make(true, columns)
  at(200)
  progress.event({ kind: 'check', id: 'list-a', done: 11, all: 288, leftMs: 285_000 })
  expect(written.at(-1)).toBe(line(text))
})

test('the time that is left is never less than the wait', () => {
  const { progress, written } = make(true, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3, leftMs: 1_000 })
  progress.event({ kind: 'waiting', ms: 59_000, why: 'the quota' })
  expect(written.at(-1)).toContain('about 59 s left · waiting 59 s: the quota')
})

test('a wait that the clock of the target ends is not told as one', () => {
  const { progress, written } = make(true, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3 })
  progress.event({ kind: 'waiting', ms: 69_000, why: 'the quota' })
  expect(written.join('')).not.toContain('waiting')
})

test('a narrower terminal has broken the line, and all of it is taken away', () => {
  let columns = 80
  const written: string[] = []
  const write = (text: string) => written.push(text)
  let nowMs = 0
  const screen = { write, isTerminal: true, columns: () => columns }
  const progress = createProgress(screen, () => nowMs)
  progress.event({ kind: 'check', id: 'a-long-id-of-a-check', done: 0, all: 3, leftMs: 60_000 })
  columns = 30
  nowMs = 1_000
  progress.resized()
  expect(written.at(-1)).toBe('\u001b[2A\r\u001b[Jabout 59 s left · 1/3 a-long…\u001b[K')
  progress.clear()
  expect(written.at(-1)).toBe('\r\u001b[K')
})

const logged = (text: string) => `petvet: ${text}\n`

test('without a terminal it is a line for a long wait, and those far apart', () => {
  const { progress, written, at } = make(false, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3, leftMs: 285_000 })
  progress.event({ kind: 'request', sent: 1 })
  progress.event({ kind: 'waiting', ms: 2_000, why: 'a moment' })
  progress.tick()
  expect(written).toEqual([])
  progress.event({ kind: 'waiting', ms: 40_000, why: 'the quota' })
  at(10_000)
  progress.event({ kind: 'waiting', ms: 40_000, why: 'the quota' })
  progress.clear()
  expect(written).toEqual([
    logged('about 4 min 45 s left · waiting 40 s: the quota · 1/40 requests'),
  ])
})

test('without a terminal a long run is told of twice a minute, whatever it does', () => {
  const { progress, written, at } = make(false, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3 })
  progress.event({ kind: 'waiting', ms: 40_000, why: 'the clock is moved' })
  for (let second = 1; second <= 65; second++) {
    at(second * 1_000)
    progress.event({ kind: 'request', sent: second })
    progress.tick()
  }
  expect(written).toEqual([
    logged('about 10 s left · 1/3 list-a · 30/40 requests'),
    logged('1/3 list-a · 60/60 requests'),
  ])
  expect(written.join('')).not.toContain('\u001b')
})
