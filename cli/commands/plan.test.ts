// What a run costs by the plan, and how many checks need what it lacks.
import { beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '../../engine/check/context.ts'
import type { PlanOptions } from '../../engine/check/spendable-keys.ts'
import { oneFreeKey } from '../../proof/measure-run.ts'
import { planNames } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { keyOf } from '../../tests/vet-reference.ts'
import { formatPlan, measurePlan } from './plan.ts'

const [free, second] = [keyOf('free', 'one'), keyOf('free', 'two')]

type Plan = Awaited<ReturnType<typeof measurePlan>>

const planOf = (differing: Partial<PlanOptions>, only: RegExp = /./) =>
  measurePlan(
    catalogue.filter(({ id }) => only.test(id)),
    { ...oneFreeKey, ...differing },
  )

describe('of a Free key', () => {
  let plan: Plan
  beforeAll(async () => {
    plan = await planOf({ allow: ['write', 'exhaust', 'ban'] })
  })

  test('suites add up to the whole, but for the first calls', () => {
    const { suites, total } = plan
    const most = suites.reduce((sum, { keyed }) => sum + keyed[1], 0)
    expect(most).toBeGreaterThan(0.9 * total.keyed[1])
    expect(most).toBeLessThanOrEqual(1.05 * total.keyed[1])
  })

  test('a range is no wider than a factor of 1.5, and a key has a part of its day', () => {
    const { total, keys } = plan
    expect(total.keyed[1]).toBeLessThanOrEqual(1.5 * total.keyed[0])
    expect(total.lengthMs?.[1]).toBeLessThanOrEqual(1.5 * (total.lengthMs?.[0] ?? 0))
    expect(keys).toEqual([{ key: 'free-1', requests: total.keyed, perDay: 1_000 }])
  })

  test('says what faults add: their reduction, and programs of the limiter once more', () => {
    expect(plan.faults?.reducedMs).toBe(60_000)
    const { againMs = 0 } = plan.faults ?? {}
    expect(againMs).toBeGreaterThan(60_000)
    expect(againMs).toBeLessThan(plan.total.lengthMs?.[0] ?? 0)
    expect(
      formatPlan({ ...plan, target: 'x', maxRequests: 5_000, byDefault: false }, null),
    ).toMatch(
      /; faults add up to 1 min, and those of its limits \d min more, as they are confirmed\.$/m,
    )
  })

  test('the first minute tests most, and --max-requests may be too small', () => {
    const named = { ...plan, target: 'x', maxRequests: 100, byDefault: false }
    expect(formatPlan(named, null)).toMatch(
      /takes \d+(–\d+)? min\. The first minute .* known faults/,
    )
    expect(formatPlan(named, null)).toContain('(--max-requests) and needs up to')
    expect(formatPlan(named, null)).toMatch(/Rows may take 240 calls .*: \d+ of \d+ values of rows/)
    expect(formatPlan({ ...named, maxRequests: 5_000 }, null)).not.toContain('needs up to')
    expect(formatPlan(named, null)).toMatch(/^Allowed at x: write, exhaust, ban\.\n/)
    expect(formatPlan({ ...named, byDefault: true }, null)).toMatch(/^Allowed .* --allow none\.\n/)
  })
})

test('where the clock is moved there is no duration', async () => {
  const { total, firstMinute } = await planOf({ clockUrl: 'http://clock' }, /^list-/)
  expect([total.lengthMs, firstMinute]).toEqual([null, null])
})

describe('what is left out', () => {
  const full = { allow: permissions, clockUrl: 'given', descriptionUrl: 'given' }
  const lack = async (differing: Partial<PlanOptions>, why: string) =>
    (await planOf({ ...full, keys: [free], ...differing }, /^(quota|ban|day|isol)/)).lacks.find(
      (each) => each.why.includes(why),
    )

  test('for lack of a second key of one plan, with how many checks need it', async () => {
    expect((await lack({}, '--key free=A --key free=B'))?.checks).toBeGreaterThan(0)
    expect(await lack({ keys: [free, second] }, '--key free=A')).toBeUndefined()
  })

  test('for lack of a key of a plan', async () => {
    expect((await lack({}, 'no key of the plan pro'))?.checks).toBeGreaterThan(0)
  })

  test('as sentences', async () => {
    const plan = await planOf({ allow: [] }, /^(create|description)-/)
    const text = formatPlan({ ...plan, target: 'T', byDefault: true, maxRequests: 1 }, null)
    expect(text).toMatch(/^Left out: \d+ checks:$/m)
    expect(text).toMatch(/^ {2}\d+ \(.*\): it needs the permission to write \(--allow write\)$/m)
    expect(text).toMatch(/^ {2}\d+ \(.*\): no published description .*\(--description URL\)$/m)
  })

  test('nothing where nothing is missing', async () => {
    const keys = planNames.flatMap((plan) => [1, 2].map((nth) => keyOf(plan, `${plan}-${nth}`)))
    expect((await planOf({ ...full, keys }, /^quota/)).lacks).toEqual([])
  })
})
