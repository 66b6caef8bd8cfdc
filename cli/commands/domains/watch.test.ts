// What a watch prints while it waits.
import { expect, test } from 'vitest'
import { createNotice, describeWait } from './watch.ts'

test('a change is printed at once, and what stays the same once a minute', () => {
  const lines: string[] = []
  const notice = createNotice((line) => lines.push(line))
  const at = (time: string) => `2026-11-20T12:${time}.000Z`
  notice(at('00:00'), 'waiting')
  notice(at('00:30'), 'waiting')
  notice(at('01:00'), 'waiting')
  notice(at('01:10'), 'all are ready')
  expect(lines).toEqual([
    `${at('00:00')} waiting`,
    `${at('01:00')} waiting`,
    `${at('01:10')} all are ready`,
  ])
})

test('domains are named with the reason, of many the first', () => {
  const missing = ['a', 'b', 'c', 'd', 'e'].map((host) => ({ host, why: 'no record' }))
  expect(describeWait(missing.slice(0, 1))).toBe('waiting for a: no record')
  expect(describeWait(missing)).toBe('waiting for a: no record; b: no record; c: no record; 2 more')
})
