// How the numbers of the headers move: Remaining falls by one with each call, and in less than a
// window no more comes back than it has; Reset is kept, and what was counted returns by then.

import { count, duration } from '../../history/quote.ts'
import { asHeader } from '../clause.ts'
import {
  type Call,
  fromTo,
  graceMs,
  hasBan,
  isAboutQuota,
  isBefore,
  isNo429,
  isPast,
  mayBePast,
  roundingMs,
  type Window,
} from './calls.ts'
import { asSeveralCounts } from './kinds.ts'
import { type Breach, type Law, stateless } from './laws.ts'
import { recentTo } from './rises.ts'
import { anchorsOf, between } from './spans.ts'

/** So many calls of another client in a window are seen elsewhere too. */
const minOthers = 5

/**
 * What remains at least for a call after the Reset of an earlier one: a sliding counter whose Reset
 * is the end of its segment weighs what was counted in it less and less, for a window.
 */
const minAfterSegment = (from: Call, to: Call): number => {
  const { limit = 0, ms = 1 } = to.window ?? {}
  const windows = ((to.reset - from.reset) * 1000) / ms
  const isSegment = windows > 0.5 && Math.abs(windows - Math.round(windows)) * ms <= roundingMs
  if (!isSegment) return limit
  const sinceMs = Math.min(...to.clocksMs) - (to.toMs - to.fromMs) - from.reset * 1000
  const weight = Math.max(0, 1 - Math.max(0, sinceMs - roundingMs) / ms)
  return Math.floor(limit - weight * (limit - from.remaining)) - 1
}

const fallAt = (from: Call, to: Call): Breach | undefined => {
  const some = between(from, to)
  if (!to.window || some.some((call) => call.refused)) return undefined
  const { name, limit } = to.window
  const beyond = from.remaining - to.remaining - some.length - 1
  if (beyond > 0) {
    const calls = count(some.length + 1, 'call', 'calls')
    return {
      law: 'remaining-falls-by-one',
      place: `${name} ${to.exchange.apiRequest.method} ${beyond}`,
      missing: 1,
      calls: [from, to],
      expected: 'one less with each call',
      actual: `fell from ${from.remaining} to ${to.remaining} with ${calls}`,
      wrong: asHeader('X-RateLimit-Remaining', 'falls by more than one'),
    }
  }
  // A Reset that has come when it is stated is when the next call may come (ruling 17).
  if (from.clocksMs.some((ms) => from.reset * 1000 <= ms + 1_000)) return undefined
  const due = Math.min(
    limit - 1,
    from.remaining - some.length,
    minAfterSegment(from, to) - some.length,
  )
  if (!isPast(from, to) || from.remaining >= limit || to.remaining >= due) return undefined
  // That a few were used since then is no rarity.
  const byOthers = limit - to.remaining - 1 - some.length
  return {
    law: 'limit-not-below-quota',
    place: byOthers < minOthers ? to.seq : `reset ${name}`,
    missing: due - to.remaining,
    calls: [from, to],
    expected: `more to remain after Reset ${from.reset}`,
    actual: `went from ${from.remaining} to ${to.remaining} after its Reset`,
    wrong: asHeader('X-RateLimit-Remaining', 'does not rise after its Reset'),
  }
}

/** Remaining falls by no more than the calls meanwhile. */
export const remainingFalls = stateless((to, { breach, tried }) => {
  if (!isAboutQuota(to)) return
  const near = [...anchorsOf(to, isNo429)]
  if (near.length > 0) tried('remaining-falls-by-one', to)
  const [fall] = near.flatMap((from) => fallAt(from, to) ?? [])
  if (fall) breach(fall)
})

/** What came back at least between two calls that no other call of the key overlapped. */
interface Refill {
  readonly from: Call
  readonly to: Call
  readonly amount: number
  /** The amount if nothing counted any more. */
  readonly max: number
}

/** A ban hides the count, which may be whole again after it: also one of another client. */
const refillTo = ({ name, limit }: Window): ((to: Call) => Refill | undefined) => {
  let from: Call | undefined
  let served = 0
  return (to) => {
    served += Number(to.served)
    if (to.refused) from = undefined
    if (to.refused || !to.quiet || to.window?.name !== name) return undefined
    const [known, sum] = [from, served]
    from = to
    served = 0
    if (!known) return undefined
    const rise = sum + to.remaining - known.remaining
    const max = sum + limit - Number(to.served) - known.remaining
    return { from: known, to, amount: rise > 0 ? Math.max(0, rise - recentTo(to)) : 0, max }
  }
}

/** So many steps of a rise are shown. */
const maxShown = 3

const sumOf = (refills: readonly Refill[]): number =>
  refills.reduce((sum, { amount }) => sum + amount, 0)

/** In less than a minute no more comes back than it has. A day may be emptied before its Reset. */
export const refillsWithin: Law = ({ windows: [minute], breach, tried }) => {
  const { limit, ms } = minute
  const refillOf = refillTo(minute)
  let near: Refill[] = []
  return (to) => {
    const refill = refillOf(to)
    if (!refill) return
    const isNear = ({ from }: Refill) => to.toMs - from.fromMs < ms - graceMs
    near = near.filter(isNear)
    if (!isNear(refill)) return
    if (sumOf(near) + refill.max > limit) tried('refills-within-limit', to)
    if (refill.amount === 0) return
    near.push(refill)
    const [{ from }, amount] = [near[0] ?? refill, sumOf(near)]
    if (amount <= limit) return
    const steps = near.slice(-maxShown).map((one) => fromTo(one.from, one.to))
    const found: Breach = {
      law: 'refills-within-limit',
      place: to.seq,
      sure: true,
      calls: near.flatMap((one) => [one.from, one.to]),
      expected: `at most ${limit} calls to come back in less than ${ms / 1000} s`,
      actual: `${amount} came back within ${duration(to.toMs - from.fromMs)}: ${steps.join(', ')}`,
      wrong: { aspect: 'behaviour', kind: 'refilled too soon' },
    }
    breach(asSeveralCounts(found))
    near = []
  }
}

/** Replicas may round differently, and their clocks differ a little. */
const resetGraceS = 5

/**
 * Between served calls Reset moves back at most twice in a window: a sliding counter may state the
 * end of the next window first, and then when the next call leaves it.
 */
export const resetKept: Law = ({ breach, tried }) => {
  const backs: Call[] = []
  return (to) => {
    const { before: from, window } = to
    if (!from?.served || !to.served || !window || from.window?.name !== window.name) return
    if (!isBefore(from, to)) return
    tried('reset-not-moved-back', to)
    if (to.reset >= from.reset - resetGraceS || mayBePast(from, to)) return
    backs.push(to)
    const third = backs.at(-3)
    const isClose = third !== undefined && to.toMs - third.fromMs < window.ms
    breach({
      law: 'reset-not-moved-back',
      place: to.seq,
      sure: isClose && !hasBan(third, to),
      calls: [from, to],
      expected: `no Reset before ${from.reset}, which was announced and has not come`,
      actual: `went from ${from.reset} back to ${to.reset}`,
      wrong: asHeader('X-RateLimit-Reset', 'moves back'),
    })
  }
}
