// What a run would cost, by what its questions declare.
import type { Question, Stage } from './check.ts'
import { stages } from './check.ts'
import { lackOf } from './lack.ts'
import type { Asked } from './order.ts'
import { isAsked, unshared } from './order.ts'
import { heldBy, keyedCost, priced, unheldCost } from './quota/experiments.ts'
import type { RunOptions } from './run-options.ts'

export interface Cost {
  /** Requests that count on a key, and those without a valid one. */
  readonly keyed: number
  readonly anonymous: number
}

/** The controls are shared by all checks: a sound creation and a sound fetch. */
const controlsCost: Cost = { keyed: 2, anonymous: 0 }

const sum = (costs: readonly Cost[]): Cost => ({
  keyed: costs.reduce((total, { keyed }) => total + keyed, 0),
  anonymous: costs.reduce((total, { anonymous }) => total + anonymous, 0),
})

export type Asking = Pick<RunOptions, 'allow' | 'clockUrl' | 'descriptionUrl' | 'keys'>

/** The smoke call goes with each key; its list is a control too. */
const smokeCost = ({ keys }: Asking): Cost => ({ keyed: Math.max(1, keys.length), anonymous: 0 })

/** The questions that a run with these options can ask, with what they cost it. */
export const askable = (questions: readonly Question[], options: Asking): Asked[] =>
  questions
    .filter(isAsked)
    .filter(({ needs }) => lackOf(needs, options) === undefined)
    .map((question) => priced(question, options))

const costsOf = (asked: readonly Asked[], options: Asking): Cost[] => {
  const held = heldBy(asked, options)
  const sending = new Set(unshared(asked))
  return asked.map((question) =>
    sending.has(question)
      ? {
          keyed: keyedCost(question, held, options),
          anonymous: question.needs.anonymous,
        }
      : { keyed: 0, anonymous: 0 },
  )
}

/**
 * Requests of a run in which every question that can be asked passes, at a target that takes
 * most of what it may take.
 */
export const costOf = (questions: readonly Question[], options: Asking): Cost => {
  const asked = askable(questions, options)
  const unheld = { keyed: unheldCost(asked, options), anonymous: 0 }
  return sum([smokeCost(options), controlsCost, unheld, ...costsOf(asked, options)])
}

/** The same as one number. */
export const requestsOf = (questions: readonly Question[], options: Asking): number => {
  const { keyed, anonymous } = costOf(questions, options)
  return keyed + anonymous
}

/** So many more it may send on keys where the target refuses whatever it may refuse. */
export const furtherOf = (questions: readonly Question[], options: Asking): number =>
  askable(questions, options).reduce((total, { needs }) => total + (needs.further ?? 0), 0)

/** The same by stage, in the order of the work, without the first calls of a run. */
export const costByStage = (
  questions: readonly Question[],
  options: Asking,
): { stage: Stage; cost: Cost }[] => {
  const asked = askable(questions, options)
  const costs = costsOf(asked, options)
  return stages.map((stage) => ({
    stage,
    cost: sum(costs.filter((_, at) => asked[at]?.needs.stage === stage)),
  }))
}
