// By how much Remaining fell between two calls of a key, and whether others use the key.

import { memoized } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { type Call, isBefore } from '../../model/limiter/calls.ts'
import { listCalls } from '../../model/limiter/relation.ts'

const fallOf = (from: Call, to: Call): number => from.remaining - to.remaining

/** Whether both are about the same kind of window. */
const areAlike = (a: Call, b: Call): boolean =>
  a.window !== undefined && a.window.name === b.window?.name

const fallsOf = (calls: readonly Call[]): readonly number[] => {
  let endedMs = Number.NEGATIVE_INFINITY
  return calls.flatMap((to, place) => {
    const from = calls[place - 1]
    const earlierEndedMs = endedMs
    endedMs = Math.max(endedMs, from?.toMs ?? endedMs)
    // With consecutive numbers nothing else was sent in between, with any key or none.
    if (!from || to.seq !== from.seq + 1 || !isBefore(from, to)) return []
    const nextMs = calls[place + 1]?.fromMs ?? to.toMs
    if (earlierEndedMs > from.fromMs || to.toMs > nextMs) return []
    if (!to.served || from.refused || !areAlike(from, to)) return []
    return [fallOf(from, to)]
  })
}

/** Derives something from the calls of each key once. */
const byKey = <Value>(derive: (calls: readonly Call[]) => Value) => {
  const derived = memoized((calls: readonly Call[]) => derive(calls))
  return (key: string | null, trace: History): Value => derived(listCalls(key, trace))
}

/** By how much Remaining of a key fell with each call that was served right after another. */
export const fallsWith = byKey(fallsOf)

/** Whether Remaining fell by more than all that was sent meanwhile, with any key. */
const isBeyond = (from: Call, to: Call, calls: readonly Call[]): boolean => {
  const fall = fallOf(from, to)
  if (fall <= to.seq - from.seq) return false
  const inFlight = calls.filter(
    ({ seq, fromMs, toMs }) =>
      (seq < from.seq && toMs > from.fromMs) || (seq > to.seq && fromMs < to.toMs),
  )
  return fall > to.seq - from.seq + inFlight.length
}

/** Responses may be about the minute and the day in turn: like is compared with like. */
const fellBeyond = (calls: readonly Call[]): boolean => {
  const latest = new Map<number, Call>()
  return calls.some((to) => {
    if (!to.window || !to.served) return false
    const from = latest.get(to.window.limit)
    latest.set(to.window.limit, to)
    return from !== undefined && isBefore(from, to) && isBeyond(from, to, calls)
  })
}

const wasBeyond = byKey(fellBeyond)

/**
 * Whether other clients may use a key: as configured, or because Remaining fell by more than was
 * sent. A server that counts twice looks the same; `remaining-falls-by-one` judges it.
 */
export const mayBeShared = (key: string | null, trace: History): boolean =>
  trace.shared || fallsWith(key, trace).some((fall) => fall > 1) || wasBeyond(key, trace)
