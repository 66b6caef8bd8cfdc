// Which limiter a target seems to have, and which answers it counts: observed, never judged.
import type { Question } from '../kit/check.ts'
import { observe } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { statusOf } from '../kit/exchange.ts'
import type { Limits } from '../kit/limits.ts'
import { rateHeaders } from '../kit/rate-headers.ts'
import { exhausted } from './exhausted.ts'
import { hindsight } from './quota.ts'
import { fromMs, isServed, minuteMs, minuteSaid, toMs } from './reading.ts'
import { retried } from './retry.ts'
import type { Round } from './round.ts'
import { cheapest } from './round.ts'

export type Design =
  | 'fixed window on the clock'
  | 'fixed window from the first request'
  | 'sliding log'
  | 'sliding counter'
  | 'token bucket'
  | 'unclear'

/** After one call a bucket is full, or has its next token, within moments. */
const momentMs = 3_000

/**
 * After a rest one call is made, some seconds later all others, and one more when the wait is over.
 * By then a fixed window begins anew, a log has the first call back, a counter has little.
 * @param resets every reset of a minute that this key was told
 */
export const designOf = (round: Round, afterWait: Answered, resets: readonly number[]): Design => {
  const { quota } = round.key
  const [first] = round.probes
  const last = round.probes.at(-1)
  const said = first && minuteSaid(first, quota)
  const again = minuteSaid(afterWait, quota)
  if (!said || !again || !last || !isServed(last) || !isServed(afterWait)) return 'unclear'
  if (said.resetInMs <= momentMs && (minuteSaid(last, quota)?.resetInMs ?? minuteMs) <= momentMs) {
    return 'token bucket'
  }
  const isAligned = resets.length > 0 && resets.every((reset) => (reset * 1_000) % minuteMs === 0)
  if (again.remaining === quota.perMinute - 1) {
    return isAligned ? 'fixed window on the clock' : 'fixed window from the first request'
  }
  if (again.remaining > quota.perMinute / 2) return 'unclear'
  return isAligned ? 'sliding counter' : 'sliding log'
}

const resetsOf = ({ heard, keys }: Limits): number[] => {
  const [key] = keys.toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  if (!key) return []
  return heard(key.label)
    .filter(isServed)
    .flatMap((one) => minuteSaid(one, key.quota)?.reset ?? [])
}

const design = observe('limiter-design', 'limits.algorithm', hindsight, async (context) => {
  const round = await exhausted(context, cheapest(context.limits))
  const { tries } = await retried(context)
  const afterWait = tries.at(-1)
  return afterWait ? designOf(round, afterWait, resetsOf(context.limits)) : 'unclear'
})

/** Answers of which fewer than this were seen right after another are not spoken of. */
const seenLeast = 2

/** Whether answers of a status made Remaining fall, by the calls right after one another. */
export const countsOf = (answers: readonly Answered[], status: number): string => {
  const inTurn = answers.toSorted((a, b) => a.seq - b.seq)
  const falls = inTurn.flatMap((exchange, at): number[] => {
    const before = inTurn[at - 1]
    const [said, left] = [before && rateHeaders(before), rateHeaders(exchange)]
    if (!before || !said || !left || statusOf(exchange) !== status) return []
    const isNext = exchange.seq === before.seq + 1 && toMs(before) <= fromMs(exchange)
    if (!isNext || said.limit !== left.limit || said.reset !== left.reset) return []
    return [said.remaining - left.remaining]
  })
  if (falls.length < seenLeast) return 'unknown'
  const counted = falls.filter((fall) => fall >= 1).length
  return counted * 2 > falls.length ? 'counted' : 'not counted'
}

const heardAll = ({ limits }: Context): Answered[] =>
  [...limits.keys, ...(limits.banKey ? [limits.banKey] : [])].flatMap(({ label }) =>
    limits.heard(label),
  )

const which = observe('answers-that-count', 'limits.which-count', hindsight, async (context) => {
  await context.control('list')
  const answers = heardAll(context)
  return [400, 404].map((status) => `${status} ${countsOf(answers, status)}`).join(', ')
})

export const fingerprint: readonly Question[] = [design, which]
