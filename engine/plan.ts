// What a run would cost, by what its checks declare.
import {
  type AnyCheck,
  type SendingCheck,
  type Stage,
  sendsRequests,
  stages,
  unshared,
} from './declare.ts'
import { missingPrerequisite } from './prerequisites.ts'
import { keyedCost, plannedExperiments, priced, unheldCost } from './quota/experiments.ts'
import type { PlanOptions } from './run-options.ts'

/** In these a check builds on what another one of the same stage did only where it says so. */
const free: readonly Stage[] = ['unauthenticated', 'refusals', 'reads']

const mayComeFirst = ({ needs }: SendingCheck): boolean =>
  free.includes(needs.stage) && needs.made !== needs.stage

/** Within a stage the order of the catalogue holds, but for those that are to come first. */
const byStage = (checks: readonly AnyCheck[], first: ReadonlySet<string>): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .map((check, position) => ({
      check,
      position: first.has(check.id) && mayComeFirst(check) ? -1 : position,
      stage: stages.indexOf(check.needs.stage),
    }))
    .sort((a, b) => a.stage - b.stage || a.position - b.position)
    .map(({ check }) => check)

/** A check that sends nothing judges what others sent, so it keeps its place. */
const spendsNoKey = ({ needs }: SendingCheck) => needs.keyed === 0 && needs.anonymous > 0

/** Later checks judge the effects of its creations, so it cannot be postponed. */
const creates = ({ needs }: SendingCheck) => needs.allow?.includes('write') ?? false

const stageOf = ({ needs }: SendingCheck): number => stages.indexOf(needs.stage)
/** These leave a key or the target in a state that no other check can use. */
const last = stages.indexOf('days')
/**
 * Yields the checks in order. While the next one would have to wait in real time for a key's
 * quota, those that need no key come first.
 * @param waitMs how long a request with a key would have to wait now
 * @param first what comes first in its stage, where nothing there builds on anything else
 */
export function* schedule(
  checks: readonly AnyCheck[],
  instant: boolean,
  waitMs: () => number,
  first: ReadonlySet<string>,
): Generator<SendingCheck> {
  const ordered = byStage(checks, first)
  if (instant) {
    yield* ordered
    return
  }
  const isFiller = (check: SendingCheck) =>
    spendsNoKey(check) && !creates(check) && stageOf(check) < last
  const fillers = ordered.filter(isFiller)
  const keyed = ordered.filter((each) => !isFiller(each))
  for (const check of keyed) {
    const isLate = stageOf(check) >= last
    while (fillers.length > 0 && (isLate || (check.needs.keyed > 0 && waitMs() > 0))) {
      yield fillers.shift() as SendingCheck
    }
    yield check
  }
  yield* fillers
}

export interface Cost {
  /** Requests that count on a key, and those without a valid one. */
  readonly keyed: number
  readonly anonymous: number
}

/** The controls are shared by all checks: a valid creation and a valid fetch. */
const controlsCost: Cost = { keyed: 2, anonymous: 0 }

const sum = (costs: readonly Cost[]): Cost => ({
  keyed: costs.reduce((total, { keyed }) => total + keyed, 0),
  anonymous: costs.reduce((total, { anonymous }) => total + anonymous, 0),
})

/** The smoke call goes with each key; its list is a control too. */
const smokeCost = ({ keys }: PlanOptions): Cost => ({
  keyed: Math.max(1, keys.length),
  anonymous: 0,
})

/** The checks that can run with these options, with what they cost there. */
export const runnableChecks = (checks: readonly AnyCheck[], options: PlanOptions): SendingCheck[] =>
  checks
    .filter(sendsRequests)
    .filter(({ needs }) => missingPrerequisite(needs, options) === undefined)
    .map((check) => priced(check, options))

const costsOf = (runnable: readonly SendingCheck[], options: PlanOptions): Cost[] => {
  const held = plannedExperiments(runnable, options)
  const sending = new Set(unshared(runnable))
  return runnable.map((check) =>
    sending.has(check)
      ? {
          keyed: keyedCost(check, held, options),
          anonymous: check.needs.anonymous,
        }
      : { keyed: 0, anonymous: 0 },
  )
}

/** Requests of a run in which every check that can run passes. */
export const costOf = (checks: readonly AnyCheck[], options: PlanOptions): Cost => {
  const runnable = runnableChecks(checks, options)
  const unheld = { keyed: unheldCost(runnable, options), anonymous: 0 }
  return sum([smokeCost(options), controlsCost, unheld, ...costsOf(runnable, options)])
}

/** The same as one number. */
export const requestsOf = (checks: readonly AnyCheck[], options: PlanOptions): number => {
  const { keyed, anonymous } = costOf(checks, options)
  return keyed + anonymous
}

/**
 * How many checks a run without any wait in real time can test, about: those that fit into one
 * minute of its keys, in the order of the work, and do no experiment on a window.
 */
export const fittingNow = (checks: readonly AnyCheck[], options: PlanOptions): number => {
  const runnable = runnableChecks(checks, options)
  if (options.clockUrl !== null) return runnable.length
  const sending = new Set(unshared(runnable))
  const perMinute = options.keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
  let left = perMinute - smokeCost(options).keyed - controlsCost.keyed
  return byStage(runnable, new Set()).filter((check) => {
    const { experiment, looksAt = [], keyed } = check.needs
    const cost = sending.has(check) ? keyed : 0
    if (experiment !== undefined || looksAt.length > 0 || cost > left) return false
    left -= cost
    return true
  }).length
}

/** How many more a target costs that refuses everything it may refuse. */
export const furtherOf = (checks: readonly AnyCheck[], options: PlanOptions): number =>
  runnableChecks(checks, options).reduce((total, { needs }) => total + (needs.ifRefused ?? 0), 0)

/** The same by stage, in the order of the work, without the first calls of a run. */
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
