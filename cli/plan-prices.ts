// What a run would cost, as numbers: in all, by stage, by suite and by plan.
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import type { Question, Stage } from '../suites/kit/check.ts'
import { isAsked } from '../suites/kit/order.ts'
import {
  type Asking,
  askable,
  type Cost,
  costByStage,
  costOf,
  furtherOf,
} from '../suites/kit/plan.ts'
import { boundMs } from '../suites/kit/quota/bound.ts'
import type { KeyOption } from '../suites/kit/run-options.ts'
import { type Offer, offersOf } from './plan-offers.ts'
import { select } from './selection.ts'
import { suiteOf } from './suite-of.ts'

const secondMs = 1_000
const minuteMs = 60_000

/** The least time of a run, by how far the target's minute has gone when it starts. */
export interface LeastTime {
  readonly bestMs: number
  readonly worstMs: number
  /** If it starts now, and the target's clock is ours. */
  readonly nowMs: number
}

export interface Price extends Cost {
  readonly questions: number
  /** Requests on keys beyond these, at a target that refuses whatever it may refuse. */
  readonly further: number
  /** Null: the test clock is moved instead of waiting, and the run takes seconds. */
  readonly leastTime: LeastTime | null
}

export interface PlanPrice extends Price {
  readonly plan: Plan
  /** Of one key's day, in percent; null where the test clock moves on to further days. */
  readonly dayPercent: number | null
}

export interface Prices {
  readonly all: Price
  readonly stages: readonly { readonly stage: Stage; readonly cost: Cost }[]
  /** Each asked alone, as --only would. */
  readonly suites: readonly ({ readonly suite: string } & Price)[]
  /** Each with one key of the plan. */
  readonly plans: readonly PlanPrice[]
  /** Questions that cannot be asked, and what each further thing would add. */
  readonly leftOut: number
  readonly offers: readonly Offer[]
}

const leastTimeOf = (
  questions: readonly Question[],
  asking: Asking,
  wallMs: number,
): LeastTime | null => {
  if (asking.clockUrl !== null) return null
  // The bound changes its course at whole seconds only; the last instant stands for the limit.
  const instants = [...Array(60).keys()].map((second) => second * secondMs)
  const times = [...instants, minuteMs - 1].map((at) => boundMs(questions, asking, at))
  return {
    bestMs: Math.min(...times),
    worstMs: Math.max(...times),
    nowMs: boundMs(questions, asking, wallMs % minuteMs),
  }
}

const priceOf = (questions: readonly Question[], asking: Asking, wallMs: number): Price => ({
  questions: askable(questions, asking).length,
  ...costOf(questions, asking),
  further: furtherOf(questions, asking),
  leastTime: leastTimeOf(questions, asking, wallMs),
})

const suitesIn = (questions: readonly Question[], asking: Asking): string[] => [
  ...new Set(askable(questions, asking).map(suiteOf)),
]

const madeUpKey = (plan: Plan, quota: Quota): KeyOption => ({ plan, key: '', quota })

/** One key of each plan at hand; where none is, of each plan that has published numbers. */
const oneOfEach = (keys: readonly KeyOption[]): KeyOption[] =>
  keys.length > 0
    ? [...new Map(keys.toReversed().map((key) => [key.plan, key])).values()].toReversed()
    : Object.entries(plans).map(([plan, quota]) => madeUpKey(plan as Plan, quota))

/** @param wallMs our clock on the wall, in Unix milliseconds */
export const pricesOf = (
  questions: readonly Question[],
  asking: Asking,
  wallMs: number,
): Prices => {
  const keys = oneOfEach(asking.keys)
  // Without a key nothing is known of the plans at hand: the first one stands for them.
  const whole = asking.keys.length > 0 ? asking : { ...asking, keys: keys.slice(0, 1) }
  return {
    all: priceOf(questions, whole, wallMs),
    stages: costByStage(questions, whole).filter(({ cost }) => cost.keyed + cost.anonymous > 0),
    suites: suitesIn(questions, whole).map((suite) => {
      const alone = select(questions, suiteOf, { only: [suite], skip: undefined })
      return { suite, ...priceOf(alone, whole, wallMs) }
    }),
    plans: keys.map((key) => {
      const price = priceOf(questions, { ...asking, keys: [key] }, wallMs)
      const share = Math.round((1_000 * price.keyed) / key.quota.perDay) / 10
      const dayPercent = asking.clockUrl === null ? share : null
      return { plan: key.plan, ...price, dayPercent }
    }),
    leftOut: questions.filter(isAsked).length - askable(questions, whole).length,
    offers: offersOf(questions, whole),
  }
}
