// Why Remaining of a key fell by more than the calls of the run: by what the run itself sent, with
// which it falls again and again, or by other clients.

import type { AnsweredExchange } from '../../history/exchange.ts'
import { type Call, isBefore, readCalls } from './calls.ts'
import { firstPlace } from './spans.ts'

/** How many requests of the run, after one call and before another, may have counted unseen. */
export type LostBetween = (from: Call, to: Call) => number

/** Two calls of a key, one after the other, and what else the run sent meanwhile. */
interface Step {
  readonly window: string
  /** By how much more Remaining fell than by one. */
  readonly beyond: number
  readonly realMs: number
  readonly factors: ReadonlySet<string>
}

/** What goes with a step, in words. */
const factorsOf = (from: Call, to: Call, all: readonly Call[]): ReadonlySet<string> => {
  const { method, path } = to.exchange.apiRequest
  const [, query] = path.split('?')
  const others: Call[] = []
  for (let at = firstPlace(all, ({ latestMs }) => latestMs > from.fromMs); ; at += 1) {
    const call = all[at]
    if (!call || call.fromMs >= to.toMs) break
    if (call.exchange.key !== to.exchange.key && call.toMs > from.fromMs) others.push(call)
  }
  return new Set([
    `a ${method}`,
    ...(query?.split('&').map((part) => `with ${part}`) ?? ['without a query']),
    ...others.flatMap(({ exchange: { key } }) =>
      key === null
        ? ['with requests without a key between']
        : [
            `with calls of key ${key} between`,
            `with calls of another ${key.split('-')[0]} key between`,
            'with calls of other keys between',
          ],
    ),
  ])
}

/** So far back a call about the same window is looked for: headers may be about both in turn. */
const maxBack = 3

/** The latest call before one about the same window, with nothing but served calls between. */
const latestAbout = (to: Call): Call | undefined => {
  let { before: from } = to
  while (from?.served && from.quiet && to.place - from.place < maxBack) {
    if (from.window?.name === to.window?.name) break
    from = from.before
  }
  return from?.window && from.window.name === to.window?.name ? from : undefined
}

const stepsOf = (
  calls: readonly Call[],
  all: readonly Call[],
  lostBetween: LostBetween,
): readonly Step[] =>
  calls.flatMap((to): Step[] => {
    const from = latestAbout(to)
    if (!from || !to.served || from.refused || !from.quiet || !to.quiet) return []
    if (!isBefore(from, to) || lostBetween(from, to) > 0) return []
    const beyond = from.remaining - to.remaining - (to.place - from.place)
    const realMs = to.exchange.receivedMs - from.exchange.sentMs
    const own = to.all.slice(from.place + 1, to.place + 1)
    const factors = own
      .map((call) => factorsOf(call.before ?? from, call, all))
      .reduce((common, each) => common.intersection(each))
    return [{ window: from.window?.name ?? '', beyond, realMs, factors }]
  })

/** So many steps tell. */
const maxSteps = 5_000

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** With so little chance all falls would be at one kind of step if others had caused them. */
const maxChance = 0.001
/** A server that takes more with each call does so in this share of them, and so many times. */
const habit = { share: 0.8, falls: 5, pauseFactor: 5 }

/** The rarest kind of step at which each fall is, among all steps that took as long. */
const kindOf = (fell: readonly Step[], steps: readonly Step[]): string | undefined => {
  const minMs = Math.min(...fell.map(({ realMs }) => realMs))
  // Other clients come and go: only what lies between two falls tells them from a habit.
  const since = steps.indexOf(fell[0] as Step)
  const near = steps.slice(since, steps.lastIndexOf(fell.at(-1) as Step) + 1)
  const long = near.filter(({ realMs, beyond }) => realMs >= minMs || beyond > 0)
  const kinds = [...(fell[0]?.factors ?? [])]
  const common = kinds.filter((kind) => fell.every(({ factors }) => factors.has(kind)))
  const shares = common.map((kind) => {
    return { kind, share: long.filter(({ factors }) => factors.has(kind)).length / long.length }
  })
  const [rarest] = shares.sort((a, b) => a.share - b.share)
  return rarest && rarest.share ** fell.length < maxChance ? rarest.kind : undefined
}

/** Whether Remaining falls so with each call, and by no more after a pause. */
const isHabit = (fell: readonly Step[], steps: readonly Step[]): boolean => {
  if (fell.length < habit.falls || fell.length < habit.share * steps.length) return false
  const pauseMs = habit.pauseFactor * median(fell.map(({ realMs }) => realMs))
  const same = median(fell.map(({ beyond }) => beyond))
  if (fell.some(({ beyond }) => beyond > same)) return false
  return steps.some(({ realMs, beyond }) => realMs >= pauseMs && beyond === same)
}

/**
 * Why Remaining of a key fell by more than its calls, by the run's own requests: whether nothing
 * of the run explains it, so that other clients use the key; and what goes with it: `, a POST`.
 * @param ofKey its calls, of which the last ones are looked at
 * @param sent all exchanges of the run
 */
export const ownTrafficOf = (
  ofKey: readonly Call[],
  sent: readonly AnsweredExchange[],
  lostBetween: LostBetween,
) => {
  const calls = ofKey.slice(-maxSteps)
  const since = calls[0]?.seq ?? 0
  const all = readCalls(sent.filter(({ seq }) => seq >= since).sort((a, b) => a.seq - b.seq))
  const steps = stepsOf(calls, all, lostBetween)
  // Where headers are about two windows in turn, one call of another client shows in both.
  const found = [...Map.groupBy(steps, ({ window }) => window).values()].map((own) => {
    const fell = own.filter(({ beyond }) => beyond > 0)
    const kind = fell.length === 0 ? undefined : kindOf(fell, own)
    return { kind, isOwn: fell.length > 0 && (kind !== undefined || isHabit(fell, own)) }
  })
  const kind = found.map((each) => each.kind).find((each) => each !== undefined)
  return {
    isVisited: !found.some(({ isOwn }) => isOwn),
    wordsFor: (from: Call, to: Call): string =>
      kind !== undefined && factorsOf(from, to, all).has(kind) ? `, ${kind}` : '',
  }
}
