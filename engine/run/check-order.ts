// In which order the checks of a run are sent, and what they cost in requests and in time, by what
// they declare.

import { minuteMs } from '../../history/rate-headers.ts'
import {
  type AnyCheck,
  type SendingCheck,
  type Stage,
  sendsRequests,
  stages,
} from '../check/declare.ts'
import { missingPrerequisite } from '../check/prerequisites.ts'
import { type PlanOptions, shortestWalk, walkPerKey } from '../check/spendable-keys.ts'
import { keyedCost, plannedExperiments, priced, unheldCost } from '../quota/planned-experiments.ts'

/** In these a check builds on what another one of the same stage did only where it says so. */
const free: readonly Stage[] = ['unauthenticated', 'refusals', 'reads']

const mayComeFirst = ({ needs, sentBy }: SendingCheck): boolean =>
  free.includes(needs.stage) && sentBy === undefined

/** Without a test clock a spent day is over for good, and would leave nothing for the hazards. */
const stageOrder = (isInstant: boolean): readonly Stage[] =>
  isInstant ? [...stages.filter((stage) => stage !== 'hazards'), 'hazards'] : stages

/** Within a stage the order of the catalogue holds, but for those that are to come first. */
const byStage = (
  checks: readonly AnyCheck[],
  first: ReadonlySet<string>,
  ofStages: readonly Stage[],
): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .map((check, position) => ({
      check,
      position: first.has(check.id) && mayComeFirst(check) ? -1 : position,
      stage: ofStages.indexOf(check.needs.stage),
    }))
    .sort((a, b) => a.stage - b.stage || a.position - b.position)
    .map(({ check }) => check)

/** A check that sends nothing judges what others sent, so it keeps its place. */
const spendsNoKey = ({ needs }: SendingCheck) => needs.keyed === 0 && needs.anonymous > 0

/** From this stage on checks leave a key or the target in a state that no other check can use. */
const days = stages.indexOf('days')

/** Finds out what a creation may have, which others create without a key too. */
const isProbe = ({ needs }: SendingCheck): boolean =>
  needs.stage === 'probes' && needs.allow?.includes('write') === true

/** A place in the first minute counts where the run ends with it. */
const isEarly = (check: SendingCheck, noWait: boolean): boolean => {
  const isRanked = noWait && check.rank !== undefined
  const isFree = spendsNoKey(check) || isProbe(check)
  return stages.indexOf(check.needs.stage) < days && (isFree || isRanked)
}

/** What needs no key comes before all with a rank, and the hazards after them. */
const placeOf = (check: SendingCheck, first: ReadonlySet<string>): number => {
  if (check.needs.stage === 'hazards') return Number.MAX_SAFE_INTEGER
  if (isProbe(check)) return -3
  if (spendsNoKey(check)) return -2
  return first.has(check.id) ? -1 : (check.rank ?? 0)
}

/**
 * The checks in the order of a run. In real time those that need no key come first, as no quota
 * delays them; and where nothing is waited for, then those with a place in the first minute.
 * @param first what comes first in its stage, where nothing there builds on anything else
 */
export const inOrder = (
  checks: readonly AnyCheck[],
  { isInstant, noWait }: { readonly isInstant: boolean; readonly noWait: boolean },
  first: ReadonlySet<string>,
): readonly SendingCheck[] => {
  const ordered = byStage(checks, first, stageOrder(isInstant))
  if (isInstant) return ordered
  const early = ordered.filter((each) => isEarly(each, noWait))
  const late = ordered.filter((each) => !isEarly(each, noWait))
  return [...early.sort((a, b) => placeOf(a, first) - placeOf(b, first)), ...late]
}

export interface Cost {
  /** Requests that count on a key, and those without a valid one. */
  readonly keyed: number
  readonly anonymous: number
}

const sum = (costs: readonly Cost[]): Cost => ({
  keyed: costs.reduce((total, { keyed }) => total + keyed, 0),
  anonymous: costs.reduce((total, { anonymous }) => total + anonymous, 0),
})

/**
 * The smoke call goes with each key, and its list is a control too; the other controls, which all
 * checks share, are a valid creation and a valid fetch.
 */
const firstCalls = ({ keys }: PlanOptions): number => Math.max(1, keys.length) + 2

const perMinuteOf = ({ keys }: PlanOptions): number =>
  keys.reduce((total, { quota }) => total + quota.perMinute, 0)

/** The checks that can run with these options, with what they cost there. */
export const runnableChecks = (checks: readonly AnyCheck[], options: PlanOptions): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .map((check) => priced(check, options))
    .filter(({ needs }) => missingPrerequisite(needs, options) === undefined)

/** Checks that send nothing of their own: clauses, and the smoke call that every run makes. */
export const countPassive = (checks: readonly AnyCheck[]): number =>
  checks.filter((check) => !sendsRequests(check)).length + 1

/** What each check costs after those before it: what they share is sent once. */
const unshared = (checks: readonly SendingCheck[]): ReadonlyMap<SendingCheck, Cost> => {
  const sent = new Set<string>()
  return new Map(
    checks.map((check) => {
      const { shares, keyed, anonymous } = check.needs
      const isSent = shares !== undefined && sent.has(shares)
      if (shares !== undefined) sent.add(shares)
      return [check, isSent ? { keyed: 0, anonymous: 0 } : { keyed, anonymous }]
    }),
  )
}

