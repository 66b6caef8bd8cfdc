// The experiment on a key's minute, of suites and load: two probes after a rest, a burst of more
// than is left, and whether that shows too much served, or too little. Pure functions.

import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import {
  areBefore,
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  type RateHeaders,
  spanMs,
  tokensIn,
  toMs,
} from '../../history/rate-headers.ts'
import type { LimitKey } from '../check/context.ts'

export interface Round {
  readonly key: LimitKey
  /** One at a time, on a rested key; the last one right before the burst. */
  readonly probes: readonly AnsweredExchange[]
  readonly burst: readonly AnsweredExchange[]
  /** Requests of the burst that got no response; they may have counted. */
  readonly lost: number
}

/** The pause between the probes. A bucket refills in it, and Reset shows how a log sets it. */
export const probePauseMs = 3_500
/** If Reset is this near the burst starts after it, so that no window ends during the burst. */
export const nearResetMs = 8_000

/** Neither served nor refused: failed, or unreadable. Whether it counted is not known. */
const failedIn = ({ burst }: Round): readonly AnsweredExchange[] =>
  burst.filter((one) => !isServed(one) && !isShutOut(one))

/** The headers of the last probe, where they are about the minute. */
const lastSaid = ({ probes }: Round): RateHeaders | undefined => {
  const last = probes.at(-1)
  return last && minuteSaid(last)
}

const fromLastProbe = ({ probes, burst }: Round): readonly AnsweredExchange[] => [
  ...probes.slice(-1),
  ...burst,
]

const servedOf = ({ probes, burst }: Round): readonly AnsweredExchange[] =>
  [...probes, ...burst].filter(isServed)

/** How many more requests were announced before the burst. */
export const announcedBy = (round: Round): number => {
  const { perMinute } = round.key.quota
  return Math.min(lastSaid(round)?.remaining ?? perMinute - round.probes.length, perMinute)
}

/** How many of a burst any design may grant. */
const maxGranted = (round: Round): number =>
  announcedBy(round) + maxRefill(round.key.quota.perMinute, minuteMs, spanMs(fromLastProbe(round)))

/**
 * Whether a call was over the limit by the server's own last Remaining: none was left in the
 * responses before it, and none of them is missing. A probe is none: what remained is its own word.
 */
export const isOverLimit = (round: Round, call: AnsweredExchange): boolean => {
  const before = round.burst.filter((one) => one !== call && toMs(one) <= fromMs(call))
  const remaining = before.flatMap((one) => minuteSaid(one)?.remaining ?? [])
  const own = minuteSaid(call)?.remaining ?? 0
  const isSpent =
    Math.min(...remaining) === 0 || before.filter(isServed).length >= announcedBy(round)
  return round.lost === 0 && own === 0 && isSpent && round.burst.includes(call)
}

/** Remaining in the served responses of the burst, from the highest to the lowest. */
const announcedIn = (round: Round): number[] =>
  round.burst
    .filter(isServed)
    .flatMap((one) => minuteSaid(one)?.remaining ?? [])
    .sort((a, b) => b - a)

/** By how much each call of a burst lowered Remaining, if by the same number each time. */
const stepOf = (numbers: readonly number[]): number | undefined => {
  const steps = new Set(numbers.slice(1).map((number, at) => (numbers[at] ?? 0) - number))
  const [step] = steps
  return steps.size === 1 && numbers.length >= 10 ? step : undefined
}

/** Values of Remaining that no response had: another client may have got them. */
const gapsIn = (round: Round): number => {
  const numbers = announcedIn(round)
  const [first] = numbers
  const last = numbers.at(-1)
  if (first === undefined || last === undefined) return 0
  const before = Math.max(0, announcedBy(round) - 1 - first)
  return before + (first - last + 1 - new Set(numbers).size)
}

/** Clocks drift a little. */
const graceMs = 3_000

export type Judgement =
  | { readonly kind: 'holds' }
  /** Nothing legal explains it; `weak`: something does, which a second round would not repeat. */
  | {
      readonly kind: 'violation' | 'weak'
      readonly expected: string
      readonly actual: string
      readonly evidence: readonly AnsweredExchange[]
    }
  /** Another client may have caused it. */
  | {
      readonly kind: 'unclear'
      readonly why: string
      readonly evidence: readonly AnsweredExchange[]
    }

const holds: Judgement = { kind: 'holds' }

const ends = (responses: readonly AnsweredExchange[]): AnsweredExchange[] =>
  [responses[0], responses.at(-1)].filter((one) => one !== undefined)

/** The most that was served in one window that the server itself declared. */
const largestWindow = (round: Round): readonly AnsweredExchange[] => {
  const served = servedOf(round).filter(minuteSaid)
  const windows = Map.groupBy(served, (one) => minuteSaid(one)?.reset)
  return [...windows.values()].sort((a, b) => b.length - a.length)[0] ?? []
}

/** Not more in one window that the server itself declared, by its Reset. */
export const judgeWindows = (round: Round): Judgement => {
  const { perMinute } = round.key.quota
  const window = largestWindow(round)
  if (window.length <= perMinute) return holds
  const most = perMinute + tokensIn(perMinute, minuteMs, spanMs(window))
  if (window.length <= most) return holds
  const actual = `${window.length} served in one window, by its Reset`
  const expected = `at most ${most} requests served in a window`
  return { kind: 'violation', expected, actual, evidence: ends(window) }
}

