// In virtual time: what `petvet plan` says of any keys, permissions and choice of checks is what
// a passing run of them sends.
import { describe, expect, test } from 'vitest'
import { pricesOf } from '../../cli/commands/plan/prices.ts'
import { select } from '../../cli/config/selection.ts'
import { type Permission, permissions } from '../../engine/context.ts'
import { exitCodeOf } from '../../engine/verdict.ts'
import { type Plan, plans, type Quota } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { outcomesOf } from '../vet-reference.ts'
import { chances } from './chance.ts'
import { vetFrom } from './real-minutes.ts'

/** `npm run prove` takes more. */
const runs = Math.min(200, Number(process.env.PETVET_RUNS ?? 4))

const enterprise: Quota = { perMinute: 90, perDay: 1_000 }

const key = (plan: Plan, name: string) => ({
  plan,
  key: `virtual-${name}`,
  quota: plan === 'enterprise' ? enterprise : plans[plan],
})

const keySets = [
  [key('free', 'one')],
  [key('pro', 'one')],
  [key('enterprise', 'one')],
  [key('free', 'one'), key('free', 'two')],
  [key('free', 'one'), key('pro', 'two')],
  [key('business', 'one'), key('free', 'two'), key('free', 'three'), key('enterprise', 'four')],
]

const choices = [
  { only: undefined, skip: undefined },
  { only: ['limits', 'list'], skip: undefined },
  { only: undefined, skip: ['auth*'] },
  { only: undefined, skip: ['list-limit*', 'headers'] },
]

const cases = () => {
  const chance = chances(17)
  const any = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T
  return Array.from({ length: runs }, () => {
    const allow: readonly Permission[] = permissions.filter(() => chance() < 0.6)
    const hasClock = chance() < 0.5
    const planOptions = {
      allow: hasClock ? allow : allow.filter((each) => each !== 'day'),
      keys: any(keySets),
      clockUrl: hasClock ? 'http://127.0.0.1/clock' : null,
      descriptionUrl: null,
    }
    const choice = any(choices)
    const name = [
      planOptions.keys.map(({ plan }) => plan).join('+'),
      planOptions.allow.join() || 'reads only',
      hasClock ? 'clock' : 'no clock',
      JSON.stringify(choice),
    ].join(' ')
    return [name, planOptions, choice, 1_000 * Math.floor(60 * chance())] as const
  })
}

/** Controls that no check needed, and requests after 429 that the reference does not need. */
const maxSpared = 10 + 31
/** Where a Reset announces the end of a minute, nothing is sent after it with the test clock. */
const acrossSpared = 117
/** In real time the minute before a silence is spent anew, or filled by other checks in part. */
const waitForMinute = (keys: readonly { quota: Quota }[]): number =>
  Math.min(...keys.map(({ quota }) => quota.perMinute))
const filledOver = 30

describe('a plan and its run', () => {
  test.each(cases())('%s', async (_name, planOptions, choice, intoMinuteMs) => {
    const checks = select(catalogue, choice)
    const { all } = pricesOf(checks, planOptions)
    const { run } = await vetFrom(intoMinuteMs, checks, planOptions)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(exitCodeOf(run)).toBe(0)
    const onKeys = Object.values(run.requestsByKey).reduce((sum, count) => sum + count, 0)
    const without = run.requests - onKeys
    // One more distinguishes a target that gives every request the same status.
    expect([all.anonymous, all.anonymous + 1]).toContain(without)
    const isReal = planOptions.clockUrl === null
    expect(onKeys).toBeLessThanOrEqual(all.keyed + (isReal ? filledOver : 0))
    const least = all.keyed - maxSpared - (isReal ? waitForMinute(planOptions.keys) : acrossSpared)
    expect(onKeys).toBeGreaterThanOrEqual(least)
  })
})
