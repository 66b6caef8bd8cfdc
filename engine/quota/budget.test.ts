// A run sends no more than it may, and keeps no more than it can.
import { expect, test, vi } from 'vitest'
import { Untested } from '../../history/outcome.ts'
import { Budget } from './budget.ts'

const mib = 2 ** 20

const startMs = 5_000
const passed = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(startMs + ms)
const budgetOfMinute = () => {
  passed(0)
  return new Budget({ maxRequests: 100, maxTimeMs: 60_000 })
}

test('a run reads no long bodies from 24 MiB on, and ends at 48 MiB', () => {
  const budget = new Budget({ maxRequests: 100 })
  budget.keep(24 * mib - 1)
  expect(budget.mayRead(mib)).toBe(true)
  budget.keep(1)
  expect([65_536, 65_537].map((bytes) => budget.mayRead(bytes))).toEqual([true, false])
  budget.keep(24 * mib - 1)
  expect(() => budget.take('one', null)).not.toThrow()
  budget.keep(1)
  expect(() => budget.take('one', null)).toThrow(
    'the target has sent 48 MiB, more than a run can keep',
  )
  expect(budget.full()).toBe('the target has sent 48 MiB, more than a run can keep')
  expect(budget.left()).toBe(99)
})

test('a run ends when it has lasted as long as it may', () => {
  const budget = budgetOfMinute()
  passed(59_999)
  expect(() => budget.take('one', null)).not.toThrow()
  passed(60_000)
  expect(() => budget.take('one', null)).toThrow(
    'the run has lasted the 60 s that it may (--max-time)',
  )
  expect(budget.full()).toContain('--max-time')
})

test('a run does not begin to wait for longer than it may last', () => {
  const budget = budgetOfMinute()
  passed(1_000)
  expect(() => budget.takeTime(58_999)).not.toThrow()
  expect(() => budget.takeTime(59_000)).toThrow(
    new Untested('budget', 'it would have to wait 59 s, which the run may not last (--max-time)'),
  )
  expect(() => new Budget({ maxRequests: 100 }).takeTime(1e9)).not.toThrow()
})
