// What a run lacks: permissions, a clock, a description and keys, each with what it would add.
import { expect, test } from 'vitest'
import { permissions } from '../engine/permission.ts'
import { type Asking, askable } from '../engine/plan.ts'
import type { KeyOption } from '../engine/run-options.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { offersOf } from './plan-offers.ts'

const keyOf = (plan: 'free' | 'pro', name: string): KeyOption => ({
  plan,
  key: `key-${name}`,
  quota: plans[plan],
})

const asking = (differing: Partial<Asking>): Asking => ({
  allow: permissions,
  keys: [keyOf('free', 'one')],
  clockUrl: 'given',
  descriptionUrl: 'given',
  ...differing,
})

const told = (differing: Partial<Asking>) => offersOf(catalogue, asking(differing))
const offer = (differing: Partial<Asking>, give: string) =>
  told(differing).find((each) => each.give === give)

test('a second key of one plan is told, with what it adds', () => {
  const second = offer({}, 'a second key of the plan free')
  const keys = [keyOf('free', 'one'), keyOf('free', 'two')]
  const more = askable(catalogue, asking({ keys })).length - askable(catalogue, asking({})).length
  expect(more).toBeGreaterThan(0)
  expect(second).toMatchObject({ adds: more })
  expect(offer({ keys }, 'a second key of the plan free')).toBeUndefined()
})

test('a key of another plan is told where there is none', () => {
  expect(offer({}, 'a key of the plan pro')?.addsLast).toBeGreaterThan(0)
  const keys = [keyOf('free', 'one'), keyOf('pro', 'two')]
  expect(offer({ keys }, 'a key of the plan pro')).toBeUndefined()
  expect(offer({ keys }, 'a key of the plan enterprise')?.addsLast).toBeGreaterThan(0)
})

test('what adds nothing alone is told for what it adds beside the others', () => {
  const ban = offer({ allow: [] }, '--allow ban')
  expect(ban?.adds).toBe(0)
  expect(ban?.addsLast).toBeGreaterThan(0)
  expect(ban?.suites.length).toBeGreaterThan(0)
})

test('with all of it nothing is left to offer', () => {
  const keys = (['free', 'pro', 'business', 'enterprise'] as const).flatMap((plan) =>
    ['one', 'two'].map((name) => ({
      plan,
      key: `${plan}-${name}`,
      quota: plan === 'enterprise' ? { perMinute: 90, perDay: 900 } : plans[plan],
    })),
  )
  expect(told({ keys })).toEqual([])
})
