// What a run would cost, by what its questions declare.
import type { Question, Stage } from './check.ts'
import { stages } from './check.ts'
import { lackOf } from './lack.ts'
import { isAsked } from './order.ts'
import type { RunOptions } from './run-options.ts'

export interface Cost {
  /** Requests that count on a key, and those without a valid one. */
  readonly keyed: number
  readonly anonymous: number
}

/** The controls are shared by all checks: a sound creation and a sound fetch. */
const controlsCost: Cost = { keyed: 2, anonymous: 0 }
/** The smoke call; its list is a control too. */
const smokeCost: Cost = { keyed: 1, anonymous: 0 }

const sum = (costs: readonly Cost[]): Cost => ({
  keyed: costs.reduce((total, { keyed }) => total + keyed, 0),
  anonymous: costs.reduce((total, { anonymous }) => total + anonymous, 0),
})

type Asking = Pick<RunOptions, 'allow' | 'clockUrl' | 'descriptionUrl' | 'keys'>

/** The questions that a run with these options can ask. */
export const askable = (questions: readonly Question[], options: Asking) =>
  questions.filter(isAsked).filter(({ needs }) => lackOf(needs, options) === undefined)

/** Requests of a run in which every question that can be asked passes. */
export const costOf = (questions: readonly Question[], options: Asking): Cost => {
  const needs = askable(questions, options).map((question) => question.needs)
  return sum([smokeCost, controlsCost, ...needs])
}

/** The same as one number. */
export const requestsOf = (questions: readonly Question[], options: Asking): number => {
  const { keyed, anonymous } = costOf(questions, options)
  return keyed + anonymous
}

/** The same by stage, in the order of the work, without the smoke call and the controls. */
export const costByStage = (
  questions: readonly Question[],
  options: Asking,
): { stage: Stage; cost: Cost }[] => {
  const needs = askable(questions, options).map((question) => question.needs)
  return stages.map((stage) => ({ stage, cost: sum(needs.filter((each) => each.stage === stage)) }))
}
