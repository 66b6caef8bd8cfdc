// The experiments that questions share: which ones a run holds, on which key, at what cost.
import type { Quota } from '../../spec/plans.ts'
import type { Asked, Experiment } from '../declare.ts'
import type { KeyOption, RunOptions } from '../run-options.ts'
import {
  burstMost,
  cheapestOf,
  chooseBanKey,
  dayCallsMost,
  dayKeyOf,
  furtherExhausted,
} from './limits.ts'

/** An experiment on a key, which is held once in a run. */
export interface Held {
  readonly experiment: Experiment
  readonly key: KeyOption
}

/** Requests beyond the minute itself: the one that is refused, and a probe before a near reset. */
const beyondBurst = 2
/** The first probes of a minute that is to be spent, and the request after the silence. */
const beyondSilence = 4
/** Servers ban after 3 to 30 refusals: so many requests follow the first one. */
export const knocksMost = 40
/** Lists, errors and a creation in the row of errors, each once, with the list before them. */
const errorRow = 23
/** A count that begins anew is told from ticks of a tenth, and from calls not yet counted. */
const seenLeast = 20
const tickShare = 0.1

/** What is spent of a minute before the row of errors. */
export const spentBeforeErrors = ({ perMinute }: Quota): number =>
  Math.ceil(tickShare * perMinute) + seenLeast

/**
 * How a minute's number and one more is sent in steps of 50 s: any three of them, which is what
 * lies within two minutes, are fewer than that number.
 */
export const steadySteps = ({ perMinute }: Quota) => {
  const calls = Math.floor((perMinute - 1) / 3)
  const errors = Math.max(0, Math.min(2, calls - 1))
  const lists = calls - errors
  return { steps: lists < 1 ? 0 : Math.ceil((perMinute + 1) / lists), lists, errors }
}

const steadyCost = (quota: Quota): number => {
  const { steps, lists, errors } = steadySteps(quota)
  return steps * (lists + errors)
}

/** Experiments that need a whole minute at once. */
const bursting: readonly Experiment[] = [
  'burst',
  'knocks',
  'knocks again',
  'late',
  'retry',
  'steady',
]

/** Load would tell of such a minute, which is no burst any more; such a day is not spent. */
const isTooMuch = (experiment: Experiment, { quota }: KeyOption): boolean =>
  experiment === 'day'
    ? quota.perDay > dayCallsMost
    : quota.perMinute > burstMost && bursting.includes(experiment)

/** What a run is given that decides on which keys it holds what. */
export type Holding = Pick<RunOptions, 'allow' | 'clockUrl' | 'keys'>

const keysOf = (
  experiment: Experiment,
  { needs }: Asked,
  holding: Holding,
): readonly KeyOption[] => {
  const { keys } = holding
  const banKey = chooseBanKey(keys)
  if (needs.eachKey) return furtherExhausted(keys, holding)
  const key =
    experiment === 'knocks' || experiment === 'knocks again'
      ? banKey
      : experiment === 'day' && needs.plan
        ? dayKeyOf(keys, needs.plan)
        : cheapestOf(keys, needs.plan)
  return key ? [key] : []
}

const experimentsOf = ({ needs }: Asked): readonly Experiment[] => [
  ...(needs.holds ? [needs.holds] : []),
  ...(needs.looksAt ?? []),
]

/** The experiments that these questions make a run hold, each once, with who holds it. */
export const heldBy = (questions: readonly Asked[], holding: Holding): Held[] => {
  const held: Held[] = []
  const has = (experiment: Experiment, key: KeyOption) =>
    held.some((each) => each.experiment === experiment && each.key === key)
  for (const question of questions) {
    for (const experiment of experimentsOf(question)) {
      for (const key of keysOf(experiment, question, holding)) {
        if (!isTooMuch(experiment, key) && !has(experiment, key)) held.push({ experiment, key })
      }
    }
  }
  // The key for bans is exhausted once, and asked on.
  return held.filter(({ experiment, key }) => experiment !== 'burst' || !has('knocks', key))
}

/** Who of these questions holds an experiment; others only look at it. */
const isHolder = (question: Asked, { experiment, key }: Held, holding: Holding) =>
  question.needs.holds === experiment && keysOf(experiment, question, holding).includes(key)

const costOn = (experiment: Experiment, quota: Quota): number => {
  const { perMinute, perDay } = quota
  switch (experiment) {
    case 'silence':
      return perMinute + beyondSilence
    case 'burst':
      return perMinute + beyondBurst
    case 'knocks':
      return perMinute + beyondBurst + knocksMost
    case 'knocks again':
      return 2 * (perMinute + beyondBurst + knocksMost)
    case 'late':
      return 2 * (perMinute + 1)
    case 'retry':
      return 1
    case 'steady':
      return steadyCost(quota)
    case 'errors':
      return spentBeforeErrors(quota) + errorRow
    case 'day':
      return perDay + 1
  }
}

const sumOf = (held: readonly Held[]): number =>
  held.reduce((total, { experiment, key }) => total + costOn(experiment, key.quota), 0)

/**
 * What a question costs on keys.
 * @param held what a run holds
 */
export const keyedCost = (question: Asked, held: readonly Held[], holding: Holding): number => {
  const { holds, keyed } = question.needs
  if (!holds || keysOf(holds, question, holding).length === 0) return keyed
  return sumOf(held.filter((each) => isHolder(question, each, holding)))
}

/** What the experiments cost that these questions look at, and none of them holds. */
export const unheldCost = (questions: readonly Asked[], holding: Holding): number =>
  sumOf(
    heldBy(questions, holding).filter(
      (held) => !questions.some((question) => isHolder(question, held, holding)),
    ),
  )
