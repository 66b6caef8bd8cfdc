// The witness sees who knocks before the stated time, and nobody else.
import { expect, test } from 'vitest'
import { testClock } from '../../reference/clock.ts'
import { compose } from '../../reference/compose.ts'
import { createKeys } from '../../reference/keys.ts'
import { clockWindow, createLimiter } from '../../reference/limiter.ts'
import type { ApiRequest } from '../../reference/message.ts'
import { memoryStore } from '../../reference/store.ts'
import { witnessed } from './witness.ts'

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
  const witness = witnessed({}, 'spared')
  const clock = testClock(startMs, () => 0)
  const keys = createKeys(['used', 'spared'].map((key) => ({ ...minute, key })))
  const limiter = createLimiter(clockWindow)
  const { handle } = compose({ clock, keys, limiter, store: memoryStore() }, witness.variant)
  const ask = (key: string) => handle(listWith(key))
  const spend = async (key: string) => {
    await ask(key)
    await ask(key)
  }
  const pass = (ms: number) => clock.set(clock.now() + ms)
  return { witness, ask, spend, pass }
}

test('a request before the stated time is a knock', async () => {
  const { witness, ask, spend, pass } = open()
  await spend('used')
  pass(10_000)
  await ask('used')
  expect(witness.knocks()).toBe(1)
})

test('a request after it is none, nor one that was under way with the refused one', async () => {
  const { witness, ask, spend, pass } = open()
  await spend('used')
  await ask('used')
  pass(50_000)
  await ask('used')
  expect(witness.knocks()).toBe(0)
})

test('the key of bans may knock', async () => {
  const { witness, ask, spend, pass } = open()
  await spend('spared')
  pass(10_000)
  await ask('spared')
  expect(witness.knocks()).toBe(0)
})