/** In any span that is shorter than a window, no design grants more than two of them. */
export const judgeTwoWindows = ({ key }: Round, served: readonly AnsweredExchange[]): Judgement => {
  const most = 2 * key.quota.perMinute
  if (served.length <= most || spanMs(served) >= minuteMs - graceMs) return holds
  const expected = `at most ${most} requests served in less than a minute`
  const actual = `${served.length} served within ${Math.ceil(spanMs(served))} ms`
  return { kind: 'violation', expected, actual, evidence: ends(served) }
}

/** Whether the burst ended before the first Reset that was announced to it. */
const isInOneWindow = (round: Round): boolean => {
  const said = lastSaid(round)
  return said !== undefined && areBefore(round.burst, said.reset)
}

/** Whether more was served than any design grants. */
export const judgeMore = (round: Round): Judgement => {
  const windows = judgeWindows(round)
  if (windows.kind === 'violation') return windows
  const served = round.burst.filter(isServed)
  const two = judgeTwoWindows(round, served)
  if (two.kind === 'violation') return two
  const most = maxGranted(round)
  if (served.length <= most) return holds
  const expected = `at most ${most} more served, as ${announcedBy(round)} were announced`
  const actual = `${served.length} served within ${Math.ceil(spanMs(fromLastProbe(round)))} ms`
  const evidence = [...round.probes.slice(-1), ...ends(served)]
  return { kind: isInOneWindow(round) ? 'violation' : 'weak', expected, actual, evidence }
}

/** A server may announce what was left before a call, or what is left after it. */
const maxAhead = 1

/**
 * Whether all that was served lowered one Remaining. A count per connection or node shows although
 * no quota is exceeded: none of them falls as far as one count of all would.
 */
export const judgeOneCount = (round: Round): Judgement => {
  const served = round.burst.filter(isServed)
  const numbers = announcedIn(round)
  // Where some speak of the day, those may be the lowest.
  if (numbers.length < served.length || lastSaid(round) === undefined) return holds
  const lowest = numbers.at(-1)
  const left = Math.max(0, maxGranted(round) - served.length)
  if (lowest === undefined || lowest <= left + maxAhead) return holds
  const shows = served.find((one) => minuteSaid(one)?.remaining === lowest)
  const of = `${served.length} of ${announcedBy(round)} were served`
  const expected = `a Remaining of at most ${left} in one of the responses, as ${of}`
  const actual = `the lowest of them was ${lowest}`
  const evidence = [...round.probes.slice(-1), ...(shows ? [shows] : [])]
  return { kind: isInOneWindow(round) ? 'violation' : 'weak', expected, actual, evidence }
}

const tooFew = (round: Round, expected: string, actual: string): Judgement => {
  const refused = [...round.probes, ...round.burst].find(isRefused)
  const evidence = [...round.probes.slice(-1), ...(refused ? [refused] : [])]
  return { kind: 'violation', expected, actual, evidence }
}

const weakly = (judgement: Judgement): Judgement =>
  judgement.kind === 'violation' ? { ...judgement, kind: 'weak' } : judgement

/** What failed, is unreadable, or got no response was not refused, and may have counted. */
const unknown = (round: Round): Judgement => {
  const [first] = failedIn(round)
  const kinds = [
    ...(first ? [`${failedIn(round).length} failed (${statusCode(first)})`] : []),
    ...(round.lost > 0 ? [`${round.lost} got no answer`] : []),
  ]
  const why = `of the burst ${kinds.join(' and ')}, and may have counted`
  return { kind: 'unclear', why, evidence: first ? [first] : ends(round.burst) }
}

/** Fewer were served than the last probe announced. */
const judgeMissing = (round: Round, served: number, missing: number): Judgement => {
  const expected = `${announcedBy(round)} more served, as was announced`
  const violation = tooFew(round, expected, `${served} served, then 429`)
  // Each call may count twice, but no other client calls exactly between any two of ours.
  if ((stepOf(announcedIn(round)) ?? 1) > 1) return violation
  if (gapsIn(round) > 0) {
    const why = 'Remaining skipped numbers, so another client may have used the key'
    return { kind: 'unclear', why, evidence: ends(round.burst) }
  }
  return missing > 1 ? violation : weakly(violation)
}

/** @param round on a key that rested before it, and in which something was refused */
export const judgeFewer = (round: Round): Judgement => {
  const { perMinute } = round.key.quota
  const expected = `${perMinute} requests served after a rest of two windows`
  const failed = failedIn(round).length
  if (!round.probes.every(isServed)) {
    const before = round.probes.length - 1
    const status = statusCode(round.probes[before] as AnsweredExchange)
    if (status === 429) return weakly(tooFew(round, expected, `${before} served, then ${status}`))
    const why = `a rested key was answered ${status}, which says nothing of its quota`
    return { kind: 'unclear', why, evidence: round.probes }
  }
  const served = round.burst.filter(isServed).length
  const all = servedOf(round).length
  const missing = announcedBy(round) - served
  if (round.lost > 0) return unknown(round)
  if (missing > 0 && lastSaid(round)) {
    const isSure = missing > failed && round.burst.some(isRefused)
    return isSure ? judgeMissing(round, served, missing - failed) : unknown(round)
  }
  if (all + failed >= perMinute) return holds
  return weakly(tooFew(round, expected, `${all} served`))
}
