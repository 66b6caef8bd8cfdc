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
  progress.event({ kind: 'request', sent: 10 })
  expect(written.at(-1)).toBe(line('1/3 list-a · 10/40 requests · about 3 s left'))
  progress.clear()
  expect(written.at(-1)).toBe('\r\u001b[K')
})

test('where time is waited it tells the least time that is left, and that goes down', () => {
  const { progress, written, at } = make(true, 80)
  at(200)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3, leftMs: 285_000 })
  at(60_200)
  progress.tick()
  expect(written.slice(-2)).toEqual([
    line('1/3 list-a · 0/40 requests · about 4 min 45 s left'),
    line('1/3 list-a · 0/40 requests · about 3 min 45 s left'),
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
  expect(written).toEqual(['petvet: waiting 40 s: the quota; about 4 min 45 s left\n'])
})

test('without a terminal, where no time is waited, it is nothing', () => {
  const { progress, written } = make(false, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3 })
  progress.event({ kind: 'waiting', ms: 40_000, why: 'the clock is moved' })
  progress.clear()
  expect(written).toEqual([])
})
