// Whether a day was served too much or too little. Pure: from answers in turn to words.
import type { Quota } from '../../spec/plans.ts'
import type { Answered } from '../kit/exchange.ts'
import type { Judgement } from '../kit/quota/quota-judgements.ts'
import type { RateHeaders } from '../kit/quota/rate-headers.ts'
import {
  dayMs,
  daySaid,
  fromMs,
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

/** @param answers up to the first refusal */
export const judgeDayFewer = (answers: readonly Answered[], quota: Quota): Judgement => {
  const refusal = answers.find((one) => !isServed(one))
  const served = answers.filter(isServed).length
  if (!refusal || served >= quota.perDay) return holds
  const evidence = [...answers.filter(isServed).slice(-1), refusal]
  if (isOfMinute(refusal, quota)) {
    return { kind: 'unclear', why: 'it was refused for its minute', evidence }
  }
  if (hasGaps(answers, quota)) {
    const why = 'Remaining skipped numbers, so another client may have used the key'
    return { kind: 'unclear', why, evidence }
  }
  const expected = `${quota.perDay} requests served in a day, after a rest of two`
  return { kind: 'breach', expected, actual: `${served} served`, evidence }
}
