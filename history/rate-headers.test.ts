// How the headers about the quota are read.
import { expect, test } from 'vitest'
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { isRefused, maxRefill, rateHeaders } from './rate-headers.ts'

const resetS = Date.UTC(2026, 10, 20, 12, 1) / 1000

const read = (reset: string) => {
  const headers = { 'X-RateLimit-Reset': reset }
  return rateHeaders(fakeExchange('/pets', { status: 200, body: '[]', headers }))
}

test.for([
  ['in Unix seconds', `${resetS}`],
  ['in seconds from now, which is wrong', '30'],
  ['in Unix milliseconds, which is wrong', `${resetS}000`],
])('a reset lies at the same moment %s', ([, reset = '']) => {
  expect(read(reset)).toEqual({
    limit: 60,
    window: 'minute',
    remaining: 59,
    reset: resetS,
    resetInMs: 30_000,
  })
})

test('without Date the time at the target is ours, and how far its clock was moved', () => {
  const headers = { 'X-RateLimit-Reset': '30', Date: '' }
  const response = fakeExchange('/pets', { status: 200, body: '[]', headers })
  expect(rateHeaders({ ...response, movedMs: 3_600_000 })?.reset).toBe(
    Math.round(Date.parse(response.at) / 1000) + 3_600 + 30,
  )
})

test('a reset in the past is now', () => {
  expect(read(`${resetS - 3_600}`)?.resetInMs).toBe(0)
})

const spent = { 'X-RateLimit-Remaining': '0', 'Retry-After': '7' }

test.for([
  ['418 that states a wait, and that none remain', 418, spent, true],
  ['418 without a wait', 418, { 'X-RateLimit-Remaining': '0' }, false],
  ['404 while calls remain', 404, { 'Retry-After': '7' }, false],
  ['404 with the last call, where each response states a wait', 404, spent, false],
  ['403, which may be a ban', 403, spent, false],
  ['503, which may be an overload', 503, spent, false],
] as const)('a refusal for the quota: %s', ([, status, headers, expected]) => {
  expect(isRefused(fakeExchange('/pets', { status, body: '{}', headers }))).toBe(expected)
})

test('what is no whole number is not read', () => {
  expect(read('2026-11-20T12:01:00Z')).toBeUndefined()
})

test('nothing comes back within less than the interval of one call', () => {
  expect([maxRefill(60, 60_000, 999), maxRefill(60, 60_000, 1_000)]).toEqual([0, 1])
})
