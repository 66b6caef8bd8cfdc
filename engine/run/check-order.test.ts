// The order of the work.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from '../../tests/plain-checks.ts'
import { type AnyCheck, type Stage, stages } from '../check/declare.ts'
import { inOrder, withFirst } from './check-order.ts'

const keyed = (id: string, stage: Stage = 'reads') =>
  check(id, 'list.success', { stage }, () => Promise.resolve())
const keyless = (id: string) => keyed(id, 'unauthenticated')

const fast = { isInstant: true, noWait: false }
const slow = { isInstant: false, noWait: false }

const orderOf = (
  checks: readonly AnyCheck[],
  pace: typeof fast,
  first: ReadonlySet<string> = new Set(),
) => inOrder(withFirst(checks, first), pace).map(({ id }) => id)

test('where waits cost nothing, what judges others of its own stage stays behind them', () => {
  const judge = { ...keyed('judge', 'refusals'), sentBy: ['refused-1'] }
  const first = new Set(['judge', 'refused-2'])
  const checks = [keyed('refused-1', 'refusals'), keyed('refused-2', 'refusals'), judge]
  const order = orderOf(checks, fast, first)
  expect(order).toEqual(['refused-2', 'refused-1', 'judge'])
})

const ranked = (rank: number, of: AnyCheck) => ({ ...of, rank }) as AnyCheck

test('without waits what has a place in the first minute follows what needs no key', () => {
  const checks = [
    keyed('refused', 'refusals'),
    ranked(1, keyed('made', 'creations')),
    ranked(0, keyed('read')),
    keyless('list'),
  ]
  const ending = { ...slow, noWait: true }
  expect(orderOf(checks, ending)).toEqual(['list', 'read', 'made', 'refused'])
  expect(orderOf(checks, ending, new Set(['made']))).toEqual(['list', 'made', 'read', 'refused'])
  // One without a place there too, if it failed before.
  expect(orderOf(checks, ending, new Set(['refused']))).toEqual([
    ...['list', 'refused', 'read', 'made'],
  ])
  for (const pace of [slow, fast]) {
    expect(orderOf(checks, pace)).toEqual(['list', 'refused', 'made', 'read'])
  }
})

test('in real time what needs no key has a third of a budget first, and comes last beyond', () => {
  const checks = [keyless('one'), keyless('two'), keyless('three'), keyed('read')]
  const pace = { ...slow, noWait: true, maxRequests: 6 }
  expect(orderOf(checks, pace)).toEqual(['one', 'two', 'read', 'three'])
})

test('what may crash the target comes last, but before a day that no clock gives back', () => {
  const checks = [
    keyed('crash', 'hazards'),
    { ...keyed('nest', 'hazards'), rank: 0 },
    { ...keyed('read'), rank: 1 },
    keyed('spend', 'days'),
    keyed('move', 'removal'),
  ]
  expect(orderOf(checks, fast)).toEqual(['read', 'spend', 'move', 'crash', 'nest'])
  expect(orderOf(checks, slow)).toEqual(['read', 'crash', 'nest', 'spend', 'move'])
  const ending = { ...slow, noWait: true }
  expect(orderOf(checks, ending)).toEqual(['read', 'nest', 'crash', 'spend', 'move'])
})

test('every check has one place, and the clock is moved last', () => {
  const one = fc.record({
    stage: fc.constantFrom(...stages),
    rank: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
  })
  const pace = fc.record({ isInstant: fc.boolean(), noWait: fc.boolean() })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 20 }), pace, (all, { isInstant, noWait }) => {
      const checks = all.map(({ stage, rank }, at) => ({
        ...keyed(String(at), stage),
        ...(rank !== undefined && { rank }),
      }))
      const order = orderOf(checks, { isInstant, noWait })
      expect([...order].sort()).toEqual(checks.map(({ id }) => id).sort())
      const inStages = order
        .map((id) => all[Number(id)]?.stage ?? 'probes')
        .filter((stage) => stage !== 'hazards')
      const isLate = inStages.map((stage) => ['time', 'removal'].includes(stage))
      expect(isLate).toEqual([...isLate].sort((a, b) => Number(a) - Number(b)))
      if (!isInstant) return
      const places = inStages.map((stage) => stages.indexOf(stage))
      expect(places).toEqual([...places].sort((a, b) => a - b))
    }),
    { seed: 1, numRuns: 200 },
  )
})
