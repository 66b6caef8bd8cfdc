// Requests before Retry-After has elapsed are counted, and no others.
import { expect, test } from 'vitest'
import { keyOf } from '../tests/vet-reference.ts'
import { listRequest } from '../tests/virtual/foreign.ts'
import { openVirtually, withoutClock } from '../tests/virtual/vet.ts'
import { countEarlyRequests } from './subjects.ts'

const keys = ['used', 'banned'].map((name) =>
  keyOf('enterprise', name, { key: name, quota: { perMinute: 1, perDay: 100 } }),
)

test.for([
  ['a request before the stated time is', 'used', [10_000], 1],
  ['a later one, and one in flight with the refused one, are not', 'used', [0, 50_000], 0],
  ['that of the ban probe is not', 'banned', [10_000], 0],
] as const)('counted: %s', async ([, key, pausesMs, count]) => {
  const early = countEarlyRequests({}, 'banned')
  const where = { ...withoutClock, startMs: Date.UTC(2026, 10, 20, 12, 0, 10) }
  const { target } = openVirtually(early.variant, keys, where)
  for (const pauseMs of [0, 0, ...pausesMs]) {
    target.move(pauseMs)
    await target.handle(listRequest(key))
  }
  expect(early.count()).toBe(count)
})
