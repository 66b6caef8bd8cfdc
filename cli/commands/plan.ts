// `petvet plan`: what a run would cost, from what the checks declare.

import { readLimits } from '../../config/run-settings.ts'
import { select } from '../../config/selection.ts'
import { readTarget } from '../../config/target.ts'
import { permissions } from '../../engine/check/context.ts'
import { type AnyCheck, sendsRequests } from '../../engine/check/declare.ts'
import type { PlanOptions } from '../../engine/check/spendable-keys.ts'
import { countPassive, fittingNow, runnableChecks } from '../../engine/run/check-order.ts'
import { aligned, wrapLine } from '../../reports/visible.ts'
import { judgedWith, requirement } from '../../spec/requirements.ts'
import { catalogue, knownFaults } from '../../suites/index.ts'
import { command, type Given, toggle } from '../command.ts'
import { runFlags, selectionFlags, suiteFlags, targetFlags } from '../flags.ts'
import { readingColumns } from '../output/progress.ts'
import { madeUpKeys } from '../run/built-in.ts'
import { computePrices, type Offer, type Price } from './plan/prices.ts'

const flags = {
  ...targetFlags,
  ...selectionFlags,
  'max-requests': runFlags['max-requests'],
  walk: suiteFlags.walk,
  json: toggle('the same as JSON, times in milliseconds'),
} as const

const oneFree = madeUpKeys().slice(0, 1)

/** What the built-in reference allows, where no target is named. */
const builtIn = (): PlanOptions => ({
  allow: permissions,
  clockUrl: 'its own',
  descriptionUrl: 'its own',
  keys: madeUpKeys(),
})

export const plan = command(flags, (given) => {
  const costs = costsOf(given)
  process.stdout.write(
    given.json ? `${JSON.stringify(costs, null, 2)}\n` : formatPlan(costs, readingColumns()),
  )
  return 0
})

/** One Free key without a test clock, and the permission to write. */
const isFirstMinute = ({ keys, clockUrl, allow }: PlanOptions): boolean =>
  keys.length === 1 && keys[0]?.plan === 'free' && clockUrl === null && allow.includes('write')

const mustsOf = (checks: readonly AnyCheck[]): ReadonlySet<string> => {
  const musts = checks.filter((check) => requirement(check.requirement).level === 'must')
  return new Set(musts.flatMap((check) => judgedWith(check.requirement)))
}

/** What one minute of the keys tests; a must of which a check is left is untested. */
const firstMinuteOf = (checks: readonly AnyCheck[], run: PlanOptions) => {
  const options = run.keys.length > 0 ? run : { ...run, keys: oneFree }
  const fitting = fittingNow(checks, options)
  const all = runnableChecks(checks, options).filter(({ needs }) => needs.stage !== 'rest')
  const judged = checks.filter((check) => !sendsRequests(check))
  const musts = mustsOf([...all, ...judged])
  const now = new Set(fitting.map(({ id }) => id))
  const left = mustsOf(all.filter(({ id }) => !now.has(id)))
  const number = fitting.length + countPassive(checks)
  return { checks: number, musts: musts.size - left.size, ofMusts: musts.size }
}

type PlanCosts = ReturnType<typeof costsOf>

/** Its names are those of `--json`. */
const costsOf = (given: Given<typeof flags>) => {
  const { target, found } = readTarget(given, process.env, process.cwd(), false)
  const { walk = found.config.walk } = given
  const run = { ...(target ?? builtIn()), ...(walk !== undefined && { walk }) }
  const checks = select(catalogue, given)
  return {
    target: target?.baseUrl ?? 'the built-in reference',
    allow: run.allow,
    // Whether the run includes them or not.
    checks: checks.filter(sendsRequests).length + countPassive(checks),
    keys: run.keys.length,
    maxRequests: readLimits(given, found).maxRequests,
    // Of the known faults, where the run is the one that they were counted in.
    knownFaults: isFirstMinute(run) && checks.length === catalogue.length ? knownFaults : null,
    withoutWaiting: firstMinuteOf(checks, run),
    prices: computePrices(checks, run),
  }
}

