// The experiment on a key's minute: two probes after a rest, and a burst of more than is left.

import type { LimitKey } from '../context.ts'
import type { Answered } from '../exchange.ts'
import {
  fromMs,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
  toMs,
} from './key-minute.ts'

export interface Round {
  readonly key: LimitKey
  /** One at a time, on a rested key; the last one right before the burst. */
  readonly probes: readonly Answered[]
  readonly burst: readonly Answered[]
  /** Requests of the burst that got no answer; they may have counted. */
  readonly lost: number
}

/** Neither served nor refused: what failed, or cannot be read. Whether it counted is not known. */
export const failedIn = ({ burst }: Round): readonly Answered[] =>
  burst.filter((one) => !isServed(one) && !isShutOut(one))

/**
 * Whether a call was over the limit by the server's own last Remaining: none was left in the
 * answers before it, and none of them is missing.
 */
export const isOverLimit = (round: Round, call: Answered): boolean => {
  const { quota } = round.key
  const before = round.burst.filter((one) => one !== call && toMs(one) <= fromMs(call))
  const told = before.flatMap((one) => minuteSaid(one, quota)?.remaining ?? [])
  const own = minuteSaid(call, quota)?.remaining ?? 0
  const isSpent = Math.min(...told) === 0 || before.filter(isServed).length >= announcedBy(round)
  return round.lost === 0 && own === 0 && isSpent
}

/** How many were announced before the burst. */
export const announcedBy = ({ key, probes }: Round): number => {
  const { quota } = key
  const last = probes.at(-1)
  const said = last && minuteSaid(last, quota)
  return Math.min(said?.remaining ?? quota.perMinute - probes.length, quota.perMinute)
}

/** How many of a burst any design may grant. */
export const mostOf = (round: Round): number => {
  const { perMinute } = round.key.quota
  const all = [...round.probes.slice(-1), ...round.burst]
  return announcedBy(round) + refillOf(perMinute, minuteMs, spanMs(all))
}
