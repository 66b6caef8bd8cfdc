// In virtual time: a run without a test clock keeps to the least time that the plan states for it.
import { describe, expect, test } from 'vitest'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { isAsked } from '../../suites/kit/order.ts'
import type { Permission } from '../../suites/kit/permission.ts'
import { askable } from '../../suites/kit/plan.ts'
import { boundMs } from '../../suites/kit/quota/bound.ts'
import { told } from '../vet-reference.ts'
import { lengthMs, vetFrom } from './real-minutes.ts'
import type { Passed } from './vet.ts'

const keys = [{ plan: 'free', key: 'virtual-only', quota: plans.free }] as const

/** What these permissions let a run ask. */
const permitted = (...allow: Permission[]) => {
  const asking = { allow, keys, clockUrl: null, descriptionUrl: null }
  const asked = askable(catalogue, asking)
  return { asking, questions: catalogue.filter((each) => !isAsked(each) || asked.includes(each)) }
}

const refusedIn = (passed: readonly Passed[]): number =>
  passed.filter(({ answer }) => answer.response?.status === 429).length

/** Resets are told in whole seconds, and two tokens of a bucket are waited for beyond them. */
const roundingMs = 4_500
/** What is sent together waits for a window that holds it all, so a run may need one more. */
const minuteMs = 60_000

const seconds = [0, 4, 9, 11, 17, 25, 33, 41, 48, 52, 56, 59]

describe.each([
  ['writes and exhausts', permitted('write', 'exhaust'), 1, 240_000, 0],
  ['writes', permitted('write'), 0, 120_000, minuteMs],
  ['only reads', permitted(), 0, 0, 0],
] as const)('a run that %s', (_name, { asking, questions }, refusals, bestMs, moreMs) => {
  test.each(seconds)('and starts at second %i of a minute', async (second) => {
    const { run, passed } = await vetFrom(second * 1_000, questions, asking)
    expect(told(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.verdict).toBe('conformant')
    expect(refusedIn(passed)).toBe(refusals)
    const leastMs = boundMs(questions, asking, second * 1_000)
    expect(leastMs).toBeGreaterThan(bestMs)
    expect(lengthMs(passed)).toBeGreaterThanOrEqual(leastMs)
    expect(lengthMs(passed)).toBeLessThanOrEqual(leastMs + moreMs + roundingMs)
  })
})
