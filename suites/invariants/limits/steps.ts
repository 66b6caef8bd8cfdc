// Steps: two calls of a key, one straight after the other, and by how much Remaining fell.
import type { Trace } from '../../../engine/check.ts'
import type { Call } from './calls.ts'
import { areAlike, callsIn, isBefore } from './calls.ts'

export interface Step {
  readonly from: Call
  readonly to: Call
  readonly fall: number
  /** Real time from sending the first to having the answer to the second. */
  readonly spanMs: number
  /** Of that, how long the caller kept silent in between. */
  readonly silentMs: number
}

const silentMs = (from: Call, to: Call) => to.exchange.sentMs - from.exchange.receivedMs
const realSpanMs = (from: Call, to: Call) => to.exchange.receivedMs - from.exchange.sentMs

const isRefusal = ({ refused }: Call) => refused

const stepsOf = (calls: readonly Call[]): Step[] => {
  let endedMs = Number.NEGATIVE_INFINITY
  return calls.flatMap((to, place): Step[] => {
    const from = calls[place - 1]
    const earlierEndedMs = endedMs
    endedMs = Math.max(endedMs, from?.toMs ?? endedMs)
    // With no number between them nothing else was sent, with any key or with none.
    if (!from || to.seq !== from.seq + 1 || !isBefore(from, to)) return []
    const isAlone =
      earlierEndedMs <= from.fromMs && to.toMs <= (calls[place + 1]?.fromMs ?? to.toMs)
    if (!isAlone) return []
    if (!to.served || isRefusal(from) || !areAlike(from, to)) return []
    const fall = (from.said?.remaining ?? 0) - (to.said?.remaining ?? 0)
    return [{ from, to, fall, spanMs: realSpanMs(from, to), silentMs: silentMs(from, to) }]
  })
}

const known = new WeakMap<Trace, Map<string, Step[]>>()

/** The steps of a key that end in a served call. */
export const stepsWith = (key: string | null, trace: Trace): readonly Step[] => {
  const byKey = known.get(trace) ?? new Map<string, Step[]>()
  known.set(trace, byKey)
  const steps = byKey.get(key ?? '') ?? stepsOf(callsIn(trace).byKey.get(key ?? '') ?? [])
  byKey.set(key ?? '', steps)
  return steps
}

/** By how much Remaining fell beyond all that was sent meanwhile, with whatever key. */
const isBeyond = (from: Call, to: Call, calls: readonly Call[]): boolean => {
  const fall = (from.said?.remaining ?? 0) - (to.said?.remaining ?? 0)
  if (fall <= to.seq - from.seq) return false
  const underWay = calls.filter(
    ({ seq, fromMs, toMs }) =>
      (seq < from.seq && toMs > from.fromMs) || (seq > to.seq && fromMs < to.toMs),
  )
  return fall > to.seq - from.seq + underWay.length
}

/** Answers may speak of the minute and of the day in turn: each is compared with its like. */
const fellBeyond = (calls: readonly Call[]): boolean => {
  const latest = new Map<number, Call>()
  return calls.some((to) => {
    if (!to.said || !to.served) return false
    const from = latest.get(to.said.limit)
    latest.set(to.said.limit, to)
    return from !== undefined && isBefore(from, to) && isBeyond(from, to, calls)
  })
}

const felt = new WeakMap<Trace, Map<string, boolean>>()

/** Whether Remaining ever fell by more than was sent. */
const wasBeyond = (key: string | null, trace: Trace): boolean => {
  const byKey = felt.get(trace) ?? new Map<string, boolean>()
  felt.set(trace, byKey)
  const own = byKey.get(key ?? '') ?? fellBeyond(callsIn(trace).byKey.get(key ?? '') ?? [])
  byKey.set(key ?? '', own)
  return own
}

/**
 * Whether others use a key: it is said so, or Remaining fell by more than was sent. What a server
 * counts twice looks the same, and is judged by `remaining-falls-by-one`.
 */
export const mayBeShared = (key: string | null, trace: Trace): boolean =>
  trace.shared || stepsWith(key, trace).some(({ fall }) => fall > 1) || wasBeyond(key, trace)