const duration = (ms: number | null): string =>
  ms === null || ms < 10_000 ? 'seconds' : `about ${Math.max(1, Math.round(ms / 60_000))} min`

const priceHeads = ['checks', 'with a key', 'without a key', 'duration']

const priceCells = ({ checks, keyed, anonymous, estimateMs }: Price): string[] => [
  `${checks}`,
  `${keyed}`,
  `${anonymous}`,
  duration(estimateMs),
]

/** @param columns the width of a terminal, in which prose is wrapped; tables are not */
export const formatPlan = (costs: PlanCosts, columns: number | null): string => {
  const { target, allow, checks, keys, prices } = costs
  const { all, stages, suites, plans } = prices
  const allowed = allow.join(', ') || 'reads only'
  const number = `${all.checks} of ${checks}`
  const leftOut =
    prices.leftOut === 0
      ? ['Nothing is left out.']
      : [`Left out: ${prices.leftOut} checks.`, ...prices.offers.map(offerLine)]
  const wrap = (lines: readonly string[]) => lines.flatMap((line) => wrapLine(line, columns))
  const paragraphs = [
    wrap([`A run against ${target} will run ${number} checks; allowed: ${allowed}.`]),
    wrap([
      all.estimateMs === null
        ? 'The test clock is moved instead of waiting: the run takes seconds.'
        : `Estimated duration: ${duration(all.estimateMs)}.${withoutWaiting(costs)}`,
    ]),
    wrap(tooManyRequests(costs)),
    wrap(furtherRequests(all)),
    wrap(spareRequests(all)),
    aligned([
      ['stage, in the order of the run', 'with a key', 'without a key'],
      ...stages.map(({ stage, cost }) => [stage, `${cost.keyed}`, `${cost.anonymous}`]),
      ['total, with the first calls', `${all.keyed}`, `${all.anonymous}`],
    ]),
    aligned([
      ['suite, run alone (--only)', ...priceHeads],
      ...suites.map((price) => [price.suite, ...priceCells(price)]),
    ]),
    aligned([
      ['with one key of plan', ...priceHeads, 'share of its day'],
      ...plans.map((price) => [
        price.plan,
        ...priceCells(price),
        price.dayPercent === null ? 'clock moved' : `${price.dayPercent} %`,
      ]),
      ...(keys > 1 ? [[`with the ${keys} keys`, ...priceCells(all), '']] : []),
    ]),
    wrap(leftOut),
  ].filter((lines) => lines.length > 0)
  return `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const withoutWaiting = ({ withoutWaiting: now, knownFaults: known, prices }: PlanCosts): string => {
  const left = prices.all.checks - now.checks
  if (left <= 0) return ''
  const share = known && Math.round((100 * known.found) / known.of)
  const finds = share === null ? '' : `, and finds ${share} % of the known faults in the contract`
  const musts = `${now.musts} of ${now.ofMusts} musts`
  const tests = `The first minute (--no-wait) tests ${now.checks} of these checks and ${musts}`
  return ` ${tests}${finds}; the other ${left} wait for the quota.`
}

const tooManyRequests = ({ maxRequests, prices: { all } }: PlanCosts): string[] => {
  const needed = all.keyed + all.anonymous + all.further
  if (needed <= maxRequests) return []
  const limit = `The run may send ${maxRequests} requests (--max-requests)`
  return [`${limit} and needs up to ${needed}: the last checks are left untested.`]
}

const furtherRequests = ({ further }: Price): string[] => {
  if (further === 0) return []
  const target = 'A target that refuses every creation about which the interface is silent'
  const why = 'a hundred valid pets must exist before lists are judged'
  return [`${target} is sent up to ${further} more with a key: ${why}.`]
}

const spareRequests = ({ spare }: Price): string[] =>
  spare === 0
    ? []
    : [
        `At the end a random walk takes what is left of the minute of each key, at most ${spare} ` +
          'requests: it waits for nothing, and takes none from any other check.',
      ]

/** What adds nothing alone may be needed together with something else. */
const offerLine = ({ give, adds, addsLast, suites }: Offer): string => {
  const together = adds === addsLast ? '' : `, and ${addsLast} together with all of these`
  return `  ${give} alone would add ${adds}${together}: ${suites.join(', ')}`
}
