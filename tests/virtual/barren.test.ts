// In virtual time: a run does not wait for hours for a target whose Remaining is always 0.
import { expect, test } from 'vitest'
import { deciding } from '../../reference/seams/limits.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { outcomesOf } from '../vet-reference.ts'
import { surroundings } from './surroundings.ts'
import { type Surrounding, vetVariant } from './vet.ts'

const minuteMs = 60_000

/** Serves, and states each time that nothing remains for two minutes. */
const stingy = deciding((decision, nowMs) => ({
  ...decision,
  remaining: 0,
  resetAtMs: nowMs + 118_000,
}))

test('a run ends soon if each response states that none remains', async () => {
  const keys = [{ plan: 'free', key: 'virtual-one', quota: plans.free }] as const
  const where = surroundings['no test clock'] as Surrounding
  const { run, passed } = await vetVariant(stingy, keys, { ...where, allow: ['write'] }, catalogue)
  expect(run.impossible).toBeNull()
  const untested = outcomesOf(run, 'untested').filter((line) => line.includes('5 resets in a row'))
  expect(untested.length).toBeGreaterThan(100)
  const lastedMs = (passed.at(-1)?.receivedMs ?? 0) - (passed[0]?.sentMs ?? 0)
  expect(lastedMs).toBeLessThan(20 * minuteMs)
})
