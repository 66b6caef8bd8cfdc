// `petvet plan`: what a run would cost, measured against the reference in virtual time.

import { readLimits, select, suiteName } from '../../config/run-settings.ts'
import { readTarget } from '../../config/target.ts'
import { permissions } from '../../engine/check/context.ts'
import { type AnyCheck, sendsRequests } from '../../engine/check/declare.ts'
import { missingPrerequisite, type PlanOptions } from '../../engine/check/spendable-keys.ts'
import { isTested } from '../../engine/check/verdict.ts'
import { rowBudget } from '../../engine/run/draw.ts'
import { labelKeys } from '../../engine/run/run-options.ts'
import { addedByFaults, lengthsOf } from '../../engine/run/time-left.ts'
import { count } from '../../history/quote.ts'
import { type MeasuredRun, measureRun, oneFreeKey, timeRoom } from '../../proof/measure-run.ts'
import { aligned, wrapLine } from '../../reports/visible.ts'
import { catalogue, knownFaults } from '../../suites/index.ts'
import { withSetUp } from '../../suites/set-up.ts'
import * as cli from '../command.ts'
import { readSettings, runFlags, targetFlags } from '../flags.ts'
import { describeAdded, minutes, numbers, readingColumns, say } from '../output/progress.ts'
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
  const { maxRequests } = settings.config
  const budget = maxRequests === undefined ? {} : { maxRequests }
  const run = { ...allowed, budget, whole: catalogue, ...(walk !== undefined && { walk }) }
  const chosen = select(catalogue, given)
  say('measuring a run against the built-in reference, in virtual time')
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

/** The least and the most that it takes, whatever the design of a limiter. */
type Range = readonly [least: number, most: number]

/**
 * What other designs than a fixed window, other seeds and another second of a minute make of a
 * number at most, as measured: a token bucket takes more where the clock is moved.
 */
const room = { requests: [0.95, 1.05], moved: [0.95, 1.45], anonymous: [0.9, 1.1] } as const

const withRoom = (number: number, [least, most]: Range): Range => [
  Math.round(number * least),
  Math.round(number * most),
]

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

/** What some checks took: a check ends where the next one begins. */
const costOf = (run: MeasuredRun, isTimed: boolean, includes: (id: string) => boolean) => {
  const own = [...run.sent].filter(([id]) => includes(id)).map(([, each]) => each)
  const lasted = [...lengthsOf(run)].map(([id, ms]) => (includes(id) ? ms : 0))
  return {
    /** Requests that count on a key, and those without a valid one. */
    keyed: withRoom(sumOf(own.map(({ keyed }) => keyed)), isTimed ? room.requests : room.moved),
    anonymous: withRoom(sumOf(own.map(({ anonymous }) => anonymous)), room.anonymous),
    /** In real time; null where the test clock is moved, and the run takes seconds. */
    lengthMs: isTimed ? withRoom(sumOf(lasted), timeRoom) : null,
  }
}

/** In more calls a minute nearly everything is tested. */
const maxPerMinute = 400

/**
 * Measures a plan: a run, and without a test clock one that ends with the first minute.
 * @param chosen the selected checks
 * @param run without keys a Free key is assumed
 */
export const measurePlan = async (chosen: readonly AnyCheck[], run: PlanOptions) => {
  const options = run.keys.length > 0 ? run : { ...run, keys: oneFreeKey.keys }
  const checks = withSetUp(catalogue, chosen)
  const whole = await measureRun(checks, options)
  const isTimed = run.clockUrl === null
  const hasMinute =
    isTimed && sumOf(options.keys.map(({ quota }) => quota.perMinute)) < maxPerMinute
  const first = { noWait: true, isJudged: true }
  const now = hasMinute ? (await measureRun(checks, options, first)).run : null
  const lacks = lacksOf(chosen, options)
  const leftOut = sumOf(lacks.map((each) => each.checks))
  // With the smoke call, which begins every run.
  const all = chosen.length + 1
  const budget = rowBudget(options)
  const suites = Map.groupBy(checks, suiteName)
  return {
    allow: run.allow,
    /** Calls of the keys that rows may take; null for any number. */
    budget: Number.isFinite(budget) ? budget : null,
    values: whole.run.values ?? {},
    checks: { runnable: all - leftOut, all },
    total: costOf(whole, isTimed, () => true),
    faults: isTimed ? addedByFaults(whole, checks, options) : null,
    suites: [...suites].map(([suite, own]) => {
      const ids = new Set(own.map(({ id }) => id))
      return { suite, checks: own.length, ...costOf(whole, isTimed, (id) => ids.has(id)) }
    }),
    keys: labelKeys(options.keys).map(({ label, quota }) => {
      const requests = whole.run.requestsByKey[label] ?? 0
      const range = withRoom(requests, isTimed ? room.requests : room.moved)
      return { key: label, requests: range, perDay: quota.perDay }
    }),
    firstMinute: now && {
      checks: now.checks.filter(isTested).length,
      musts: now.decided.must[0],
      of: { checks: all - leftOut, musts: now.decided.must[1] },
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

/** @param columns the width of a terminal, in which lines are wrapped */
export const formatPlan = (plan: MeasuredPlan, columns: number | null): string => {
  const { target, allow, checks, total, suites, keys, leftOut, lacks } = plan
  const leads = 'If that is a tunnel or a proxy to a server that others use, give --allow none.'
  const number = `${checks.runnable} of ${checks.all}`
  const added = plan.faults === null ? '' : `; ${describeAdded(plan.faults)}`
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
    `Measured at a server without faults, with room for each design of a limiter${added}.`,
    budgetOf(plan),
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

const budgetOf = ({ budget, values }: MeasuredPlan): string => {
  const [sent, all] = [0, 1].map((at) => sumOf(Object.values(values).map((one) => one[at] ?? 0)))
  const some = `${sent} of ${all} values of rows are sent`
  if (budget === null) return `${some}: the run takes as many requests as it needs.`
  const of = `Rows may take ${budget} calls of the keys`
  return `${of} (--max-requests and --max-time set how many): ${some}.`
}

const tooManyRequests = ({ maxRequests, total }: MeasuredPlan): string[] => {
  const needed = total.keyed[1] + total.anonymous[1]
  if (needed <= maxRequests) return []
  const limit = `The run may send ${maxRequests} requests (--max-requests)`
  return [`${limit} and needs up to ${needed}: the last checks are left untested.`]
}
