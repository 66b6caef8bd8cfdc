// The notebook: one text over several runs, in which no key stands, and what is wrong with others.
import { describe, expect, test } from 'vitest'
import { openNotebook } from './notebook.ts'
import { callsSince, explains, noteCall } from './notebook-page.ts'
import { createNotes } from './notes.ts'

const target = 'http://127.0.0.1/v1'
const key = 'a-key-of-the-notebook'
const nowMs = Date.UTC(2026, 10, 20, 12)
const hourMs = 3_600_000

/** A notebook that keeps what it writes. */
const open = (text: string | null, atMs = nowMs) => {
  let written = text
  const notebook = openNotebook(text, atMs, (whole) => {
    written = whole
  })
  return { notebook, text: () => written ?? '' }
}

const spent = (text: string | null, calls: number, atMs: number) => {
  const { notebook, text: written } = open(text, atMs)
  const page = notebook.pageOf(target, key)
  for (let call = 0; call < calls; call += 1) noteCall(page, atMs + call, atMs + call, 'served')
  notebook.save()
  return written()
}

test('what one run wrote the next one knows, by the target and the key', () => {
  const text = spent(spent(null, 3, nowMs), 4, nowMs + hourMs)
  const { notebook } = open(text, nowMs + 2 * hourMs)
  const calls = (at: string, whose: string) => callsSince(notebook.pageOf(at, whose), nowMs).served
  expect(calls(target, key)).toBe(7)
  expect(calls(target, `${key}2`)).toBe(0)
  expect(calls(`${target}2`, key)).toBe(0)
})

test('no key stands in it, and its digest is another one in each notebook', () => {
  const [one, other] = [spent(null, 1, nowMs), spent(null, 1, nowMs)]
  const digestIn = (text: string) => JSON.parse(text).pages[0].digest
  expect(`${one}${other}`).not.toContain(key)
  expect(digestIn(one)).not.toBe(digestIn(other))
})

test('what is older than two days is forgotten', () => {
  const text = spent(spent(null, 3, nowMs), 1, nowMs + 49 * hourMs)
  expect(callsSince(open(text).notebook.pageOf(target, key), 0).served).toBe(1)
})

test('a call is noted before it is sent; of one that was cut off its end is not known', () => {
  const { notebook, text } = open(null)
  const quota = { perMinute: 20, perDay: 50 }
  const notes = createNotes(notebook, target, [{ label: 'free-1', key, quota }])
  notes.sending('free-1')
  const calls = callsSince(open(text()).notebook.pageOf(target, key), nowMs)
  expect(calls).toMatchObject({ served: 0, lost: 1 })
  notes.unsent('free-1')
  notes.save()
  expect(JSON.parse(text()).pages).toEqual([])
})

describe('a text that is no notebook is refused', () => {
  const whole = JSON.parse(spent(null, 1, nowMs))
  const [page] = whole.pages

  test.for<[string, string]>([
    ['half a text', JSON.stringify(whole).slice(0, -9)],
    ['nothing', ''],
    ['a list', '[]'],
    ['a newer form', JSON.stringify({ ...whole, schema: 2 })],
    ['no salt', JSON.stringify({ ...whole, salt: undefined })],
    ['a member that is strange', JSON.stringify({ ...whole, key })],
    ['a count below zero', JSON.stringify({ ...whole, pages: [{ ...page, underWay: -1 }] })],
    ['too many pages', JSON.stringify({ ...whole, pages: Array(101).fill(page) })],
  ])('%s', ([, text]) => {
    expect(() => open(text)).toThrow()
  })
})

describe('calls explain what is spent', () => {
  const calls = { served: 10, refused: 1, other: 2, lost: 0, isSure: true }

  test.for([10, 11, 12, 13])('%i, as refused and unsound ones may count', (count) => {
    expect(explains(calls, count)).toBe(true)
  })

  test.for([9, 14])('not %i', (count) => {
    expect(explains(calls, count)).toBe(false)
  })

  test('a lost one may count; calls of which it is not known when they were do not', () => {
    expect(explains({ ...calls, lost: 1 }, 14)).toBe(true)
    expect(explains({ ...calls, isSure: false }, 10)).toBe(false)
  })
})
