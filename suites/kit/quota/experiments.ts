// The experiments that questions share: which ones a run holds, on which key, at what cost.
import type { Quota } from '../../../spec/plans.ts'
import type { Experiment } from '../check.ts'
import type { Asked } from '../order.ts'
import type { KeyOption } from '../run-options.ts'
import { burstMost, cheapestOf, chooseBanKey, dayCallsMost } from './limits.ts'

/** An experiment on a key, which is held once in a run. */
export interface Held {
  readonly experiment: Experiment
  readonly key: KeyOption
}

/** Requests beyond the minute itself: the one that is refused, and a probe before a near reset. */
const beyondBurst = 2
/** The first probes of a minute that is to be spent, and the request after the silence. */
const beyondSilence = 4
const knocksMost = 15
/** Lists, errors and a creation in the row of errors, each once, with the list before them. */
const errorRow = 21
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
const bursting: readonly Experiment[] = ['burst', 'knocks', 'retry', 'steady']

/** Load would tell of such a minute, which is no burst any more; such a day is not spent. */
const isTooMuch = (experiment: Experiment, { quota }: KeyOption): boolean =>
  experiment === 'day'
    ? quota.perDay > dayCallsMost
    : quota.perMinute > burstMost && bursting.includes(experiment)

const keyOf = (
  experiment: Experiment,
  { needs }: Asked,
  keys: readonly KeyOption[],
): KeyOption | undefined => {
  if (experiment === 'knocks') return chooseBanKey(keys)
  if (needs.plan === undefined) return cheapestOf(keys)
  const banKey = chooseBanKey(keys)
  return keys.find((key) => key !== banKey && key.plan === needs.plan)
}

const experimentsOf = ({ needs }: Asked): readonly Experiment[] => [
  ...(needs.holds ? [needs.holds] : []),
  ...(needs.looksAt ?? []),
]

/** The experiments that these questions make a run hold, each once, with who holds it. */
export const heldBy = (questions: readonly Asked[], keys: readonly KeyOption[]): Held[] => {
  const held: Held[] = []
  for (const question of questions) {
    for (const experiment of experimentsOf(question)) {
      const key = keyOf(experiment, question, keys)
      if (key && isTooMuch(experiment, key)) continue
      const isKnown = held.some((each) => each.experiment === experiment && each.key === key)
      if (key && !isKnown) held.push({ experiment, key })
    }
  }
  return held
}

/** Who of these questions holds an experiment; others only look at it. */
const isHolder = (question: Asked, { experiment, key }: Held, keys: readonly KeyOption[]) =>
  question.needs.holds === experiment && keyOf(experiment, question, keys) === key

const costOn = (experiment: Experiment, quota: Quota): number => {
  const { perMinute, perDay } = quota
  switch (experiment) {
    case 'silence':
      return perMinute + beyondSilence
    case 'burst':
      return perMinute + beyondBurst
    case 'knocks':
      return perMinute + beyondBurst + knocksMost
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

/**
 * What a question costs on keys.
 * @param filled whether other work spends the minute before the silence
 */
export const keyedCost = (question: Asked, keys: readonly KeyOption[], filled: boolean): number => {
  const { holds, keyed } = question.needs
  const key = holds && keyOf(holds, question, keys)
  if (!holds || !key) return keyed
  if (isTooMuch(holds, key)) return 0
  return holds === 'silence' && filled ? beyondSilence : costOn(holds, key.quota)
}

/** What the experiments cost that these questions look at, and none of them holds. */
export const unheldCost = (questions: readonly Asked[], keys: readonly KeyOption[]): number =>
  heldBy(questions, keys)
    .filter((held) => !questions.some((question) => isHolder(question, held, keys)))
    .reduce((total, { experiment, key }) => total + costOn(experiment, key.quota), 0)
