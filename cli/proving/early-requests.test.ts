// Requests before Retry-After has elapsed are counted, and no others.
import { expect, test } from 'vitest'
import { testClock } from '../../reference/clock.ts'
import { compose } from '../../reference/compose.ts'
import { createKeys } from '../../reference/keys.ts'
import { clockWindow, createLimiter } from '../../reference/limiter.ts'
import type { ApiRequest } from '../../reference/message.ts'
import { memoryStore } from '../../reference/store.ts'
import { countEarlyRequests } from './early-requests.ts'

const listWith = (key: string): ApiRequest => ({
  method: 'GET',
  target: '/v1/pets',
  header: (name) => (name === 'authorization' ? `Bearer ${key}` : undefined),
  body: Buffer.alloc(0),
  connection: {},
})

const minute = { plan: 'enterprise', perMinute: 1, perDay: 100 } as const
const startMs = Date.UTC(2026, 10, 20, 12, 0, 10)

const open = () => {
  const early = countEarlyRequests({}, 'banned')
  const clock = testClock(startMs, () => 0)
  const keys = createKeys(['used', 'banned'].map((key) => ({ ...minute, key })))
  const limiter = createLimiter(clockWindow)
  const { handle } = compose({ clock, keys, limiter, store: memoryStore() }, early.variant)
  const send = (key: string) => handle(listWith(key))
  const spend = async (key: string) => {
    await send(key)
    await send(key)
  }
  const pass = (ms: number) => clock.set(clock.now() + ms)
  return { early, send, spend, pass }
}

test('a request before the stated time is counted', async () => {
  const { early, send, spend, pass } = open()
  await spend('used')
  pass(10_000)
  await send('used')
  expect(early.count()).toBe(1)
})

test('a later request is not counted, nor one in flight with the refused one', async () => {
  const { early, send, spend, pass } = open()
  await spend('used')
  await send('used')
  pass(50_000)
  await send('used')
  expect(early.count()).toBe(0)
})

test('the key of the ban probe is not counted', async () => {
  const { early, send, spend, pass } = open()
  await spend('banned')
  pass(10_000)
  await send('banned')
  expect(early.count()).toBe(0)
})
