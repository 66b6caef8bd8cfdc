// Whether the run's own traffic explains why Remaining fell by more than the calls of its key. If
// it does, the server counts so; if not, other clients use the key.

import { type Call, isBefore, type LostBetween } from './calls.ts'

/** Two calls of a key, one after the other, and what else the run sent meanwhile. */
interface Step {
  /** By how much more Remaining fell than by one. */
  readonly beyond: number
  readonly realMs: number
  readonly factors: ReadonlySet<string>
}

/** Any call: that the server takes more with each is judged by pace, not by kind. */
const any = 'any'

const factorsOf = (from: Call, to: Call, all: readonly Call[]): ReadonlySet<string> => {
  const { method, path } = to.exchange.apiRequest
  const query = (path.split('?')[1] ?? '').split('&').map((part) => `query ${part}`)
  const others = all
    .filter((one) => one.exchange.key !== to.exchange.key)
    .filter((one) => one.toMs > from.fromMs && one.fromMs < to.toMs)
    .flatMap(({ exchange: { key } }) =>
      key === null ? ['no key'] : [`key ${key}`, `plan ${key.split('-')[0]}`],
    )
  return new Set([any, method, ...query, ...others])
}

const stepsOf = (
  calls: readonly Call[],
  all: readonly Call[],
  lostBetween: LostBetween,
): readonly Step[] =>
  calls.flatMap((to): Step[] => {
    const from = calls[to.place - 1]
    if (!from?.window || !to.served || from.refused || !from.quiet || !to.quiet) return []
    if (from.window.name !== to.window?.name || !isBefore(from, to)) return []
    if (lostBetween(from, to) > 0) return []
    const beyond = from.remaining - to.remaining - 1
    const realMs = to.exchange.receivedMs - from.exchange.sentMs
    return [{ beyond, realMs, factors: factorsOf(from, to, all) }]
  })

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** With so little chance all falls would be at one kind of step if others had caused them. */
const maxChance = 0.001
/** A server that takes more with each call does so in this share of them, and so many times. */
const habit = { share: 0.8, falls: 5, pauseFactor: 5 }

/** Whether each fall is at a step of one kind, among all steps that took as long. */
const hasKind = (fell: readonly Step[], steps: readonly Step[]): boolean => {
  const minMs = Math.min(...fell.map(({ realMs }) => realMs))
  const long = steps.filter(({ realMs, beyond }) => realMs >= minMs || beyond > 0)
  const kinds = [...(fell[0]?.factors ?? [])].filter((kind) => kind !== any)
  const common = kinds.filter((kind) => fell.every(({ factors }) => factors.has(kind)))
  return common.some((kind) => {
    const share = long.filter(({ factors }) => factors.has(kind)).length / long.length
    return share ** fell.length < maxChance
  })
}

/** Whether Remaining falls so with each call, and by no more after a pause. */
const isHabit = (fell: readonly Step[], steps: readonly Step[]): boolean => {
  if (fell.length < habit.falls || fell.length < habit.share * steps.length) return false
  const pauseMs = habit.pauseFactor * median(fell.map(({ realMs }) => realMs))
  const same = median(fell.map(({ beyond }) => beyond))
  if (fell.some(({ beyond }) => beyond > same)) return false
  return steps.some(({ realMs, beyond }) => realMs >= pauseMs && beyond === same)
}

/** Whether other clients use a key of which Remaining fell by more than the run's own calls. */
export const isVisited = (
  calls: readonly Call[],
  all: readonly Call[],
  lostBetween: LostBetween,
): boolean => {
  const steps = stepsOf(calls, all, lostBetween)
  const fell = steps.filter(({ beyond }) => beyond > 0)
  return fell.length === 0 || !(hasKind(fell, steps) || isHabit(fell, steps))
}
