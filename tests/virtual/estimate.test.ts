// In virtual time: a run without a test clock takes about as long as the plan estimates, and one
// with it tests everything in whatever second of a minute it begins.
import { expect, test } from 'vitest'
import { pricesOf } from '../../cli/commands/plan/prices.ts'
import { type Permission, permissions } from '../../engine/context.ts'
import { type Plan, plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { outcomesOf } from '../vet-reference.ts'
import { lengthMs, vetFrom } from './real-minutes.ts'

const key = (plan: Exclude<Plan, 'enterprise'>, name: string) => ({
  plan,
  key: `virtual-${name}`,
  quota: plans[plan],
})
const oneFree = [key('free', 'one')]
const twoFree = [...oneFree, key('free', 'two')]
const freeAndPro = [...oneFree, key('pro', 'two')]

const cases: (readonly [string, readonly Permission[], typeof oneFree, number])[] = [
  ['reads with one Free key', [], oneFree, 20],
  ['writes with one Free key', ['write'], oneFree, 0],
  ['exhausts one Free key', ['write', 'exhaust'], oneFree, 45],
  ['spends the day of a Free key', ['write', 'exhaust', 'day'], oneFree, 10],
  ['exhausts one Pro key', ['write', 'exhaust'], [key('pro', 'one')], 30],
  ['draws a ban on the second of two Free keys', ['write', 'exhaust', 'ban'], twoFree, 5],
  ['exhausts a Free and a Pro key', ['write', 'exhaust'], freeAndPro, 55],
]

const overMs = 90_000

test.each(sample(cases, 2))('a run that %s', async (_name, allow, keys, second) => {
  const options = { allow, keys, clockUrl: null, descriptionUrl: null }
  const { estimateMs } = pricesOf(catalogue, options).all
  const { run, passed } = await vetFrom(second * 1_000, catalogue, options)
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(Math.abs(lengthMs(passed) - (estimateMs ?? 0))).toBeLessThanOrEqual(overMs)
})

test('everything is tested without a clock if a key has next to no calls left', async () => {
  const keys = [...twoFree, key('pro', 'three')]
  const allow = ['write', 'exhaust', 'ban'] as const
  const options = { keys, allow, clockUrl: null, descriptionUrl: null }
  const { run } = await vetFrom(5_300, catalogue, options)
  const untested = outcomesOf(run, 'untested').filter((line) => !line.includes('it needs'))
  expect(untested).toEqual([])
})

const seconds = Array.from({ length: 60 }, (_, second) => second)

// From the seconds 54 and 55 on an experiment of less than a second met the end of a window.
test.each(sample(seconds, 36))('everything is tested from second %i on', async (second) => {
  const keys = [...twoFree, key('pro', 'three'), key('business', 'four')]
  const options = { keys, allow: permissions, clockUrl: 'http://127.0.0.1/clock' }
  const { run } = await vetFrom(second * 1_000 + 300, catalogue, {
    ...options,
    descriptionUrl: null,
  })
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested')).toEqual([])
})
