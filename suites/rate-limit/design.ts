// What the numbers of a key show of its limiter: how calls come back. Pure: derived from the calls
// of one key.

import type { AnsweredExchange } from '../../history/exchange.ts'
import { minuteMs } from '../../history/rate-headers.ts'
import { type Call, readCalls } from '../../model/limiter/calls.ts'

/** Replicas may round a Reset up or down. */
const sameResetS = 2
const minWindows = 3
/** From the first call to its Reset, both rounded. */
const maxRoundingMs = 2_500

/** Whether fixed windows begin at a certain second of the minute, or at the first call. */
const placed = (calls: readonly Call[]): string => {
  const ofMinute = calls.filter((call) => call.served && call.window?.name === 'minute')
  const windows = ofMinute.filter(({ reset }, at) => {
    const before = ofMinute.slice(0, at).map((call) => call.reset)
    return reset > Math.max(...before) + sameResetS
  })
  const isAt = (phase: number) =>
    windows.every(({ reset }) => {
      const apart = Math.abs((reset % 60) - phase)
      return Math.min(apart, 60 - apart) <= 1
    })
  const [first] = windows
  if (!first || windows.length < minWindows) return 'inconclusive'
  if (isAt(0)) return 'fixed window on the clock'
  if (isAt(first.reset % 60)) return 'fixed window off the clock'
  const isFromFirst = windows.every(({ reset, clocksMs }) => {
    const aheadMs = reset * 1_000 - (clocksMs.at(-1) ?? 0)
    return Math.abs(aheadMs - minuteMs) <= maxRoundingMs
  })
  return isFromFirst ? 'fixed window from the first request' : 'inconclusive'
}

/** The calls since the key was whole, before one of them was refused, until its next long rest. */
const sinceWhole = (calls: readonly Call[], refusedSeq: number): readonly Call[] => {
  const first = calls.findLast(
    (call) =>
      call.seq < refusedSeq &&
      call.window?.name === 'minute' &&
      call.remaining === call.window.limit - 1 &&
      call.silentMs >= minuteMs,
  )
  if (!first) return []
  const next = calls.find((call) => call.seq > refusedSeq && call.silentMs >= 2 * minuteMs)
  return calls.slice(first.place, next?.place)
}

/** In so much time a bucket of the plan gives a call back. */
const pauseMs = 2_000

/**
 * The design that a burst shows: two calls after a rest, with a pause between them, all others at
 * once, and one after the stated wait. A bucket gives back in the pause; a window all at its end; a
 * log or a counter some, and not before a minute has passed.
 * @param responses all responses to the key, in order
 * @param refusedSeq the number of a refusal among them
 */
export const inferDesign = (responses: readonly AnsweredExchange[], refusedSeq: number): string => {
  const all = readCalls(responses.toSorted((a, b) => a.seq - b.seq))
  const own = sinceWhole(all, refusedSeq).filter(({ served, window }) => served && window)
  const [first, second] = own.filter(({ quiet }) => quiet)
  const back = own.find(({ seq }) => seq > refusedSeq)
  if (!first || !second || !back) return 'inconclusive'
  const isPaused = second.seq < refusedSeq && second.fromMs - first.toMs >= pauseMs
  // The Reset of a window that ends in the pause moves by a minute.
  const isOneWindow = (second.reset - first.reset) * 1_000 < minuteMs / 2
  if (isPaused && isOneWindow && second.remaining >= first.remaining) return 'token bucket'
  const isSteady = own.every(
    ({ seq, reset }) => seq > refusedSeq || Math.abs(reset - first.reset) <= sameResetS,
  )
  if (back.remaining === first.remaining) return isSteady ? placed(all) : 'inconclusive'
  return back.toMs - first.fromMs >= minuteMs ? 'sliding window' : 'inconclusive'
}
