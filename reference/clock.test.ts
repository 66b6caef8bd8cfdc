// The test clock, and the address that moves it.
import { expect, test } from 'vitest'
import { handleClock, testClock } from './clock.ts'
import type { ApiResponse } from './message.ts'

const start = Date.UTC(2026, 10, 20, 12)
const create = () => {
  let elapsedMs = 500
  const clock = testClock(start, () => elapsedMs)
  const door = handleClock(clock)
  const call = async (method: string, body = '', target = '/clock'): Promise<ApiResponse> =>
    door({ method, target, header: () => undefined, body: Buffer.from(body), connection: {} })
  return { clock, call, pass: (ms: number) => (elapsedMs += ms) }
}

test('runs at real speed up to the last year that has four digits', () => {
  const { clock, pass } = create()
  expect(clock.now()).toBe(start)
  pass(250.7)
  expect(clock.now()).toBe(start + 250)
  clock.advance(9_750)
  pass(5)
  expect(clock.now()).toBe(start + 10_005)
  const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
  clock.advance(latestMs - clock.now())
  pass(1_000)
  expect(clock.now()).toBe(latestMs)
})

test('moves by what is requested, however slowly the request is read', async () => {
  let elapsedMs = 0
  // Each reading of the timer is seven milliseconds after the one before it.
  const clock = testClock(start, () => (elapsedMs += 7))
  const request = { method: 'POST', target: '/clock', header: () => undefined, connection: {} }
  const before = clock.now()
  const { status } = await handleClock(clock)({ ...request, body: Buffer.from('{"advanceMs":1}') })
  const readings = 4
  expect([status, clock.now()]).toEqual([200, before + 1 + 7 * readings])
})

test.each([
  [409, '{"advanceMs":-1}'],
  [409, '{"set":"2026-11-20T11:59:59Z"}'],
  [400, ''],
  [400, '[]'],
  [400, 'null'],
  [400, '{}'],
  [400, '{"advanceMs":1,"set":"2030-12-06T00:00:00Z"}'],
  [400, '{"advanceMs":0.5}'],
  [400, '{"advanceMs":9007199254740991}'],
  [400, '{"set":"2030-12-06"}'],
  [400, '{"set":"2030-13-06T00:00:00Z"}'],
  [400, '{"set":1}'],
  [400, '{"now":1}'],
  [400, `{"advanceMs":1${' '.repeat(2_000)}}`],
])('%i is the response to a move backward, or malformed: %j', async (status, body) => {
  expect((await create().call('POST', body)).status).toBe(status)
})
