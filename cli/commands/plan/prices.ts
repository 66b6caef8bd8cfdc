// What a run would cost, in total and by stage, suite and plan; and what would add checks to it.

import { select, suiteName } from '../../../config/selection.ts'
import { permissions } from '../../../engine/check/context.ts'
import { type AnyCheck, sendsRequests } from '../../../engine/check/declare.ts'
import type { KeyOption, PlanOptions } from '../../../engine/check/spendable-keys.ts'
import { chooseCheapest } from '../../../engine/check/spendable-keys.ts'
import {
  type Cost,
  computeCost,
  costByStage,
  countFurther,
  countPassive,
  countSpare,
  estimateMs,
  runnableChecks,
} from '../../../engine/run/check-order.ts'
import { type Plan, planNames, plans, type Quota } from '../../../spec/plans.ts'

export interface Price extends Cost {
  /** How many checks the run includes. */
  readonly checks: number
  /** Requests on keys in addition, at a target that refuses whatever it may refuse. */
  readonly further: number
  /** Requests that are sent at the end if a minute has them left: nothing waits for them. */
  readonly spare: number
  /** Real time, approximately; null: the test clock is moved, and the run takes seconds. */
  readonly estimateMs: number | null
}

/** Something that a run lacks, and how many checks it would add. */
export interface Offer {
  /** A flag, or a key of some plan. */
  readonly give: string
  readonly adds: number
  /** To a run that is given all the others as well. */
  readonly addsLast: number
  /** The suites of those checks. */
  readonly suites: readonly string[]
}

export const computePrices = (checks: readonly AnyCheck[], run: PlanOptions) => {
  const keys = oneOfEachPlan(run.keys)
  // Without keys the first published plan is assumed for those of the user.
  const whole = run.keys.length > 0 ? run : { ...run, keys: keys.slice(0, 1) }
  const included = runnableChecks(checks, whole)
  return {
    all: priceOf(checks, whole),
    stages: costByStage(checks, whole).filter(({ cost }) => cost.keyed + cost.anonymous > 0),
    // Each run alone, as with `--only`.
    suites: suitesIn(included).map((suite) => ({
      suite,
      ...priceOf(select(checks, { only: [suite] }), whole),
    })),
    // Each with one key of the plan, and the share of its day; a test clock moves on to other days.
    plans: keys.map((key) => {
      const price = priceOf(checks, { ...run, keys: [key] })
      const share = Math.round((1_000 * price.keyed) / key.quota.perDay) / 10
      return { plan: key.plan, ...price, dayPercent: run.clockUrl === null ? share : null }
    }),
    // What the run cannot include.
    leftOut: checks.filter(sendsRequests).length - included.length,
    offers: offersOf(checks, whole),
  }
}

const priceOf = (checks: readonly AnyCheck[], run: PlanOptions): Price => {
  const included = runnableChecks(checks, run)
  return {
    checks: included.length + countPassive(checks),
    ...computeCost(checks, run),
    further: countFurther(checks, run),
    spare: countSpare(checks, run),
    estimateMs: run.clockUrl === null ? estimateMs([], included, run, run.keys.length) : null,
  }
}

const suitesIn = (checks: readonly AnyCheck[]): string[] => [...new Set(checks.map(suiteName))]

/** Only the number of checks is computed with it, which does not depend on its size. */
const anyQuota: Quota = { perMinute: 100, perDay: 10_000 }

const keyOf = (plan: Plan, key: string): KeyOption => ({
  plan,
  key,
  quota: plan === 'enterprise' ? anyQuota : plans[plan],
})

/** The first key of each plan; without keys one of each plan with published numbers. */
const oneOfEachPlan = (keys: readonly KeyOption[]): KeyOption[] => {
  if (keys.length === 0) return Object.keys(plans).map((plan) => keyOf(plan as Plan, ''))
  return keys.filter(({ plan }, at) => keys.findIndex((each) => each.plan === plan) === at)
}

interface Gift {
  readonly give: string
  readonly to: (run: PlanOptions) => PlanOptions
}

const giftsFor = ({ allow, clockUrl, descriptionUrl, keys }: PlanOptions): Gift[] => {
  const gifts: Gift[] = permissions
    .filter((each) => !allow.includes(each))
    .map((each) => ({
      give: `--allow ${each}`,
      to: (run) => ({ ...run, allow: [...run.allow, each] }),
    }))
  if (clockUrl === null) {
    gifts.push({ give: '--clock URL', to: (run) => ({ ...run, clockUrl: 'given' }) })
  }
  if (descriptionUrl === null) {
    gifts.push({ give: '--description URL', to: (run) => ({ ...run, descriptionUrl: 'given' }) })
  }
  const addKey = (give: string, plan: Plan) => {
    const key = keyOf(plan, `another key of ${plan}`)
    const to: Gift['to'] = (run) => ({ ...run, keys: [...run.keys, key] })
    gifts.push({ give: `${give} of the plan ${plan}`, to })
  }
  // The key of the cheapest plan is exhausted; some checks need a second one of it.
  const cheapest = chooseCheapest(keys)?.plan
  if (cheapest && keys.filter(({ plan }) => plan === cheapest).length < 2) {
    addKey('a second key', cheapest)
  }
  for (const plan of planNames) {
    if (!keys.some((key) => key.plan === plan)) addKey('a key', plan)
  }
  return gifts
}

/** What each thing that a run lacks would add to it. */
const offersOf = (checks: readonly AnyCheck[], run: PlanOptions): Offer[] => {
  const gifts = giftsFor(run)
  const includedWith = (given: readonly Gift[]) =>
    runnableChecks(
      checks,
      given.reduce((all, { to }) => to(all), run),
    )
  const has = new Set(includedWith([]).map(({ id }) => id))
  const all = includedWith(gifts)
  return gifts
    .map((gift) => {
      const without = includedWith(gifts.filter((each) => each !== gift)).map(({ id }) => id)
      const added = all.filter(({ id }) => !without.includes(id))
      // With a test clock some checks take more: what falls away is not set off against it.
      const adds = includedWith([gift]).filter(({ id }) => !has.has(id)).length
      return { give: gift.give, adds, addsLast: added.length, suites: suitesIn(added) }
    })
    .filter(({ adds, addsLast }) => adds > 0 || addsLast > 0)
}
