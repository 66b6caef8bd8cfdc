// The prices of a plan.
import { describe, expect, test } from 'vitest'
import type { Permission } from '../engine/permission.ts'
import type { KeyOption } from '../engine/run-options.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { pricesOf } from './plan-prices.ts'
import { tellPlan } from './tell-plan.ts'

const free: KeyOption = { plan: 'free', key: 'a', quota: plans.free }
const pro: KeyOption = { plan: 'pro', key: 'b', quota: plans.pro }
const asking = (keys: readonly KeyOption[], clockUrl: string | null) => ({
  keys,
  allow: ['write', 'exhaust'] satisfies Permission[],
  clockUrl,
  descriptionUrl: null,
})

describe('the prices', () => {
  test('state the share of a day', () => {
    const { all, plans: each } = pricesOf(catalogue, asking([free], null))
    expect(each).toHaveLength(1)
    expect(each[0]?.dayPercent).toBe(Math.round((1_000 * all.keyed) / 1_000) / 10)
  })

  test('of a suite alone hold what it looks at, which all suites together pay once', () => {
    const { all, suites } = pricesOf(catalogue, asking([free], null))
    const errors = suites.find(({ suite }) => suite === 'errors')
    expect(errors?.keyed).toBeGreaterThan(60)
    expect(suites.reduce((sum, { keyed }) => sum + keyed, 0)).toBeGreaterThan(all.keyed)
  })

  test('are told once for each plan, and for all keys together', () => {
    const keys = [free, { ...free, key: 'c' }, pro]
    const { plans: each } = pricesOf(catalogue, asking(keys, null))
    expect(each.map(({ plan }) => plan)).toEqual(['free', 'pro'])
  })

  test('estimate no duration where the clock is moved', () => {
    const { all, suites } = pricesOf(catalogue, asking([free], 'http://clock'))
    expect([all, ...suites].filter(({ estimateMs }) => estimateMs !== null)).toEqual([])
  })

  test('say where --max-requests is too small', () => {
    const prices = pricesOf(catalogue, asking([free], null))
    const told = { target: 'x', allow: [], questions: 9, keys: 1, prices }
    expect(tellPlan({ ...told, maxRequests: 100 })).toContain('(--max-requests) and needs up to')
    expect(tellPlan({ ...told, maxRequests: 5_000 })).not.toContain('--max-requests')
  })
})
