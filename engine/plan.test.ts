// What a run would cost: the sum of what its questions declare, of those that can be asked.
import { describe, expect, test } from 'vitest'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { check, invariant } from '../tests/plain-checks.ts'
import { testOptions, vetReference } from '../tests/vet-reference.ts'
import type { Needs } from './check.ts'
import { permissions } from './permission.ts'
import { costByStage, costOf, requestsOf } from './plan.ts'

const { keys } = testOptions('http://127.0.0.1:1', {})
const all = { allow: permissions, clockUrl: 'http://x', descriptionUrl: 'http://x', keys }
const none = { allow: [], clockUrl: null, descriptionUrl: null, keys }

const ask = (id: string, needs: Partial<Needs>) =>
  check(id, 'list.success', { stage: 'reads', keyed: 0, anonymous: 0, ...needs }, async () => {})

const questions = [
  ask('read', { keyed: 5 }),
  ask('stranger', { stage: 'strangers', anonymous: 7 }),
  ask('make', { stage: 'creations', keyed: 11, allow: ['write'] }),
  ask('exhaust', { stage: 'time', keyed: 60, allow: ['exhaust'], clock: true }),
  ask('described', { description: true, keyed: 13 }),
  invariant(
    'always',
    'service.json',
    () => true,
    () => {},
  ),
]

describe('a plan', () => {
  test('adds up what may be asked, the smoke call and the controls', () => {
    expect(costOf(questions, all)).toEqual({ keyed: 5 + 11 + 60 + 13 + 3, anonymous: 7 })
    expect(requestsOf(questions, all)).toBe(99)
    expect(costOf([], all)).toEqual({ keyed: 3, anonymous: 0 })
  })

  test('takes the cost of plenty with a test clock, and with a plan larger than Free', () => {
    const sampled = [ask('sample', { keyed: 5, ample: 26 }), ask('whole', { keyed: 2 })]
    const pro = [{ plan: 'pro' as const, key: 'a-key', quota: plans.pro }]
    const first = 3
    expect(costOf(sampled, none).keyed).toBe(5 + 2 + first)
    expect(costOf(sampled, all).keyed).toBe(26 + 2 + first)
    expect(costOf(sampled, { ...none, keys: pro }).keyed).toBe(26 + 2 + first)
    expect(costOf(sampled, { ...none, keys: [...keys, ...pro] }).keyed).toBe(26 + 2 + first + 1)
    expect(costOf(sampled, { ...none, keys: [...keys, ...keys] }).keyed).toBe(5 + 2 + first + 1)
  })

  test('leaves out what a permission, a clock or a description is missing for', () => {
    expect(costOf(questions, none)).toEqual({ keyed: 5 + 3, anonymous: 7 })
    expect(costOf(questions, { ...none, allow: ['write', 'exhaust'] }).keyed).toBe(5 + 11 + 3)
    expect(costOf(questions, { ...none, descriptionUrl: 'http://x' }).keyed).toBe(5 + 13 + 3)
  })

  test('names every stage, in the order of the work', () => {
    const byStage = costByStage(questions, all)
    expect(byStage.map(({ stage }) => stage).slice(-2)).toEqual(['time', 'removal'])
    expect(byStage.filter(({ cost }) => cost.keyed + cost.anonymous > 0)).toEqual([
      { stage: 'strangers', cost: { keyed: 0, anonymous: 7 } },
      { stage: 'creations', cost: { keyed: 11, anonymous: 0 } },
      { stage: 'reads', cost: { keyed: 18, anonymous: 0 } },
      { stage: 'time', cost: { keyed: 60, anonymous: 0 } },
    ])
  })
})

test('of the catalogue is what a run over a sound target sends, or a little more', async () => {
  const { run } = await vetReference({}, {})
  const planned = requestsOf(catalogue, all)
  expect(run.requests).toBeLessThanOrEqual(planned)
  expect(run.requests).toBeGreaterThan(0.8 * planned)
})
