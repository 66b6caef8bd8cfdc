// The plans are in the order of the interface's table, and so are their quotas.
import { expect, test } from 'vitest'
import { planNames, plans } from './plans.ts'

test('every plan but Enterprise has a quota', () => {
  expect(planNames).toEqual(['free', 'pro', 'business', 'enterprise'])
  expect(Object.keys(plans)).toEqual(planNames.slice(0, 3))
})

test('a larger plan allows more', () => {
  const { free, pro, business } = plans
  expect([free, pro, business].map(({ perMinute }) => perMinute)).toEqual([60, 300, 1_000])
  expect([free, pro, business].map(({ perDay }) => perDay)).toEqual([1_000, 10_000, 100_000])
})
