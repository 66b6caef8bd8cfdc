// What the plan of a load for several machines has of each scenario.
import { expect, test } from 'vitest'
import { plans } from '../../spec/plans.ts'
import type { LoadSettings } from '../scenario.ts'
import { makePlan } from './plan.ts'

const keys = (['free-1', 'pro-1', 'free-2'] as const).map((label) => {
  const plan = label === 'pro-1' ? 'pro' : 'free'
  return { label, plan, key: `$${label}`, variable: label, quota: plans[plan] } as const
})

const planned = async (scenarios: readonly string[], given: Partial<LoadSettings> = {}) => {
  const { phases } = await makePlan({
    ...{ keys, variables: [], scenarios, baseUrl: 'https://pets.example/v1', headers: [] },
    ...{ allow: ['exhaust', 'ban'], shared: false, responseTimeoutMs: 1_000 },
    ...{ connections: [20], durationMs: null, ...given },
  })
  return phases.slice(1)
}

test('the keys of a fleet are spent together, each by users of its own', async () => {
  const bursts = (await planned(['fleet'])).filter(({ part }) => part === 'burst')
  expect(bursts).toMatchObject([
    { key: 'free-1', atMs: 4_000, first: 0, users: 10, requests: 59 },
    { key: 'pro-1', atMs: 4_000, first: 10, users: 10, requests: 299 },
  ])
})

test('a key rests for two windows, and is used from a whole minute on', async () => {
  const phases = await planned(['fleet', 'burst'])
  const [first, ...later] = phases.filter(({ scenario }) => scenario === 'burst')
  expect(first).toMatchObject({ key: 'free-1', part: 'request', atMs: 180_000, requests: 1 })
  const lastMs = phases.findLast(({ scenario }) => scenario === 'fleet')?.atMs ?? 0
  expect((first?.atMs ?? 0) - lastMs).toBeGreaterThan(120_000)
  const ofPro = later.filter(({ key }) => key === 'pro-1')
  expect(ofPro.map(({ atMs, requests }) => [atMs, requests])).toEqual([
    [240_000, 1],
    [243_750, 1],
    [244_000, 288],
    [244_588, 30],
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
  const ofOther = phases.filter(({ key }) => key === 'free-1')
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
