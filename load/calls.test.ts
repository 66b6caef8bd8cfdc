// What is kept of a load for the laws: bounded, without gaps, and as few bytes as they need.
import { expect, test } from 'vitest'
import { get } from '../history/exchange.ts'
import { fakeExchange, fakeTrace } from '../tests/fake-exchange.ts'
import { Calls, compact, maxCalls } from './calls.ts'

const call = (key: string, seq: number) => ({
  ...fakeExchange(get('/pets?limit=1'), { status: 200, body: '[]', headers: {}, seq }),
  key,
})

const fill = (calls: Calls, key: string, count: number, from = 1) => {
  for (let seq = from; seq < from + count; seq += 1) calls.add(call(key, seq))
}

const keptOf = (calls: Calls, key: string) =>
  calls.historyOf(fakeTrace()).exchanges.filter((one) => one.key === key)

test('of each key the first calls are kept, up to a number, until it has rested', () => {
  const calls = new Calls()
  fill(calls, 'free-1', maxCalls + 10)
  fill(calls, 'free-2', 3)
  calls.rested('free-2')
  expect(keptOf(calls, 'free-1').map(({ seq }) => seq)).toEqual(
    Array.from({ length: maxCalls }, (_, at) => at + 1),
  )
  expect(keptOf(calls, 'free-2')).toHaveLength(3)
  expect([...calls.cut]).toEqual(['free-1'])
  calls.rested('free-1')
  fill(calls, 'free-1', 2, 50_000)
  expect(keptOf(calls, 'free-1').map(({ seq }) => seq)).toEqual([50_000, 50_001])
})

test('after a call that was left out none is kept', () => {
  const calls = new Calls()
  fill(calls, 'free-1', 2)
  expect([calls.hasRoom('free-1'), calls.hasRoom('free-1', maxCalls - 2)]).toEqual([true, false])
  calls.leaveOut('free-1')
  fill(calls, 'free-1', 2, 3)
  expect([keptOf(calls, 'free-1').length, calls.hasRoom('free-1')]).toEqual([2, false])
})

test('of a response the status and the headers of the limiter are kept', () => {
  const headers = [
    ['X-RateLimit-Limit', '60'],
    ['Content-Type', 'application/json'],
    ['DATE', 'Fri, 20 Nov 2026 12:00:00 GMT'],
    ['Retry-After', '3'],
  ] as const
  const response = { status: 429, headers, bytes: Buffer.from('{}'), cut: false }
  const sample = { key: 'free-1', noResponse: null, sentMs: 1, receivedMs: 2 }
  expect(compact({ ...sample, response })).toEqual({
    ...sample,
    response: {
      status: 429,
      headers: [headers[0], headers[2], headers[3]],
      bytes: new Uint8Array(),
      cut: true,
    },
  })
  const lost = { ...sample, response: null, noResponse: 'reset' } as const
  expect(compact(lost)).toBe(lost)
})
