// Where requests are plentiful: with a test clock, or a key of a plan larger than Free. There a
// check asks all that it takes a sample of elsewhere, and may declare another cost for it.
import { plans } from '../../spec/plans.ts'
import type { Asked } from '../declare.ts'
import type { RunOptions } from '../run-options.ts'

type Means = Pick<RunOptions, 'clockUrl' | 'keys'>

export const isAmple = ({ clockUrl, keys }: Means): boolean =>
  clockUrl !== null ||
  keys.some(
    ({ quota }) => quota.perMinute >= plans.pro.perMinute && quota.perDay >= plans.pro.perDay,
  )

/** A question with the cost that it has in a run with these means. */
export const priced = (question: Asked, means: Means): Asked => {
  const { ample } = question.needs
  if (ample === undefined || !isAmple(means)) return question
  return { ...question, needs: { ...question.needs, keyed: ample } }
}
