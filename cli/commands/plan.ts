// `petvet plan`: what a run would cost, measured against the reference in virtual time, with a
// limiter of each design.

import { readLimits, select, suiteName } from '../../config/run-settings.ts'
import { readTarget } from '../../config/target.ts'
import { permissions } from '../../engine/check/context.ts'
import { type AnyCheck, sendsRequests } from '../../engine/check/declare.ts'
import { missingPrerequisite, type PlanOptions } from '../../engine/check/spendable-keys.ts'
import { isTested } from '../../engine/check/verdict.ts'
import { labelKeys } from '../../engine/run/run-options.ts'
import { count } from '../../history/quote.ts'
import {
  limiterDesigns,
  type MeasuredRun,
  measureRun,
  oneFreeKey,
  type Sent,
} from '../../proof/measure-run.ts'
import { aligned, wrapLine } from '../../reports/visible.ts'
import { catalogue, knownFaults } from '../../suites/index.ts'
import { withSetUp } from '../../suites/set-up.ts'
import * as cli from '../command.ts'
import { readSettings, runFlags, targetFlags } from '../flags.ts'
import { readingColumns } from '../output/progress.ts'
import { madeUpKeys } from './serve.ts'

const { only, skip, walk } = runFlags

const flags = {
  ...targetFlags,
  ...{ only, skip, 'max-requests': runFlags['max-requests'], walk },
  json: cli.toggle('the same as JSON, times in milliseconds'),
} as const

export const plan = cli.command(flags, async (given) => {
  const settings = readSettings(given, process.cwd())
  const target = readTarget(settings, process.env, false)
  const { walk } = settings.config
  // What the built-in reference allows, where no target is named.
  const builtIn = { allow: permissions, clockUrl: 'its own', descriptionUrl: 'its own' }
  const allowed: PlanOptions = target ?? { ...builtIn, keys: madeUpKeys() }
  const run = { ...allowed, ...(walk !== undefined && { walk }) }
  const chosen = select(catalogue, given)
  const measured = {
    target: target?.baseUrl ?? 'the built-in reference',
    byDefault: target !== null && settings.config.allow === undefined,
    maxRequests: readLimits({}, settings.config).maxRequests,
    ...(await measurePlan(chosen, run)),
  }
  process.stdout.write(
    given.json ? `${JSON.stringify(measured, null, 2)}\n` : formatPlan(measured, readingColumns()),
  )
  return 0
})

/** The least and the most that the designs of a limiter make of it. */
type Range = readonly [least: number, most: number]

/** Limits and totals depend on the seed and on when a run begins, what has no key twice as much. */
const room = 0.05

const withRoom = (numbers: readonly number[], share = room): Range => [
  Math.round(Math.min(...numbers) * (1 - share)),
  Math.round(Math.max(...numbers) * (1 + share)),
]

