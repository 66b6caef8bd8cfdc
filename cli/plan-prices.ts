// What a run would cost, as numbers: in all, by stage, by suite and by plan.

import type { Question, Stage } from '../engine/check.ts'
import { isAsked } from '../engine/order.ts'
import { type Asking, askable, type Cost, costByStage, costOf, furtherOf } from '../engine/plan.ts'
import { estimateMs } from '../engine/quota/estimate.ts'
import type { KeyOption } from '../engine/run-options.ts'
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import { type Offer, offersOf } from './plan-offers.ts'
import { select } from './selection.ts'
import { suiteOf } from './suite-of.ts'

export interface Price extends Cost {
  readonly questions: number
  /** Requests on keys beyond these, at a target that refuses whatever it may refuse. */
  readonly further: number
  /** About the real time it takes; null: the test clock is moved, and the run takes seconds. */
  readonly estimateMs: number | null
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

const priceOf = (questions: readonly Question[], asking: Asking): Price => {
  const asked = askable(questions, asking)
  return {
    questions: asked.length,
    ...costOf(questions, asking),
    further: furtherOf(questions, asking),
    estimateMs: asking.clockUrl === null ? estimateMs([], asked, asking, asking.keys.length) : null,
  }
}

const suitesIn = (questions: readonly Question[], asking: Asking): string[] => [
  ...new Set(askable(questions, asking).map(suiteOf)),
]

const madeUpKey = (plan: Plan, quota: Quota): KeyOption => ({ plan, key: '', quota })

/** One key of each plan at hand; where none is, of each plan that has published numbers. */
const oneOfEach = (keys: readonly KeyOption[]): KeyOption[] =>
  keys.length > 0
    ? [...new Map(keys.toReversed().map((key) => [key.plan, key])).values()].toReversed()
    : Object.entries(plans).map(([plan, quota]) => madeUpKey(plan as Plan, quota))

export const pricesOf = (questions: readonly Question[], asking: Asking): Prices => {
  const keys = oneOfEach(asking.keys)
  // Without a key nothing is known of the plans at hand: the first one stands for them.
  const whole = asking.keys.length > 0 ? asking : { ...asking, keys: keys.slice(0, 1) }
  return {
    all: priceOf(questions, whole),
    stages: costByStage(questions, whole).filter(({ cost }) => cost.keyed + cost.anonymous > 0),
    suites: suitesIn(questions, whole).map((suite) => {
      const alone = select(questions, suiteOf, { only: [suite], skip: undefined })
      return { suite, ...priceOf(alone, whole) }
    }),
    plans: keys.map((key) => {
      const price = priceOf(questions, { ...asking, keys: [key] })
      const share = Math.round((1_000 * price.keyed) / key.quota.perDay) / 10
      const dayPercent = asking.clockUrl === null ? share : null
      return { plan: key.plan, ...price, dayPercent }
    }),
    leftOut: questions.filter(isAsked).length - askable(questions, whole).length,
    offers: offersOf(questions, whole),
  }
}
