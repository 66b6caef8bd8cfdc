// The experiment on a key's minute: two probes after a rest, and a burst of more than is left.
import type { Answered } from '../exchange.ts'
import { minuteMs, minuteSaid, refillOf, spanMs } from './key-minute.ts'
import type { LimitKey } from './limits.ts'

export interface Round {
  readonly key: LimitKey
  /** One at a time, on a rested key; the last one right before the burst. */
  readonly probes: readonly Answered[]
  readonly burst: readonly Answered[]
  /** Requests of the burst that got no answer; they may have counted. */
  readonly lost: number
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
