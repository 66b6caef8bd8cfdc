// In virtual time: what `petvet plan` says that a suite costs is what a passing run of it sends.
import { describe, expect, test } from 'vitest'
import { pricesOf } from '../../cli/commands/plan/prices.ts'
import { select } from '../../cli/config/selection.ts'
import { type Permission, permissions } from '../../engine/context.ts'
import { sendsRequests } from '../../engine/declare.ts'
import { runnableChecks } from '../../engine/plan.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { outcomesOf } from '../vet-reference.ts'
import { vetFrom } from './real-minutes.ts'

/** Controls that no check needed, tries of a ban's end, a probe before a near reset. */
const maxSpare = 6
/** All but the first of the requests around the end of a minute. */
const acrossSpared = 117
/** How many fewer requests after 429 the reference needs than a server may. */
const requestsSpared = 31
/** What comes before a silence spends a part of the minute that has to be spent. */
const maxFilling = 60

const one = [{ plan: 'free', key: 'virtual-one', quota: plans.free }] as const
const two = [...one, { plan: 'free', key: 'virtual-two', quota: plans.free }] as const

const planOptions = (allow: readonly Permission[], hasClock: boolean) => ({
  allow,
  keys: hasClock ? two : one,
  clockUrl: hasClock ? 'http://127.0.0.1/clock' : null,
  descriptionUrl: null,
})

const sorts = [
  ['reads only', planOptions([], false)],
  ['write', planOptions(['write'], false)],
  ['write,exhaust', planOptions(['write', 'exhaust'], false)],
  ['everything, with a clock', planOptions(permissions, true)],
] as const

const isSending = (id: string): boolean => {
  const check = catalogue.find((each) => each.id === id)
  if (!check || !sendsRequests(check)) return false
  return check.needs.keyed > 0 || check.needs.looksAt !== undefined
}

/** A check that found nothing to judge need not have sent all that it may. */
const isWhole = ({ checks }: RunFile): boolean =>
  !checks.some(({ id, outcome }) => outcome === 'untested' && isSending(id))

const maxSpared = (run: RunFile, hasClock: boolean): number => {
  const bans = run.checks.some(({ id }) => id.startsWith('ban-')) ? requestsSpared : 0
  // Where a Reset announces the end of a minute, nothing is sent after it.
  const isAcross = run.checks.some(({ id }) => id === 'window-across-minute-not-more')
  const across = hasClock && isAcross ? acrossSpared : 0
  // With the test clock a ban is caused three times.
  const times = hasClock ? 3 : 1
  return maxSpare + across + times * bans + (hasClock ? 0 : maxFilling)
}

describe.each(sorts)('%s', (_name, options) => {
  const runnable = runnableChecks(catalogue, options)
  const ids = new Set(runnable.map(({ id }) => id))
  const allowed = catalogue.filter((each) => !sendsRequests(each) || ids.has(each.id))
  const { all, suites } = pricesOf(allowed, options)
  const hasClock = options.clockUrl !== null

  const rows = [{ suite: 'all', ...all }, ...suites]
  test.each(sample(rows, 5))(
    'suite $suite: $keyed requests, $anonymous without a key',
    async (price) => {
      const only = { only: [price.suite], skip: undefined }
      const checks = price.suite === 'all' ? allowed : select(allowed, only)
      const { run } = await vetFrom(7_000, checks, options)
      expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
      const onKeys = Object.values(run.requestsByKey).reduce((sum, count) => sum + count, 0)
      const without = run.requests - onKeys
      expect(onKeys).toBeLessThanOrEqual(price.keyed)
      // One more distinguishes a target that gives every request the same status.
      expect([price.anonymous, price.anonymous + 1]).toContain(without)
      if (!isWhole(run)) return
      expect(onKeys).toBeGreaterThanOrEqual(price.keyed - maxSpared(run, hasClock))
    },
  )
})
