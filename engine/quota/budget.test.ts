// A run sends no more than it may, and keeps no more than it can.
import { expect, test } from 'vitest'
import { Untested } from '../../history/outcome.ts'
import { Budget } from './budget.ts'

const mib = 2 ** 20

test('a run reads no long bodies from 24 MiB on, and ends at 48 MiB', () => {
  const budget = new Budget({ maxRequests: 100 })
  budget.keep(24 * mib - 1)
  expect(budget.mayRead(mib)).toBe(true)
  budget.keep(1)
  expect([65_536, 65_537].map((bytes) => budget.mayRead(bytes))).toEqual([true, false])
  budget.keep(24 * mib - 1)
  expect(() => budget.take('one')).not.toThrow()
  budget.keep(1)
  expect(() => budget.take('one')).toThrow('the target has sent 48 MiB, more than a run can keep')
  expect(budget.full()).toBe('the target has sent 48 MiB, more than a run can keep')
  expect(budget.left()).toBe(99)
})

test('a run ends when it has lasted as long as it may', () => {
  let nowMs = 5_000
  const budget = new Budget({ maxRequests: 100, maxTimeMs: 60_000 }, () => nowMs)
  nowMs += 59_999
  expect(() => budget.take('one')).not.toThrow()
  nowMs += 1
  expect(() => budget.take('one')).toThrow('the run has lasted the 60 s that it may (--max-time)')
  expect(budget.full()).toContain('--max-time')
})

test('a run does not begin to wait for longer than it may last', () => {
  let nowMs = 5_000
  const budget = new Budget({ maxRequests: 100, maxTimeMs: 60_000 }, () => nowMs)
  nowMs += 1_000
  expect(() => budget.takeTime(58_999)).not.toThrow()
  expect(() => budget.takeTime(59_000)).toThrow(
    new Untested('budget', 'it would have to wait 59 s, which the run may not last (--max-time)'),
  )
  expect(() => new Budget({ maxRequests: 100 }).takeTime(1e9)).not.toThrow()
})
