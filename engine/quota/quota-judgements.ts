// Whether a round shows that a key was served too much or too little. Pure: from answers to words.
import type { Answered } from '../exchange.ts'
import {
  areBefore,
  isServed,
  minuteMs,
  minuteSaid,
  spanMs,
  tokenMs,
  tokensIn,
} from './key-minute.ts'
import type { Round } from './round.ts'
import { announcedBy, mostOf } from './round.ts'

/** Clocks run apart a little. */
const graceMs = 3_000

export type Judgement =
  | { readonly kind: 'holds' }
  /** Nothing legal explains it; or, if `weak`, something does, which a second round would not. */
  | {
      readonly kind: 'breach' | 'weak'
      readonly expected: string
      readonly actual: string
      readonly evidence: readonly Answered[]
    }
  /** It may well be another client's doing. */
  | {
      readonly kind: 'unclear'
      readonly why: string
      readonly evidence: readonly Answered[]
    }

export const holds: Judgement = { kind: 'holds' }

export const servedOf = ({ probes, burst }: Round) => [...probes, ...burst].filter(isServed)

/** The most that was served in one window that the server itself declared. */
const largestWindow = (round: Round): readonly Answered[] => {
  const served = servedOf(round).filter((one) => minuteSaid(one, round.key.quota))
  const windows = Map.groupBy(served, (one) => minuteSaid(one, round.key.quota)?.reset)
  return [...windows.values()].sort((a, b) => b.length - a.length)[0] ?? []
}

export const ends = (answers: readonly Answered[]): Answered[] =>
  [answers[0], answers.at(-1)].filter((one) => one !== undefined)

/** No more in one window that the server itself declared, by its Reset. */
export const judgeWindows = (round: Round): Judgement => {
  const { perMinute } = round.key.quota
  const window = largestWindow(round)
  if (window.length <= perMinute) return holds
  const most = perMinute + tokensIn(perMinute, minuteMs, spanMs(window))
  if (window.length <= most) return holds
  const actual = `${window.length} served in one window, by its Reset`
  const expected = `at most ${most} requests served in a window`
  return { kind: 'breach', expected, actual, evidence: ends(window) }
}

/** In any span that is shorter than a window, no design grants more than two of them. */
const judgeTwoWindows = ({ key }: Round, served: readonly Answered[]): Judgement => {
  const most = 2 * key.quota.perMinute
  if (served.length <= most || spanMs(served) >= minuteMs - graceMs) return holds
  const expected = `at most ${most} requests served in less than a minute`
  const actual = `${served.length} served within ${Math.ceil(spanMs(served))} ms`
  return { kind: 'breach', expected, actual, evidence: ends(served) }
}

export const judgeMore = (round: Round): Judgement => {
  const windows = judgeWindows(round)
  if (windows.kind === 'breach') return windows
  const served = round.burst.filter(isServed)
  const two = judgeTwoWindows(round, served)
  if (two.kind === 'breach') return two
  const most = mostOf(round)
  if (served.length <= most) return holds
  const all = [...round.probes.slice(-1), ...round.burst]
  const expected = `at most ${most} more served, as ${announcedBy(round)} were announced`
  const actual = `${served.length} served within ${Math.ceil(spanMs(all))} ms`
  const evidence = [...round.probes.slice(-1), ...ends(served)]
  return { kind: isInOneWindow(round) ? 'breach' : 'weak', expected, actual, evidence }
}

/** How many are missing at the probes that were not ours; to a bucket only the last is missing. */
const othersIn = (round: Round): number => {
  const last = round.probes.at(-1)
  const said = last && minuteSaid(last, round.key.quota)
  const ours = said && said.resetInMs <= tokenMs ? 1 : round.probes.length
  return round.key.quota.perMinute - ours - announcedBy(round)
}

/**
 * The same where another client may have called before. What is left of its calls comes back with
 * time, in a log as fast as they were made, and the last fraction of a call in no time: so as many
 * more prove nothing.
 */
export const judgeMoreBeside = (round: Round): Judgement => {
  const served = round.burst.filter(isServed)
  const numbers = announcedIn(round)
  const fallen = numbers.filter((number) => number < announcedBy(round))
  // What comes back from others slows the fall; a number that rises with the calls is the server's.
  const isFalling = 2 * fallen.length >= numbers.length
  const isExplained = isFalling && served.length <= mostOf(round) + othersIn(round)
  if (!isExplained || judgeWindows(round).kind === 'breach') {
    return judgeMore(round)
  }
  if (served.length <= mostOf(round)) return judgeMore(round)
  const why = 'what was served beyond the announced may be calls of another client that came back'
  return { kind: 'unclear', why, evidence: ends(served) }
}

/** Whether the burst ended before the first reset that it was told of. */
const isInOneWindow = (round: Round): boolean => {
  const last = round.probes.at(-1)
  const said = last && minuteSaid(last, round.key.quota)
  return said !== undefined && areBefore(round.burst, said.reset)
}

/** The numbers that the served answers of the burst announced, from the most to the least. */
export const announcedIn = (round: Round): number[] =>
  round.burst
    .filter(isServed)
    .flatMap((one) => minuteSaid(one, round.key.quota)?.remaining ?? [])
    .sort((a, b) => b - a)

/** By how much each call of a burst made Remaining fall, if by the same number each time. */
export const stepOf = (numbers: readonly number[]): number | undefined => {
  const steps = new Set(numbers.slice(1).map((number, at) => (numbers[at] ?? 0) - number))
  const [step] = steps
  return steps.size === 1 && numbers.length >= 10 ? step : undefined
}

/** Numbers that nobody was told: another client may have been. */
export const gapsIn = (round: Round): number => {
  const numbers = announcedIn(round)
  const [first] = numbers
  const last = numbers.at(-1)
  if (first === undefined || last === undefined) return 0
  const before = Math.max(0, announcedBy(round) - 1 - first)
  return before + (first - last + 1 - new Set(numbers).size)
}
