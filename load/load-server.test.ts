// Servers under load: baselines that cannot be used; and what is kept of a load for the laws:
// bounded, without gaps, and as few bytes as they need.
import { expect, onTestFinished, test } from 'vitest'
import { get } from '../history/exchange.ts'
import { startReference } from '../reference/start.ts'
import { fakeExchange, fakeTrace } from '../tests/fakes/fake-exchange.ts'
import { serveActs } from '../tests/raw-server.ts'
import { testKey, testOptions } from '../tests/vet-reference.ts'
import { compact, maxCalls, openPlace, type Place } from './load-server.ts'
import { runLoad } from './run-load.ts'
import { scenarios } from './scenarios.ts'

test.each([
  ['refuses its keys', () => ({ status: 401 }), /all keys were|the key was refused/],
  ['does not respond', () => 'drop' as const, /gave no answer/],
])('a baseline that %s', async (_does, act, why) => {
  const other = await serveActs(act)
  onTestFinished(other.close)
  const keys = [{ plan: 'free' as const, key: testKey }]
  const server = await startReference({ keys, onFault: () => {} })
  onTestFinished(server.close)
  const target = testOptions(server.url, {})
  const options = { ...target, baseUrl: `${other.origin}/v1` }
  const run = await runLoad(
    {
      scenarios: scenarios.filter(({ id }) => id === 'steady'),
      settings: { connections: [2], durationMs: 100 },
      target,
      baselines: [{ column: 'prism', options }],
      missing: ['the column reference is empty: it did not start'],
      thresholds: null,
    },
    { event: () => {} },
  )
  expect(run.impossible).toBeNull()
  expect(run.notes.join('\n')).toMatch(/the column reference is empty/)
  expect(run.notes.find((text) => text.startsWith('the column prism is empty'))).toMatch(why)
  expect(Object.keys(run.load?.[0]?.columns ?? {})).toEqual(['target'])
})

const openCalls = (): Place['calls'] => {
  const options = testOptions('http://127.0.0.1:9/v1', {})
  const { session, calls } = openPlace({ column: 'target', options }, { event: () => {} })
  onTestFinished(() => session.close())
  return calls
}

const call = (key: string, seq: number) => ({
  ...fakeExchange(get('/pets?limit=1'), { status: 200, body: '[]', headers: {}, seq }),
  key,
})

const fill = (calls: Place['calls'], key: string, count: number, from = 1) => {
  for (let seq = from; seq < from + count; seq += 1) calls.add(call(key, seq))
}

const keptOf = (calls: Place['calls'], key: string) =>
  calls.historyOf(fakeTrace()).exchanges.filter((one) => one.key === key)

test('of each key the first calls are kept, up to a number, until it has rested', () => {
  const calls = openCalls()
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
  const calls = openCalls()
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