const costsOf = (runnable: readonly SendingCheck[], options: PlanOptions): Cost[] => {
  const held = plannedExperiments(runnable, options)
  const costs = unshared(runnable)
  return runnable.map((check) => {
    const cost = costs.get(check) ?? check.needs
    const isHeld = check.needs.experiment !== undefined && cost.keyed > 0
    return isHeld ? { ...cost, keyed: keyedCost(check, held, options) } : cost
  })
}

/** Requests of a run in which every check that can run passes. */
export const computeCost = (checks: readonly AnyCheck[], options: PlanOptions): Cost => {
  const runnable = runnableChecks(checks, options)
  const keyed = firstCalls(options) + unheldCost(runnable, options)
  return sum([{ keyed, anonymous: 0 }, ...costsOf(runnable, options)])
}

/** How many requests a run of these checks takes, with a key or without. */
export const countRequests = (checks: readonly AnyCheck[], options: PlanOptions): number => {
  const { keyed, anonymous } = computeCost(checks, options)
  return keyed + anonymous
}

/** The checks that fit into so many calls, in the order of the work; none that needs a window. */
const fitting = (runnable: readonly SendingCheck[], calls: number): readonly SendingCheck[] => {
  const ordered = inOrder(runnable, { isInstant: false, noWait: true }, new Set())
  const costs = unshared(ordered)
  let left = calls
  return ordered.filter((check) => {
    const { experiment, looksAt = [], stage } = check.needs
    const cost = costs.get(check)?.keyed ?? 0
    if (stage === 'rest') return left >= shortestWalk
    if (experiment !== undefined || looksAt.length > 0 || cost > left) return false
    left -= cost
    return true
  })
}

/** The checks that a run without any wait in real time can test, about: one minute of its keys. */
export const fittingNow = (
  checks: readonly AnyCheck[],
  options: PlanOptions,
): readonly SendingCheck[] => {
  const runnable = runnableChecks(checks, options)
  if (options.clockUrl !== null) return runnable
  return fitting(runnable, perMinuteOf(options) - firstCalls(options))
}

/** How many of these checks the next minute of the keys would test, about. */
export const fittingNext = (left: readonly AnyCheck[], options: PlanOptions): number =>
  fitting(runnableChecks(left, options), perMinuteOf(options)).length

/** How many more a target costs that refuses everything it may refuse. */
export const countFurther = (checks: readonly AnyCheck[], options: PlanOptions): number =>
  runnableChecks(checks, options).reduce((total, { needs }) => total + (needs.ifRefused ?? 0), 0)

/** How many a walk without a test clock takes at most of what nothing else needs. */
export const countSpare = (checks: readonly AnyCheck[], options: PlanOptions): number =>
  !options.shared && runnableChecks(checks, options).some(({ needs }) => needs.stage === 'rest')
    ? options.keys.reduce((sum, { quota }) => sum + Math.min(quota.perMinute, walkPerKey), 0)
    : 0

/** The cost by stage, in the order of the work, without the first calls of a run. */
export const costByStage = (
  checks: readonly AnyCheck[],
  options: PlanOptions,
): { stage: Stage; cost: Cost }[] => {
  const runnable = runnableChecks(checks, options)
  const costs = costsOf(runnable, options)
  return stages.map((stage) => ({
    stage,
    cost: sum(costs.filter((_, at) => runnable[at]?.needs.stage === stage)),
  }))
}

/** A wait ends a few seconds after the reset that it is for. */
const afterResetMs = 3_000

/**
 * Estimates the real time that checks take without a test clock: the windows that their calls need,
 * and their waits, with fixed windows of a minute and one key at a time.
 * @param before the checks that were run already: their experiments are not repeated
 * @param spent how many calls of the present window are gone, over all keys
 * @returns milliseconds, about a minute more or less
 */
export const estimateMs = (
  before: readonly SendingCheck[],
  left: readonly SendingCheck[],
  options: PlanOptions,
  spent: number,
): number => {
  const done = plannedExperiments(before, options)
  const all = plannedExperiments([...before, ...left], options)
  const held = all.filter(
    (one) => !done.some(({ experiment, key }) => experiment === one.experiment && key === one.key),
  )
  const calls = [...unshared(left)]
    .filter(
      ([{ needs }]) =>
        needs.experiment === undefined ||
        needs.experiment === 'silence' ||
        needs.experiment === 'retry',
    )
    .reduce((sum, [, { keyed }]) => sum + keyed, 0)
  const perMinute = Math.max(1, perMinuteOf(options))
  const windows = Math.max(0, Math.ceil((spent + calls) / perMinute) - 1)
  const windowsMs = windows === 0 ? 0 : windows * minuteMs + afterResetMs
  const msOf = (some: typeof held) => some.reduce((sum, { waitMs }) => sum + waitMs, windowsMs)
  const days = held
    .filter(({ experiment }) => experiment === 'day')
    .map(({ key }) => {
      const dayMs = Math.ceil(key.quota.perDay / key.quota.perMinute) * minuteMs
      // Other calls with the key count for its day too.
      return Math.max(0, dayMs - msOf(held.filter((one) => one.key === key)))
    })
  return days.reduce((sum, ms) => sum + ms, msOf(held))
}
