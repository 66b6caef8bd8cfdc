// Which limiter a target seems to have, and which answers it counts: observed, never judged.
import type { Question } from '../../engine/check.ts'
import { observe } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { countsOf, designOf } from './design.ts'
import { exhausted } from './exhausted.ts'
import { hindsight, onRetry } from './quota.ts'
import { retried } from './retry.ts'
import { cheapest } from './round.ts'

const design = observe('limiter-design', 'limits.algorithm', onRetry, async (context) => {
  const round = await exhausted(context, cheapest(context.limits))
  await retried(context)
  return designOf(round, context.limits.heard(round.key.label))
})

const heardAll = ({ limits }: Context): Answered[] =>
  allKeys(limits).flatMap(({ label }) => limits.heard(label))

const which = observe('answers-that-count', 'limits.which-count', hindsight, async (context) => {
  await context.control('list')
  const answers = heardAll(context)
  return [400, 404].map((status) => `${status} ${countsOf(answers, status)}`).join(', ')
})

export const fingerprint: readonly Question[] = [design, which]
