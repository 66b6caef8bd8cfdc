// The progress line: on a terminal only, never wider than it, and gone when the run is.
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

test('tells what runs, the requests and the time left', () => {
  const { progress, written, at } = make(true, 80)
  progress.event({ kind: 'check', id: 'list-a', done: 0, all: 3 })
  at(1_000)
  progress.event({ kind: 'request', sent: 10 })
  expect(written.at(-1)).toBe('\r1/3 list-a · 10/40 requests · about 3 s left\u001b[K')
  progress.clear()
  expect(written.at(-1)).toBe('\r\u001b[K')
})

test('tells a wait at once, and nothing of the target raw', () => {
  const { progress, written } = make(true, 80)
  progress.event({ kind: 'waiting', ms: 12_300, why: 'the window \u001b[2J' })
  expect(written.at(-1)).toContain('waiting 13 s: the window \\u{1b}[2J')
})

test('is drawn ten times a second at most, and within the width', () => {
  const { progress, written, at } = make(true, 20)
  at(1_000)
  for (let sent = 1; sent <= 50; sent++) progress.event({ kind: 'request', sent })
  expect(written.length).toBeLessThanOrEqual(2)
  expect(written.every((text) => text.length < 20 + '\r\u001b[K'.length)).toBe(true)
})

test('is nothing where there is no terminal', () => {
  const { progress, written } = make(false, 80)
  progress.event({ kind: 'request', sent: 1 })
  progress.clear()
  expect(written).toEqual([])
})
