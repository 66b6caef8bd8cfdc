// Whether it is the server that takes more than one with a call, or somebody else who calls.
import type { Step } from './steps.ts'

/** Steps closer together than this leave little room for the calls of somebody else. */
const quickMs = 1_000
/** So many quick steps, and of them so many, make a habit. */
const habit = { steps: 5, share: 0.8 }
/** A silence so many times as long as a step, in which Remaining fell no further. */
const calmTimes = 5

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const methodOf = ({ to }: Step): string => to.exchange.asked.method

/** Steps of one kind of call, where so many were quick that a habit would show. */
const quickOf = (all: readonly Step[], method: string): readonly Step[] => {
  const quick = all.filter((step) => methodOf(step) === method && step.spanMs <= quickMs)
  return quick.length < habit.steps ? [] : quick
}

const arePart = (some: readonly Step[], quick: readonly Step[]): boolean =>
  some.length >= habit.share * quick.length

/**
 * The calls of others grow with time; what the server takes is the same with each call, also where
 * there was a pause before it. It has to be ours: a slow server slows the others down too.
 */
export const isHabit = (step: Step, all: readonly Step[]): boolean => {
  const quick = quickOf(all, methodOf(step))
  const same = quick.filter(({ fall }) => fall === step.fall)
  if (quick.length === 0 || !arePart(same, quick)) return false
  const alike = all.filter((other) => methodOf(other) === methodOf(step))
  if (alike.some(({ fall }) => fall > step.fall)) return false
  const pauseMs = calmTimes * median(quick.map(({ spanMs }) => spanMs))
  return alike.some(({ silentMs, fall }) => silentMs >= pauseMs && fall === step.fall)
}

/** How quick steps of one kind of call look: by one, otherwise, or too few to tell. */
export const paceOf = (all: readonly Step[], method: string): 'even' | 'odd' | 'unknown' => {
  const quick = quickOf(all, method)
  if (quick.length === 0) return 'unknown'
  const byOne = quick.filter(({ fall }) => fall === 1)
  return arePart(byOne, quick) ? 'even' : 'odd'
}
