// What a run costs, and what each thing that it lacks would add.
import { describe, expect, test } from 'vitest'
import { permissions } from '../../../engine/check/context.ts'
import type { KeyOption, PlanOptions } from '../../../engine/check/spendable-keys.ts'
import { runnableChecks } from '../../../engine/run/check-order.ts'
import { planNames } from '../../../spec/plans.ts'
import { catalogue } from '../../../suites/index.ts'
import { keyOf } from '../../../tests/vet-reference.ts'
import { formatPlan } from '../plan.ts'
import { computePrices } from './prices.ts'

const [free, second, pro] = [keyOf('free', 'one'), keyOf('free', 'two'), keyOf('pro', 'three')]

const pricesWith = (differing: Partial<PlanOptions>) =>
  computePrices(catalogue, {
    allow: ['write', 'exhaust'],
    keys: [free],
    clockUrl: null,
    descriptionUrl: null,
    ...differing,
  })

describe('the prices', () => {
  test('state the share of a day', () => {
    const { all, plans: each } = pricesWith({})
    expect(each).toHaveLength(1)
    expect(each[0]?.dayPercent).toBe(Math.round((1_000 * all.keyed) / 1_000) / 10)
  })

  test('of one suite include what it looks at, which all suites together pay once', () => {
    const { all, suites } = pricesWith({})
    expect(suites.find(({ suite }) => suite === 'bounds')?.keyed).toBeGreaterThan(60)
    expect(suites.reduce((sum, { keyed }) => sum + keyed, 0)).toBeGreaterThan(all.keyed)
  })

  test('are listed once for each plan', () => {
    const { plans: each } = pricesWith({ keys: [free, second, pro] })
    expect(each.map(({ plan }) => plan)).toEqual(['free', 'pro'])
  })

  test('estimate no duration where the clock is moved', () => {
    const { all, suites } = pricesWith({ clockUrl: 'http://clock' })
    expect([all, ...suites].filter(({ estimateMs }) => estimateMs !== null)).toEqual([])
  })

  test('say where --max-requests is too small', () => {
    const prices = pricesWith({})
    const costs = {
      target: 'x',
      allow: [],
      checks: 9,
      keys: 1,
      withoutWaiting: { checks: 1, musts: 1, ofMusts: 2 },
      knownFaults: null,
      prices,
    }
    expect(formatPlan({ ...costs, maxRequests: 100 }, null)).toContain(
      '(--max-requests) and needs up to',
    )
    expect(formatPlan({ ...costs, maxRequests: 5_000 }, null)).not.toContain('--max-requests')
  })
})

describe('the offers', () => {
  const full = { allow: permissions, clockUrl: 'given', descriptionUrl: 'given' }
  const offer = (differing: Partial<PlanOptions>, give: string) =>
    pricesWith({ ...full, ...differing }).offers.find((each) => each.give === give)

  test('a second key of one plan, with what it adds', () => {
    const numberWith = (keys: KeyOption[]) => runnableChecks(catalogue, { ...full, keys }).length
    const adds = numberWith([free, second]) - numberWith([free])
    expect(adds).toBeGreaterThan(0)
    expect(offer({}, 'a second key of the plan free')).toMatchObject({ adds })
    expect(offer({ keys: [free, second] }, 'a second key of the plan free')).toBeUndefined()
  })

  test('a key of a plan that has none', () => {
    expect(offer({}, 'a key of the plan pro')?.addsLast).toBeGreaterThan(0)
    const both = { keys: [free, pro] }
    expect(offer(both, 'a key of the plan pro')).toBeUndefined()
    expect(offer(both, 'a key of the plan enterprise')?.addsLast).toBeGreaterThan(0)
  })

  test('what adds nothing alone, with what it adds to all the others', () => {
    const ban = offer({ allow: [] }, '--allow ban')
    expect(ban?.adds).toBe(0)
    expect(ban?.addsLast).toBeGreaterThan(0)
    expect(ban?.suites.length).toBeGreaterThan(0)
  })

  test('none where nothing is missing', () => {
    const keys = planNames.flatMap((plan) => [keyOf(plan, 'one'), keyOf(plan, 'two')])
    expect(pricesWith({ ...full, keys }).offers).toEqual([])
  })
})