const rangeOf: typeof withRoom = (numbers, share) => {
  const [first = 0] = numbers
  return numbers.every((one) => one === first) ? [first, first] : withRoom(numbers, share)
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

/** What some checks took in each run: a check ends where the next one begins. */
const costOf = (
  runs: readonly MeasuredRun[],
  isTimed: boolean,
  includes: (id: string) => boolean,
  range = rangeOf,
) => {
  const sentIn = ({ sent }: MeasuredRun, of: keyof Sent) =>
    sumOf([...sent].map(([id, each]) => (includes(id) ? each[of] : 0)))
  const lastedIn = ({ beginMs, lengthMs }: MeasuredRun) => {
    const begun = [['', 0] as const, ...beginMs]
    const endOf = (at: number) => begun[at + 1]?.[1] ?? lengthMs
    return sumOf(begun.map(([id, from], at) => (includes(id) ? endOf(at) - from : 0)))
  }
  return {
    /** Requests that count on a key, and those without a valid one. */
    keyed: range(runs.map((run) => sentIn(run, 'keyed'))),
    anonymous: range(
      runs.map((run) => sentIn(run, 'anonymous')),
      2 * room,
    ),
    /** In real time; null where the test clock is moved, and the run takes seconds. */
    lengthMs: isTimed ? range(runs.map(lastedIn)) : null,
  }
}

const lateInMinuteMs = Date.UTC(2026, 10, 20, 10, 0, 55)

/**
 * Measures a plan: a run with each design of a limiter, and without a test clock one that ends with
 * the first minute.
 * @param chosen the selected checks
 * @param run without keys a Free key is assumed
 */
export const measurePlan = async (chosen: readonly AnyCheck[], run: PlanOptions) => {
  const options = run.keys.length > 0 ? run : { ...run, keys: oneFreeKey.keys }
  const checks = withSetUp(catalogue, chosen)
  const runs: MeasuredRun[] = []
  for (const design of Object.values(limiterDesigns)) {
    runs.push(await measureRun(checks, options, design))
  }
  const isTimed = run.clockUrl === null
  // What begins late in a fixed window waits less for its end.
  if (isTimed) runs.push(await measureRun(checks, options, {}, { startMs: lateInMinuteMs }))
  const now = isTimed ? (await measureRun(checks, options, {}, { noWait: true })).run : null
  const [{ run: whole }] = runs as [MeasuredRun, ...MeasuredRun[]]
  const lacks = lacksOf(chosen, options)
  const leftOut = sumOf(lacks.map((each) => each.checks))
  // With the smoke call, which begins every run.
  const all = chosen.length + 1
  const suites = Map.groupBy(checks, suiteName)
  return {
    allow: run.allow,
    checks: { runnable: all - leftOut, all },
    total: costOf(runs, isTimed, () => true, withRoom),
    suites: [...suites].map(([suite, own]) => {
      const ids = new Set(own.map(({ id }) => id))
      return { suite, checks: own.length, ...costOf(runs, isTimed, (id) => ids.has(id)) }
    }),
    keys: labelKeys(options.keys).map(({ label, quota }) => {
      const requests = withRoom(runs.map((each) => each.run.requestsByKey[label] ?? 0))
      return { key: label, requests, perDay: quota.perDay }
    }),
    firstMinute: now && {
      checks: now.checks.filter(isTested).length,
      musts: now.decided.must[0],
      of: { checks: whole.checks.filter(isTested).length, musts: whole.decided.must[0] },
      // Of the known faults, where the run is the one that they were counted in.
      knownFaults: isFirstMinute(run) && chosen.length === catalogue.length ? knownFaults : null,
    },
    leftOut,
    lacks,
  }
}

/** One Free key without a test clock, and the permission to write. */
const isFirstMinute = ({ keys, clockUrl, allow }: PlanOptions): boolean =>
  keys.length === 1 && keys[0]?.plan === 'free' && clockUrl === null && allow.includes('write')

/** Why checks cannot run, and how many of which suites. */
const lacksOf = (checks: readonly AnyCheck[], run: PlanOptions) => {
  const lacking = checks.filter(sendsRequests).flatMap((check) => {
    const lack = missingPrerequisite(check.needs, run)
    return lack ? [{ suite: suiteName(check), why: lack.message }] : []
  })
  return [...Map.groupBy(lacking, ({ why }) => why)].map(([why, own]) => ({
    ...{ why, checks: own.length, suites: [...new Set(own.map(({ suite }) => suite))] },
  }))
}

type MeasuredPlan = Awaited<ReturnType<typeof measurePlan>> & {
  readonly target: string
  /** Whether no permissions were given: only a target on localhost has some then. */
  readonly byDefault: boolean
  readonly maxRequests: number
}

const numbers = ([least = 0, most = 0]: readonly number[]): string =>
  least === most ? `${least}` : `${least}–${most}`

const minutes = (range: Range | null): string => {
  if (range === null || range[1] < 10_000) return 'seconds'
  return `${numbers(range.map((ms) => Math.max(1, Math.round(ms / 60_000))))} min`
}

/** @param columns the width of a terminal, in which lines are wrapped */
export const formatPlan = (plan: MeasuredPlan, columns: number | null): string => {
  const { target, allow, checks, total, suites, keys, leftOut, lacks } = plan
  const leads = 'If that is a tunnel or a proxy to a server that others use, give --allow none.'
  const number = `${checks.runnable} of ${checks.all}`
  const cells = (of: ReturnType<typeof costOf>) => [
    numbers(of.keyed),
    numbers(of.anonymous),
    minutes(of.lengthMs),
  ]
  const paragraphs: readonly (string | readonly string[])[] = [
    `Allowed at ${target}: ${allow.join(', ') || 'reads only'}.` +
      (plan.byDefault && allow.length > 0 ? ` ${leads}` : ''),
    `${number} checks will run.`,
    total.lengthMs === null
      ? 'The test clock is moved instead of waiting: the run takes seconds.'
      : `It takes ${minutes(total.lengthMs)}.${firstMinute(plan)}`,
    'Measured at a server without faults, with a fixed window, a sliding log and a token bucket. ' +
      'A failure takes more requests, as it is confirmed.',
    ...tooManyRequests(plan),
    aligned([
      ['suite', 'checks', 'with a key', 'without a key', 'duration'],
      ...suites
        .filter(({ keyed, anonymous }) => keyed[1] + anonymous[1] > 0)
        .map((each) => [each.suite, `${each.checks}`, ...cells(each)]),
      ['all, with the first calls', `${checks.all}`, ...cells(total)],
    ]),
    aligned([
      ['key', 'requests', 'share of its day'],
      ...keys.map(({ key, requests, perDay }) => [
        key,
        numbers(requests),
        total.lengthMs === null
          ? 'clock moved'
          : `${numbers(requests.map((each) => Math.round((1_000 * each) / perDay) / 10))} %`,
      ]),
    ]),
    leftOut === 0
      ? 'Nothing is left out.'
      : [
          `Left out: ${count(leftOut, 'check', 'checks')}:`,
          ...lacks.map(({ why, checks, suites }) => `  ${checks} (${suites.join(', ')}): ${why}`),
        ],
  ]
  const lines = paragraphs.flatMap((each) => [each, '']).flat()
  return lines.flatMap((line) => wrapLine(line, columns)).join('\n')
}

const firstMinute = ({ firstMinute: now }: MeasuredPlan): string => {
  if (!now || now.checks >= now.of.checks) return ''
  const known = now.knownFaults
  const share = known && Math.round((100 * known.found) / known.of)
  const finds = share === null ? '' : `, and finds ${share} % of the known faults in the contract`
  const tests = `${now.checks} of ${now.of.checks} checks and ${now.musts} of ${now.of.musts} musts`
  return ` The first minute (--no-wait) tests ${tests}${finds}.`
}

const tooManyRequests = ({ maxRequests, total }: MeasuredPlan): string[] => {
  const needed = total.keyed[1] + total.anonymous[1]
  if (needed <= maxRequests) return []
  const limit = `The run may send ${maxRequests} requests (--max-requests)`
  return [`${limit} and needs up to ${needed}: the last checks are left untested.`]
}
