// The catalogue: its ids, and the declared cost of a whole run.
import { expect, test } from 'vitest'
import { sendsRequests } from '../engine/declare.ts'
import { costOf } from '../engine/plan.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from './index.ts'

const sending = catalogue.filter(sendsRequests)

const free = { plan: 'free', key: 'free-key-of-the-test', quota: plans.free } as const
const contract = { allow: ['write'], keys: [free], clockUrl: null, descriptionUrl: null } as const

test('the contract fits into four minutes of a Free key', () => {
  const cost = costOf(catalogue, contract)
  expect(cost.keyed).toBeLessThanOrEqual(240)
  expect(cost.anonymous).toBeLessThanOrEqual(80)
})

test('with plenty of requests it may send more', () => {
  const pro = { plan: 'pro', key: 'pro-key-of-the-test', quota: plans.pro } as const
  const ample = { ...contract, keys: [pro] }
  expect(costOf(catalogue, ample).keyed).toBeGreaterThan(costOf(catalogue, contract).keyed)
  expect(costOf(catalogue, ample).keyed).toBeLessThanOrEqual(plans.pro.perMinute)
  expect(costOf(catalogue, { ...contract, clockUrl: 'http://clock' }).keyed).toBeGreaterThan(240)
})

test('checks that create pets need the permission to write', () => {
  const creating = sending.filter(({ needs }) => ['refusals', 'creations'].includes(needs.stage))
  expect(creating.filter(({ needs }) => !needs.allow?.includes('write'))).toEqual([])
})

test('checks that fetch a pet declare it', () => {
  const fetching = sending.filter(({ requirement }) => /^get\.(?!repl)/.test(requirement))
  const silent = fetching.filter(({ needs }) => !needs.getPet && needs.keyed > 0)
  expect(silent.map(({ id }) => id)).toEqual([])
})
