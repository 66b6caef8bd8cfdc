// Which key is called while another one is banned.
import { expect, test } from 'vitest'
import type { LimitKey, Limits } from '../../engine/context.ts'
import { plans } from '../../spec/plans.ts'
import { otherKeyOf } from './requests-after-429.ts'

const key = (plan: 'free' | 'pro', label: string): LimitKey => ({ label, plan, quota: plans[plan] })

test.each([
  ['one of the same plan', [key('free', 'free-1'), key('pro', 'pro-1')], 'pro-1'],
  ['else the cheapest', [key('free', 'free-1')], 'free-1'],
])('it is %s', (_name, keys, label) => {
  const limits = { keys } as unknown as Limits
  expect(otherKeyOf(limits, key('pro', 'pro-2')).label).toBe(label)
})
