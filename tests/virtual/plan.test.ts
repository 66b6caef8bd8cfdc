// In virtual time: what `petvet plan` measures of any keys, permissions and choice of checks is
// what a run of them sends, and about as long as it takes. What is not missing is tested, whenever
// a run begins.
import { expect, test } from 'vitest'
import { measurePlan } from '../../cli/commands/plan.ts'
import { select } from '../../config/run-settings.ts'
import { type Permission, permissions } from '../../engine/check/context.ts'
import { decideExitCode } from '../../engine/check/verdict.ts'
import { chances } from '../../proof/virtual.ts'
import { catalogue } from '../../suites/index.ts'
import { withSetUp } from '../../suites/set-up.ts'
import { sample } from '../sample.ts'
import { keyOf, outcomesOf, twoFree } from '../vet-reference.ts'
import { vetFrom } from './vet.ts'

/** `npm run prove` takes more. */
const runs = Math.min(60, Number(process.env.PETVET_RUNS ?? 3))

const oneFree = [keyOf('free', 'one')]
const freeAndPro = [...oneFree, keyOf('pro', 'two')]
const four = [keyOf('business', 'one'), ...twoFree.map((key) => ({ ...key, key: `${key.key}-of` }))]

const keySets = [
  oneFree,
  [keyOf('pro', 'one')],
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

/** A run may begin anywhere in a minute, and then waits for its end. */
const overMs = 65_000
/** What the calls of a minute that had begun, and another seed, may add or spare. */
const isWithin = (actual: number, [least, most]: readonly [number, number], more: number) =>
  actual >= 0.85 * least - more && actual <= 1.15 * most + more

test.each(cases())('a plan and its run %s', async (_name, planOptions, choice, intoMinuteMs) => {
  const chosen = select(catalogue, choice)
  const { total, keys } = await measurePlan(chosen, planOptions)
  const { run, passed } = await vetFrom(intoMinuteMs, withSetUp(catalogue, chosen), planOptions)
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(decideExitCode(run)).toBe(0)
  const onKeys = Object.values(run.requestsByKey).reduce((sum, count) => sum + count, 0)
  const smallest = Math.min(...planOptions.keys.map(({ quota }) => quota.perMinute))
  expect([onKeys, total.keyed, isWithin(onKeys, total.keyed, smallest)]).toMatchObject({ 2: true })
  expect(keys.map(({ key }) => key)).toEqual(Object.keys(run.requestsByKey))
  if (total.lengthMs === null) return
  const beginMs = Math.min(...passed.map(({ sentMs }) => sentMs))
  const lengthMs = Math.max(...passed.map(({ receivedMs }) => receivedMs)) - beginMs
  const isTrue = isWithin(lengthMs, total.lengthMs, overMs)
  expect([lengthMs, total.lengthMs, isTrue]).toMatchObject({ 2: true })
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
test.each(sample(seconds, 60))('everything is tested from second %i on', async (second) => {
  const keys = [...twoFree, keyOf('pro', 'three'), keyOf('business', 'four')]
  const options = { keys, allow: permissions, clockUrl: 'http://127.0.0.1/clock' }
  const { run } = await vetFrom(second * 1_000 + 300, catalogue, {
    ...options,
    descriptionUrl: null,
  })
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested')).toEqual([])
})
