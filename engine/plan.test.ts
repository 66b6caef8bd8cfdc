// The order of the work, and what a run would cost.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../tests/plain-checks.ts'
import { type AnyCheck, type Stage, stages } from './declare.ts'
import { schedule } from './plan.ts'

const ask = (id: string, stage: Stage, keyed: number, anonymous: number) =>
  check(id, 'list.success', { stage, keyed, anonymous }, () => Promise.resolve())

const keyed = (id: string, stage: Stage = 'reads') => ask(id, stage, 1, 0)
const keyless = (id: string, stage: Stage = 'unauthenticated') => ask(id, stage, 0, 1)

/** The ids in the order in which they run; each wait is for the check it names. */
const orderOf = (
  checks: readonly AnyCheck[],
  instant: boolean,
  waits: (done: number) => boolean,
  first: ReadonlySet<string> = new Set(),
) => {
  const ids: string[] = []
  const waitMs = () => (waits(ids.length) ? 1_000 : 0)
  for (const { id } of schedule(checks, instant, waitMs, first)) ids.push(id)
  return ids
}

const never = () => false

describe('where waits cost nothing', () => {
  test('what failed before comes first in its stage, where nothing builds on it', () => {
    const checks = [
      keyed('probe-1', 'probes'),
      keyed('probe-2', 'probes'),
      keyed('make-1', 'creations'),
      keyed('make-2', 'creations'),
      keyed('read-1'),
      keyed('read-2'),
      keyed('read-3'),
      keyed('burst-1', 'limits'),
      keyed('burst-2', 'limits'),
    ]
    const first = new Set(['probe-2', 'make-2', 'read-3', 'read-2', 'burst-2', 'no-such'])
    expect(orderOf(checks, true, never, first)).toEqual([
      ...['probe-1', 'probe-2', 'make-1', 'make-2', 'read-2', 'read-3', 'read-1'],
      ...['burst-1', 'burst-2'],
    ])
  })

  test('what judges others of its own stage stays behind them', () => {
    const judge = check(
      'judge',
      'list.success',
      { stage: 'refusals', keyed: 1, anonymous: 0, made: 'refusals' },
      async () => {},
    )
    const first = new Set(['judge', 'refused-2'])
    const checks = [keyed('refused-1', 'refusals'), keyed('refused-2', 'refusals'), judge]
    const order = orderOf(checks, true, never, first)
    expect(order).toEqual(['refused-2', 'refused-1', 'judge'])
  })
})

describe('where a wait takes real time', () => {
  const checks = [
    keyless('filler-1'),
    keyless('filler-2'),
    keyed('read-1'),
    keyed('read-2'),
    keyed('move', 'time'),
    keyless('move-keyless', 'time'),
    keyed('gone', 'removal'),
  ]
  const reads = ['read-1', 'read-2']
  const fillers = ['filler-1', 'filler-2']

  test.for<[string, (done: number) => boolean, string[]]>([
    ['goes before a check that would wait', (done) => done >= 1, ['read-1', ...fillers, 'read-2']],
    [
      'only as far as the wait takes',
      (done) => done === 1,
      ['read-1', 'filler-1', 'read-2', 'filler-2'],
    ],
    ['comes at last without a wait, before the clock is moved', never, [...reads, ...fillers]],
  ])('what needs no key %s', ([, waits, first]) => {
    expect(orderOf(checks, false, waits)).toEqual([...first, 'move', 'move-keyless', 'gone'])
  })

  test('creations without a key are not postponed: later checks judge their effects', () => {
    const needs = { stage: 'unauthenticated', keyed: 0, anonymous: 1, allow: ['write'] } as const
    const creation = check('creation', 'create.unauthorized', needs, () => Promise.resolve())
    const judge = keyed('judge', 'refusals')
    const order = orderOf([judge, keyless('filler'), creation], false, never)
    expect(order).toEqual(['creation', 'judge', 'filler'])
  })

  test('what sends nothing of its own keeps its place: it judges what others sent', () => {
    const judge = ask('judge', 'reads', 0, 0)
    const order = orderOf([keyless('filler'), keyed('read'), judge], false, never)
    expect(order).toEqual(['read', 'judge', 'filler'])
  })
})

test('every check is scheduled once, and the clock is moved last, whatever has to wait', () => {
  const one = fc.record({
    stage: fc.constantFrom(...stages),
    keyed: fc.nat({ max: 1 }),
    anonymous: fc.nat({ max: 1 }),
  })
  const waiting = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 20 }), fc.boolean(), waiting, (all, instant, waits) => {
      const checks = all.map((each, i) => ask(String(i), each.stage, each.keyed, each.anonymous))
      const order = orderOf(checks, instant, (done) => waits[done % waits.length] ?? false)
      expect([...order].sort()).toEqual(checks.map(({ id }) => id).sort())
      const isLate = order.map((id) => ['time', 'removal'].includes(all[Number(id)]?.stage ?? ''))
      expect(isLate).toEqual([...isLate].sort((a, b) => Number(a) - Number(b)))
      const keyedStages = order
        .filter((id) => all[Number(id)]?.keyed)
        .map((id) => stages.indexOf(all[Number(id)]?.stage ?? 'probes'))
      expect(keyedStages).toEqual([...keyedStages].sort((a, b) => a - b))
    }),
    { seed: 1, numRuns: 200 },
  )
})
