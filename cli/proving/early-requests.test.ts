// Requests before Retry-After has elapsed are counted, and no others.
import { expect, test } from 'vitest'
import { keyOf } from '../../tests/vet-reference.ts'
import { listRequest } from '../../tests/virtual/foreign.ts'
import { openVirtually, withoutClock } from '../../tests/virtual/vet.ts'
import { countEarlyRequests } from './early-requests.ts'

const keys = ['used', 'banned'].map((name) =>
  keyOf('enterprise', name, { key: name, quota: { perMinute: 1, perDay: 100 } }),
)

const open = () => {
  const early = countEarlyRequests({}, 'banned')
  const where = { ...withoutClock, startMs: Date.UTC(2026, 10, 20, 12, 0, 10) }
  const { target } = openVirtually(early.variant, keys, where)
  const send = (key: string) => target.handle(listRequest(key))
  const spend = async (key: string) => {
    await send(key)
    await send(key)
  }
  return { early, send, spend, pass: target.move }
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
