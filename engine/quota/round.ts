// The experiment on a key's minute: two probes after a rest, and a burst of more than is left.

import type { LimitKey } from '../context.ts'
import type { AnsweredExchange } from '../exchange.ts'
import {
  fromMs,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  type RateHeaders,
  refillOf,
  spanMs,
  toMs,
} from './rate-headers.ts'

export interface Round {
  readonly key: LimitKey
  /** One at a time, on a rested key; the last one right before the burst. */
  readonly probes: readonly AnsweredExchange[]
  readonly burst: readonly AnsweredExchange[]
  /** Requests of the burst that got no response; they may have counted. */
  readonly lost: number
}

/** Neither served nor refused: failed, or unreadable. Whether it counted is not known. */
export const failedIn = ({ burst }: Round): readonly AnsweredExchange[] =>
  burst.filter((one) => !isServed(one) && !isShutOut(one))

/** The headers of the last probe, where they are about the minute. */
export const lastSaid = ({ key, probes }: Round): RateHeaders | undefined => {
  const last = probes.at(-1)
  return last && minuteSaid(last, key.quota)
}

export const fromLastProbe = ({ probes, burst }: Round): readonly AnsweredExchange[] => [
  ...probes.slice(-1),
  ...burst,
]

export const servedOf = ({ probes, burst }: Round): readonly AnsweredExchange[] =>
  [...probes, ...burst].filter(isServed)

/** How many more requests were announced before the burst. */
export const announcedBy = (round: Round): number => {
  const { perMinute } = round.key.quota
  return Math.min(lastSaid(round)?.remaining ?? perMinute - round.probes.length, perMinute)
}

/** How many of a burst any design may grant. */
export const maxGranted = (round: Round): number =>
  announcedBy(round) + refillOf(round.key.quota.perMinute, minuteMs, spanMs(fromLastProbe(round)))

/**
 * Whether a call was over the limit by the server's own last Remaining: none was left in the
 * responses before it, and none of them is missing.
 */
export const isOverLimit = (round: Round, call: AnsweredExchange): boolean => {
  const { quota } = round.key
  const before = round.burst.filter((one) => one !== call && toMs(one) <= fromMs(call))
  const remaining = before.flatMap((one) => minuteSaid(one, quota)?.remaining ?? [])
  const own = minuteSaid(call, quota)?.remaining ?? 0
  const isSpent =
    Math.min(...remaining) === 0 || before.filter(isServed).length >= announcedBy(round)
  return round.lost === 0 && own === 0 && isSpent
}

/** Remaining in the served responses of the burst, from the highest to the lowest. */
export const announcedIn = (round: Round): number[] =>
  round.burst
    .filter(isServed)
    .flatMap((one) => minuteSaid(one, round.key.quota)?.remaining ?? [])
    .sort((a, b) => b - a)

/** By how much each call of a burst lowered Remaining, if by the same number each time. */
export const stepOf = (numbers: readonly number[]): number | undefined => {
  const steps = new Set(numbers.slice(1).map((number, at) => (numbers[at] ?? 0) - number))
  const [step] = steps
  return steps.size === 1 && numbers.length >= 10 ? step : undefined
}

/** Values of Remaining that no response had: another client may have got them. */
export const gapsIn = (round: Round): number => {
  const numbers = announcedIn(round)
  const [first] = numbers
  const last = numbers.at(-1)
  if (first === undefined || last === undefined) return 0
  const before = Math.max(0, announcedBy(round) - 1 - first)
  return before + (first - last + 1 - new Set(numbers).size)
}

export const cutIn = (round: Round): number =>
  lastSaid(round) ? announcedBy(round) - round.burst.filter(isServed).length : 0

export const missingIn = (round: Round): number =>
  round.key.quota.perMinute - servedOf(round).length
