// Which limiter a target seems to have, and which answers it counts: observed, never judged.

import type { Context } from '../../engine/context.ts'
import { observe, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { controlFailed } from '../requests.ts'
import { countsOf, designOf } from './design.ts'
import { exhausted } from './exhausted.ts'
import { hindsight, onRetry } from './quota.ts'
import { retried } from './retry.ts'
import { cheapest } from './round.ts'

const design = observe({
  id: 'limiter-design',
  requirement: 'limits.algorithm',
  needs: onRetry,
  sends:
    'Nothing of its own: all calls of the key since it rested before its burst are replayed ' +
    'through each design.',
  records:
    'The design whose numbers fit while those of all others do not: fixed window (on the clock, ' +
    'off the clock, or from the first request), sliding log, sliding counter or token bucket; ' +
    'else inconclusive.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const round = await exhausted(context, cheapest(context.limits))
    await retried(context)
    return designOf(round, context.limits.heard(round.key.label))
  },
})

const heardAll = ({ limits }: Context): Answered[] =>
  allKeys(limits).flatMap(({ label }) => limits.heard(label))

const which = observe({
  id: 'answers-that-count',
  requirement: 'limits.which-count',
  needs: hindsight,
  sends:
    'Nothing: it looks at every 400 and 404 that came straight after another call of the same ' +
    'key.',
  records:
    'Whether Remaining fell with them: counted, or not counted if lists do make it fall and what ' +
    'comes back meanwhile does not hide it; else inconclusive.',
  inconclusive: controlFailed.list,
  run: async (context) => {
    await context.control('list')
    const answers = heardAll(context)
    return [400, 404].map((status) => `${status} ${countsOf(answers, status)}`).join(', ')
  },
})

export const fingerprint: readonly Question[] = [design, which]
