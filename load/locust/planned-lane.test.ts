// What scenarios send on a lane that sends nothing.
import { expect, test } from 'vitest'
import { plans } from '../../spec/plans.ts'
import type { LoadPlan } from '../scenario.ts'
import { scenarios } from '../scenarios.ts'
import { PlannedLane } from './planned-lane.ts'

const [free, pro, banKey] = (['free', 'pro', 'free'] as const).map((plan, at) => {
  return { label: `${plan}-${at}`, plan, quota: plans[plan] }
})

const planned = async (ids: readonly string[], given: Partial<LoadPlan> = {}) => {
  const lane = new PlannedLane({
    keys: [free, pro].filter((key) => key !== undefined),
    banKey,
    allow: ['exhaust', 'ban'],
    ...{ shared: false, instant: false, connections: [20], durationMs: null, ...given },
  })
  for (const each of scenarios.filter(({ id }) => ids.includes(id))) await lane.take(each)
  return lane.phases.slice(1)
}

test('the keys of a fleet are spent together, each by users of its own', async () => {
  const bursts = (await planned(['fleet'])).filter(({ part }) => part === 'burst')
  expect(bursts).toMatchObject([
    { key: 'free-0', atMs: 4_000, first: 0, users: 10, requests: 59 },
    { key: 'pro-1', atMs: 4_000, first: 10, users: 10, requests: 299 },
  ])
})

test('a key rests for two windows, and is used from a whole minute on', async () => {
  const phases = await planned(['fleet', 'burst'])
  const [first, ...later] = phases.filter(({ scenario }) => scenario === 'burst')
  expect(first).toMatchObject({ key: 'free-0', part: 'request', atMs: 180_000, requests: 1 })
  const lastMs = phases.findLast(({ scenario }) => scenario === 'fleet')?.atMs ?? 0
  expect((first?.atMs ?? 0) - lastMs).toBeGreaterThan(120_000)
  const ofPro = later.filter(({ key }) => key === 'pro-1')
  expect(ofPro.map(({ atMs, requests }) => [atMs, requests])).toEqual([
    ...[
      [240_000, 1],
      [243_750, 1],
      [244_000, 288],
      [244_588, 30],
    ],
  ])
})

test('an even pace is one phase, however many slices it has', async () => {
  const week = 7 * 86_400_000
  expect(await planned(['soak'], { durationMs: week })).toMatchObject([
    { part: 'pace', key: 'pro-1', requests: expect.any(Number), users: 20, atMs: 0 },
  ])
})

test('the end of a ban is tried, each time after its Retry-After', async () => {
  const phases = await planned(['ban'])
  expect(phases.slice(-3).map(({ part, key }) => [part, key])).toEqual(
    Array.from({ length: 3 }, () => ['try', 'free-2']),
  )
  const ofOther = phases.filter(({ key }) => key === 'free-0')
  expect(ofOther.length).toBeGreaterThan(20)
  expect(ofOther.every(({ part }) => part === 'request')).toBe(true)
})

test('on new connections requests are sent one at a time', async () => {
  const bursts = (await planned(['replicas'])).filter(({ part }) => part === 'fresh')
  expect(bursts).toMatchObject([
    { everyMs: 10, users: 20, requests: 57 },
    { everyMs: 10, users: 2, requests: 2 },
  ])
})
