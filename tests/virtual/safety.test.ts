// Safety: only the ban probe uses a refused key before the stated time, with every design.
import { describe, expect, test } from 'vitest'
import { sample } from '../sample.ts'
import { impatient, statedMs } from './impatient.ts'
import { limitChecks } from './limit-checks.ts'
import { type Act, trafficOf } from './traffic.ts'
import { banned, vetVirtually } from './vet.ts'
import { plainWorlds } from './worlds.ts'

/** Ordinary work that runs into the quota again and again. */
const busy: readonly Act[] = Array.from({ length: 12 }, () => ({
  kind: 'calls',
  of: Array.from({ length: 20 }, (_, place) => (place % 4 === 3 ? 'create' : 'list')),
}))

describe.each(sample(plainWorlds, 5))('%s', (_, world) => {
  test.for([true, false])('with a test clock: %s', async (hasClock) => {
    const checks = [...trafficOf(busy), ...limitChecks]
    const { run, passed } = await vetVirtually({ ...world, hasClock }, checks)
    expect(run.impossible).toBeNull()
    expect(impatient(passed, banned)).toEqual([])
  })

  test('with another client, which causes the refusals', async () => {
    const foreign = { pauseMs: 300, even: false, crowd: 7, obeys: true, seed: 3 }
    const { passed } = await vetVirtually({ ...world, foreign }, trafficOf(busy))
    expect(passed.filter((each) => statedMs(each) !== undefined)).not.toEqual([])
    expect(impatient(passed, banned)).toEqual([])
  })
})
