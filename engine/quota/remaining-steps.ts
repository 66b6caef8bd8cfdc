// Steps between two calls of a key: by how much Remaining fell, and whether others use the key.

import type { Trace } from '../check/declare.ts'
import { type AnsweredExchange, memoized } from '../check/exchange.ts'
import { areAlike, type Call, isBefore, listCalls } from './calls.ts'

export interface Step {
  readonly from: Call
  readonly to: Call
  readonly fall: number
  /** Real time from sending the first to receiving the second response. */
  readonly spanMs: number
  /** How much of that is the pause in between. */
  readonly silentMs: number
}

const fallOf = (from: Call, to: Call) => (from.said?.remaining ?? 0) - (to.said?.remaining ?? 0)

const stepsOf = (calls: readonly Call[]): Step[] => {
  let endedMs = Number.NEGATIVE_INFINITY
  return calls.flatMap((to, place): Step[] => {
    const from = calls[place - 1]
    const earlierEndedMs = endedMs
    endedMs = Math.max(endedMs, from?.toMs ?? endedMs)
    // With consecutive numbers nothing else was sent in between, with any key or none.
    if (!from || to.seq !== from.seq + 1 || !isBefore(from, to)) return []
    const nextMs = calls[place + 1]?.fromMs ?? to.toMs
    if (earlierEndedMs > from.fromMs || to.toMs > nextMs) return []
    if (!to.served || from.refused || !areAlike(from, to)) return []
    const spanMs = to.exchange.receivedMs - from.exchange.sentMs
    const silentMs = to.exchange.sentMs - from.exchange.receivedMs
    return [{ from, to, fall: fallOf(from, to), spanMs, silentMs }]
  })
}

/** Derives something from the calls of each key once. */
const byKey = <Value>(derive: (calls: readonly Call[]) => Value) => {
  const derived = memoized((calls: readonly Call[]) => derive(calls))
  return (key: string | null, trace: Trace): Value => derived(listCalls(key, trace))
}

/** The steps of a key that end in a served call. */
export const stepsWith: (key: string | null, trace: Trace) => readonly Step[] = byKey(stepsOf)

const stepsByEnd = memoized(
  (steps: readonly Step[]) => new Map(steps.map((step) => [step.to.exchange, step])),
)

export const stepTo = (exchange: AnsweredExchange, trace: Trace): Step | undefined =>
  stepsByEnd(stepsWith(exchange.key, trace)).get(exchange)

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
    if (!to.said || !to.served) return false
    const from = latest.get(to.said.limit)
    latest.set(to.said.limit, to)
    return from !== undefined && isBefore(from, to) && isBeyond(from, to, calls)
  })
}

const wasBeyond = byKey(fellBeyond)

/**
 * Whether other clients may use a key: as configured, or because Remaining fell by more than was
 * sent. A server that counts twice looks the same; `remaining-falls-by-one` judges it.
 */
export const mayBeShared = (key: string | null, trace: Trace): boolean =>
  trace.shared || stepsWith(key, trace).some(({ fall }) => fall > 1) || wasBeyond(key, trace)

/** Steps closer together than this leave little room for calls of another client. */
const quickMs = 1_000
/** How many quick steps, and which share of them, make a habit. */
const habit = { steps: 5, share: 0.8 }
/** A pause so many times as long as a step, in which Remaining fell no further. */
const pauseFactor = 5

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const methodOf = ({ to }: Step): string => to.exchange.apiRequest.method

/** The quick steps of one kind of call, if they are enough for a habit to show. */
const quickOf = (all: readonly Step[], method: string): readonly Step[] => {
  const quick = all.filter((step) => methodOf(step) === method && step.spanMs <= quickMs)
  return quick.length < habit.steps ? [] : quick
}

const arePart = (some: readonly Step[], quick: readonly Step[]): boolean =>
  some.length >= habit.share * quick.length

/**
 * Whether the server takes more than one with a call. The calls of other clients grow with time;
 * what the server takes is the same with each call, also after a pause. The pause must be ours: a
 * slow server slows other clients down too.
 */
export const isHabit = (step: Step, all: readonly Step[]): boolean => {
  const quick = quickOf(all, methodOf(step))
  const same = quick.filter(({ fall }) => fall === step.fall)
  if (quick.length === 0 || !arePart(same, quick)) return false
  const alike = all.filter((other) => methodOf(other) === methodOf(step))
  if (alike.some(({ fall }) => fall > step.fall)) return false
  const pauseMs = pauseFactor * median(quick.map(({ spanMs }) => spanMs))
  return alike.some(({ silentMs, fall }) => silentMs >= pauseMs && fall === step.fall)
}

/** How quick steps of one kind of call fall: by one, otherwise, or too few to say. */
export const judgePace = (all: readonly Step[], method: string): 'even' | 'odd' | 'unknown' => {
  const quick = quickOf(all, method)
  if (quick.length === 0) return 'unknown'
  const byOne = quick.filter(({ fall }) => fall === 1)
  return arePart(byOne, quick) ? 'even' : 'odd'
}
