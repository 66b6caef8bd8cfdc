// Whether too many or too few requests were served in a day. Pure: from responses in order to a
// judgement.

import { holds, type Judgement } from '../../../engine/quota/round.ts'
import { type AnsweredExchange, statusCode } from '../../../history/exchange.ts'
import {
  dayMs,
  daySaid,
  fromMs,
  isRefused,
  isServed,
  maxRefill,
  minuteMs,
  minuteSaid,
  type RateHeaders,
  readWaitMs,
  spanMs,
  toMs,
} from '../../../history/rate-headers.ts'
import type { Quota } from '../../../spec/plans.ts'

export const unclear = (why: string, evidence: readonly AnsweredExchange[]): Judgement => ({
  kind: 'unclear',
  why,
  evidence,
})

export const violation = (
  expected: string,
  actual: string,
  evidence: readonly AnsweredExchange[],
): Judgement => ({ kind: 'violation', expected, actual, evidence })

/** How many requests any design may serve during these responses, which lie within one day. */
export const maxServedInDay = (responses: readonly AnsweredExchange[], { perDay }: Quota): number =>
  perDay + (responses.length === 0 ? 0 : maxRefill(perDay, dayMs, spanMs(responses)))

/** More were served in a declared day than a response of it announced. */
const overAnnounced = (responses: readonly AnsweredExchange[]): Judgement | undefined => {
  const served = responses.filter(isServed)
  for (const before of served) {
    const said = daySaid(before)
    if (!said) continue
    const after = served.filter(
      (one) => fromMs(one) >= toMs(before) && daySaid(one)?.reset === said.reset,
    )
    const last = after.at(-1)
    if (!last || after.length <= said.remaining) continue
    const expected = `at most ${said.remaining} more served in the day, as announced`
    return violation(expected, `${after.length} served`, [before, last])
  }
  return undefined
}

export const judgeDayMore = (responses: readonly AnsweredExchange[], quota: Quota): Judgement => {
  const served = responses.filter(isServed)
  const over = overAnnounced(responses)
  if (over) return over
  if (served.length <= maxServedInDay(responses, quota)) return holds
  const expected = `at most ${quota.perDay} requests served in a day`
  return violation(expected, `${served.length} served`, served.slice(-1))
}

/** Whether a refusal may be for the minute: nothing in it shows that it is for the day. */
const isOfMinute = (refusal: AnsweredExchange): boolean =>
  daySaid(refusal) === undefined && (readWaitMs(refusal) ?? 0) <= 2 * minuteMs

/** Whether numbers of a declared window are missing: another client may have received them. */
const skips = (said: readonly RateHeaders[], isWhole: (max: number) => boolean): boolean =>
  [...Map.groupBy(said, ({ reset }) => reset).values()].some((numbers) => {
    const all = new Set(numbers.map(({ remaining }) => remaining))
    const max = Math.max(...all)
    return max - Math.min(...all) + 1 > all.size || !isWhole(max)
  })

/** A minute begins with all its calls but one; the first responses need not describe the day. */
const hasGaps = (responses: readonly AnsweredExchange[], quota: Quota): boolean => {
  const served = responses.filter(isServed)
  const ofMinutes = served.flatMap((one) => minuteSaid(one) ?? [])
  const ofDays = served.flatMap((one) => daySaid(one) ?? [])
  return skips(ofMinutes, (max) => max >= quota.perMinute - 1) || skips(ofDays, () => true)
}

/** Why the first refusal need not be for the day; undefined if it is. */
const otherReason = (responses: readonly AnsweredExchange[], quota: Quota): string | undefined => {
  const refusals = responses.filter(isRefused)
  if (refusals.some(isOfMinute)) return 'it was refused for its minute'
  const isForDay = refusals.some((one) => daySaid(one))
  if (refusals.length > 1 && !isForDay) return 'several concurrent refusals may have caused a ban'
  if (!hasGaps(responses, quota)) return undefined
  return 'Remaining skipped numbers, so another client may have used the key'
}

/** @param responses up to the first refusal */
export const judgeDayFewer = (responses: readonly AnsweredExchange[], quota: Quota): Judgement => {
  const served = responses.filter(isServed)
  if (served.length >= quota.perDay) return holds
  // Other statuses are no refusals for the day, but bans or errors.
  const others = responses.filter((one) => !isServed(one) && !isRefused(one))
  const refusal = responses.find(isRefused)
  const [other] = others
  if (other && (!refusal || served.length + others.length >= quota.perDay)) {
    const why = `a request got ${statusCode(other)}, a ban or an error, before the day was spent`
    return unclear(why, [...served.slice(-1), other])
  }
  if (!refusal) return holds
  const evidence = [...served.slice(-1), refusal]
  const why = otherReason(responses, quota)
  if (why !== undefined) return unclear(why, evidence)
  return violation(`${quota.perDay} requests served in a day`, `${served.length} served`, evidence)
}
