// Whether a day was served too much or too little. Pure: from answers in turn to words.

import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import type { Judgement } from '../../engine/quota/judgements.ts'
import type { RateHeaders } from '../../engine/quota/rate-headers.ts'
import type { Quota } from '../../spec/plans.ts'
import {
  dayMs,
  daySaid,
  fromMs,
  isRefused,
  isServed,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
  toMs,
  waitOf,
} from './reading.ts'

const holds: Judgement = { kind: 'holds' }

/** What any design may serve in the span of these answers, which lies within one day. */
export const dayMost = (answers: readonly Answered[], { perDay }: Quota): number =>
  perDay + (answers.length === 0 ? 0 : refillOf(perDay, dayMs, spanMs(answers)))

/** More served in a declared day, after an answer in it, than that answer said would remain. */
const overAnnounced = (answers: readonly Answered[], quota: Quota): Answered[] | undefined => {
  const ofDay = answers.filter((one) => isServed(one) && daySaid(one, quota))
  for (const before of ofDay) {
    const said = daySaid(before, quota) as RateHeaders
    const after = ofDay.filter(
      (one) => fromMs(one) >= toMs(before) && daySaid(one, quota)?.reset === said.reset,
    )
    const last = after.at(-1)
    if (last && after.length > said.remaining) return [before, last]
  }
  return undefined
}

export const judgeDayMore = (answers: readonly Answered[], quota: Quota): Judgement => {
  const served = answers.filter(isServed)
  const over = overAnnounced(answers, quota)
  const expected = `at most ${quota.perDay} requests served in a day`
  const actual = `${served.length} served`
  if (over) {
    const more = `${actual}, and more than one answer said would remain`
    return { kind: 'breach', expected, actual: more, evidence: over }
  }
  if (served.length <= dayMost(answers, quota)) return holds
  return { kind: 'breach', expected, actual, evidence: served.slice(-1) }
}

/** Whether a refusal speaks of the minute, so that the day has nothing to do with it. */
const isOfMinute = (refusal: Answered, quota: Quota): boolean => {
  const wait = waitOf(refusal)
  const isShort = 'ms' in wait && wait.ms <= 2 * minuteMs
  return minuteSaid(refusal, quota) !== undefined && isShort
}

/** Numbers of declared windows that nobody was told: another client may have been. */
const skips = (said: readonly RateHeaders[], isWhole: (most: number) => boolean): boolean =>
  [...Map.groupBy(said, ({ reset }) => reset).values()].some((numbers) => {
    const all = new Set(numbers.map(({ remaining }) => remaining))
    const most = Math.max(...all)
    return most - Math.min(...all) + 1 > all.size || !isWhole(most)
  })

/** A minute begins with all its calls but one; of a day the first answers need not speak. */
const hasGaps = (answers: readonly Answered[], quota: Quota): boolean => {
  const served = answers.filter(isServed)
  const ofMinutes = served.flatMap((one) => minuteSaid(one, quota) ?? [])
  const ofDays = served.flatMap((one) => daySaid(one, quota) ?? [])
  return skips(ofMinutes, (most) => most >= quota.perMinute - 1) || skips(ofDays, () => true)
}

/** What is no 429 is no refusal for the day: a ban, a failure, a body that cannot be read. */
const otherThanRefused = (answers: readonly Answered[]): readonly Answered[] =>
  answers.filter((one) => !isServed(one) && !isRefused(one))

/** Why the first refusal need not be one for the day; undefined: it is. */
const otherReason = (answers: readonly Answered[], quota: Quota): string | undefined => {
  const refusals = answers.filter(isRefused)
  if (refusals.some((one) => isOfMinute(one, quota))) return 'it was refused for its minute'
  const isSaid = refusals.some((one) => daySaid(one, quota))
  if (refusals.length > 1 && !isSaid) return 'several refusals at once may have drawn a ban'
  if (!hasGaps(answers, quota)) return undefined
  return 'Remaining skipped numbers, so another client may have used the key'
}

/** @param answers up to the first refusal */
export const judgeDayFewer = (answers: readonly Answered[], quota: Quota): Judgement => {
  const served = answers.filter(isServed)
  if (served.length >= quota.perDay) return holds
  const others = otherThanRefused(answers)
  const refusal = answers.find(isRefused)
  const [other] = others
  if (other && (!refusal || served.length + others.length >= quota.perDay)) {
    const why = `it was answered ${statusOf(other)}, a ban or a failure, before its day was spent`
    return { kind: 'unclear', why, evidence: [...served.slice(-1), other] }
  }
  if (!refusal) return holds
  const evidence = [...served.slice(-1), refusal]
  const why = otherReason(answers, quota)
  if (why !== undefined) return { kind: 'unclear', why, evidence }
  const expected = `${quota.perDay} requests served in a day, after a rest of two`
  return { kind: 'breach', expected, actual: `${served.length} served`, evidence }
}
