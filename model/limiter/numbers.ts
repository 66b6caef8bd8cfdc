// How the numbers of the headers move: Remaining falls by one with each call, and rises only as a
// window gives back; Reset is kept, and what was counted returns by then.

import { count } from '../../history/quote.ts'
import { asHeader } from '../clause.ts'
import {
  anchorsOf,
  between,
  type Call,
  fromTo,
  givenBack,
  isBefore,
  isPast,
  mayBeBan,
  mayBePast,
  promptMs,
  realMs,
} from './calls.ts'
import type { Breach, Law } from './laws.ts'

/** After two windows of silence nothing counts any more. */
export const restedIsWhole: Law = ({ calls, breach, tried }) => {
  for (const call of calls) {
    const { window, before, remaining } = call
    if (!before || !window || !call.quiet || !call.served) continue
    if (call.silentMs < 2 * window.ms + 1_000) continue
    tried('limit-not-below-quota', call)
    const missing = window.limit - 1 - remaining
    if (missing <= 0) continue
    breach({
      law: 'limit-not-below-quota',
      // Another client may call once a minute: none does while the test clock is moved.
      place: realMs(before, call) < promptMs ? `rested ${window.name} ${remaining}` : call.seq,
      missing,
      calls: [before, call],
      expected: `Remaining: ${window.limit - 1} after two windows without a request`,
      actual: `X-RateLimit-Remaining: ${remaining}`,
      wrong: asHeader('X-RateLimit-Remaining', 'too low'),
    })
  }
}

/** Whether a window may have ended between two calls: at its Reset, or as a later one shows. */
const mayHaveEnded = (from: Call, to: Call): boolean =>
  mayBePast(from, to) || to.reset >= from.reset + (from.window?.ms ?? 0) / 1000 - 2

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
  const due = Math.min(limit - 1, from.remaining - some.length)
  if (!isPast(from, to) || from.remaining >= limit || to.remaining >= due) return undefined
  return {
    law: 'limit-not-below-quota',
    place: `reset ${name}`,
    missing: due - to.remaining,
    calls: [from, to],
    expected: `more to remain after Reset ${from.reset}`,
    actual: `went from ${from.remaining} to ${to.remaining} after its Reset`,
    wrong: asHeader('X-RateLimit-Remaining', 'does not rise after its Reset'),
  }
}

/** So long a count may take to reach all replicas. */
const lagMs = 250

const recentTo = ({ all, place, exchange: { sentMs } }: Call): number =>
  all.slice(0, place).filter((call) => call.served && call.exchange.receivedMs > sentMs - lagMs)
    .length

const riseAt = (from: Call, to: Call): Breach | undefined => {
  if (!isBefore(from, to) || mayHaveEnded(from, to) || to.remaining === 0) return undefined
  if (to.remaining <= from.remaining - (to.place - from.place)) return undefined
  const passed = to.all.slice(from.place + 1, to.place + 1)
  if (passed.some(mayBeBan)) return undefined
  const isOwn = (call: Call) =>
    call.served && isBefore(from, call) && (call === to || isBefore(call, to))
  const own = passed.filter(isOwn).length
  const rise = to.remaining - (from.remaining - own)
  const given = givenBack(from, to)
  // Calls before the run leave a log at any moment, again and again.
  if (rise <= given.own + given.foreign) return undefined
  const max = Math.max(0, from.remaining - own + given.own)
  return {
    law: 'remaining-rises-at-reset',
    place: to.seq,
    sure: rise > given.own + given.foreign + recentTo(to),
    calls: [from, to],
    expected: `at most ${max} to remain before Reset ${from.reset}, refills included`,
    actual: `went ${fromTo(from, to)} with ${count(own, 'served call', 'served calls')}`,
    wrong: asHeader('X-RateLimit-Remaining', 'does not fall'),
  }
}

const isNo429 = ({ status }: Call): boolean => status !== 429

/** Remaining falls by no more than the calls meanwhile, and rises as any design gives back. */
export const remainingMoves: Law = ({ calls, breach, tried }) => {
  /** By the name of a window: the first response since which none ended. */
  const firsts = new Map<string, Call>()
  for (const to of calls.filter(isNo429)) {
    if (!to.window) continue
    const near = [...anchorsOf(to, isNo429)]
    const first = firsts.get(to.window.name)
    const isSame = first && !mayHaveEnded(first, to)
    if (!isSame) firsts.set(to.window.name, to)
    const all = isSame ? [...near, first] : near
    if (near.length > 0) tried('remaining-falls-by-one', to)
    if (all.length > 0) tried('remaining-rises-at-reset', to)
    const falls = near.flatMap((from) => fallAt(from, to) ?? [])
    const rises = all.flatMap((from) => riseAt(from, to) ?? [])
    for (const found of [...falls.slice(0, 1), ...rises.slice(0, 1)]) breach(found)
  }
}

/** Replicas may round differently, and their clocks differ a little. */
const resetGraceS = 5

/**
 * Between served calls Reset moves back at most twice in a window: a sliding counter may state the
 * end of the next window first, and then when the next call leaves it.
 */
export const resetKept: Law = ({ calls, breach }) => {
  const backs: Call[] = []
  for (const to of calls) {
    const { before: from, window } = to
    if (!from?.served || !to.served || !window || from.window?.name !== window.name) continue
    const isBack = to.reset < from.reset - resetGraceS && !mayBePast(from, to)
    if (!isBack || !isBefore(from, to)) continue
    backs.push(to)
    const third = backs.at(-3)
    const isClose = third !== undefined && to.toMs - third.fromMs < window.ms
    breach({
      law: 'reset-not-moved-back',
      place: to.seq,
      sure: isClose && !calls.slice(third.place, to.place).some(mayBeBan),
      calls: [from, to],
      expected: `no Reset before ${from.reset}, which was announced and has not come`,
      actual: `went from ${from.reset} back to ${to.reset}`,
      wrong: asHeader('X-RateLimit-Reset', 'moves back'),
    })
  }
}
