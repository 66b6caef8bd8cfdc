// In virtual time: what `petvet plan` says of any keys, permissions and choice of checks is what
// a passing run of them sends, and without a test clock about as long as it takes. What is not
// missing is tested, whenever a run begins.
import { expect, test } from 'vitest'
import { computePrices } from '../../cli/commands/plan/prices.ts'
import { select } from '../../config/selection.ts'
import { type Permission, permissions } from '../../engine/check/context.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { decideExitCode } from '../../engine/check/verdict.ts'
import { chances } from '../../proof/virtual.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { keyOf, outcomesOf, twoFree } from '../vet-reference.ts'
import { vetFrom } from './vet.ts'

/** `npm run prove` takes more. */
const runs = Math.min(200, Number(process.env.PETVET_RUNS ?? 4))

const oneFree = [keyOf('free', 'one')]
const onePro = [keyOf('pro', 'one')]
const freeAndPro = [...oneFree, keyOf('pro', 'two')]
const four = [keyOf('business', 'one'), ...twoFree.map((key) => ({ ...key, key: `${key.key}-of` }))]

const keySets = [
  oneFree,
  onePro,
  [keyOf('enterprise', 'one')],
  twoFree,
  freeAndPro,
  [...four, keyOf('enterprise', 'four')],
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
/** Where rows of calls are steady, and spend a part of a minute, no further calls are. */
const rowsSpared = 76 + 10
/** A walk leaves out requests for which there is no pet yet, and ends a row with its window. */
const walkSpared = 40
/** In real time the minute before a silence is spent anew, or filled by other checks in part. */
const waitForMinute = (keys: readonly KeyOption[]): number =>
  Math.min(...keys.map(({ quota }) => quota.perMinute))
const filledOver = 30

test.each(cases())('a plan and its run %s', async (_name, planOptions, choice, intoMinuteMs) => {
  const checks = select(catalogue, choice)
  const { all } = computePrices(checks, planOptions)
  const { run } = await vetFrom(intoMinuteMs, checks, planOptions)
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(decideExitCode(run)).toBe(0)
  const onKeys = Object.values(run.requestsByKey).reduce((sum, count) => sum + count, 0)
  const without = run.requests - onKeys
  // One more distinguishes a target that gives every request the same status.
  expect(without).toBeGreaterThanOrEqual(all.anonymous)
  expect(without).toBeLessThanOrEqual(all.anonymous + 1 + all.spare)
  const isReal = planOptions.clockUrl === null
  expect(onKeys).toBeLessThanOrEqual(all.keyed + all.spare + (isReal ? filledOver : 0))
  const spared = isReal ? waitForMinute(planOptions.keys) : acrossSpared + rowsSpared + walkSpared
  const least = all.keyed - maxSpared - spared
  expect(onKeys).toBeGreaterThanOrEqual(least)
})

const estimated: (readonly [string, readonly Permission[], KeyOption[], number])[] = [
  ['reads with one Free key', [], oneFree, 20],
  ['writes with one Free key', ['write'], oneFree, 0],
  ['exhausts one Free key', ['write', 'exhaust'], oneFree, 45],
  ['spends the day of a Free key', ['write', 'exhaust', 'day'], oneFree, 10],
  ['exhausts one Pro key', ['write', 'exhaust'], onePro, 30],
  ['draws a ban on the second of two Free keys', ['write', 'exhaust', 'ban'], twoFree, 5],
  ['exhausts a Free and a Pro key', ['write', 'exhaust'], freeAndPro, 55],
]

const overMs = 110_000

test.each(sample(estimated, 2))('a run that %s', async (_name, allow, keys, second) => {
  const options = { allow, keys, clockUrl: null, descriptionUrl: null }
  const { estimateMs } = computePrices(catalogue, options).all
  const { run, passed } = await vetFrom(second * 1_000, catalogue, options)
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  const beginMs = Math.min(...passed.map(({ sentMs }) => sentMs))
  const lengthMs = Math.max(...passed.map(({ receivedMs }) => receivedMs)) - beginMs
  expect(Math.abs(lengthMs - (estimateMs ?? 0))).toBeLessThanOrEqual(overMs)
})

test('everything is tested without a clock if a key has next to no calls left', async () => {
  const keys = [...twoFree, keyOf('pro', 'three')]
  const allow = ['write', 'exhaust', 'ban'] as const
  const options = { keys, allow, clockUrl: null, descriptionUrl: null }
  const { run } = await vetFrom(5_300, catalogue, options)
  const untested = outcomesOf(run, 'untested').filter((line) => !line.includes('it needs'))
  expect(untested).toEqual([])
})

const seconds = Array.from({ length: 60 }, (_, second) => second)

// From the seconds 54 and 55 on an experiment of less than a second met the end of a window.
test.each(sample(seconds, 36))('everything is tested from second %i on', async (second) => {
  const keys = [...twoFree, keyOf('pro', 'three'), keyOf('business', 'four')]
  const options = { keys, allow: permissions, clockUrl: 'http://127.0.0.1/clock' }
  const { run } = await vetFrom(second * 1_000 + 300, catalogue, {
    ...options,
    descriptionUrl: null,
  })
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested')).toEqual([])
})
