// How the numbers of the headers move: Remaining falls by one with each call, and rises only as a
// window gives back, in less than one no more than it has; Reset is kept, and what was counted
// returns by then.

import { count, duration } from '../../history/quote.ts'
import { asHeader } from '../clause.ts'
import {
  type Call,
  fromTo,
  graceMs,
  hasBan,
  isBefore,
  isPast,
  mayBePast,
  mayHaveEnded,
  promptMs,
  realMs,
  slackMs,
  type Window,
} from './calls.ts'
import { countedApart, createTelling, isOtherKind } from './kinds.ts'
import { type Breach, type Law, stateless } from './laws.ts'
import { anchorsOf, answeredBy, between, firstPlace } from './spans.ts'

/** After two windows of silence nothing counts any more. */
export const restedIsWhole = stateless((call, { breach, tried }) => {
  const { window, before, remaining } = call
  if (!before || !window || !call.quiet || !call.served) return
  if (call.silentMs < 2 * window.ms + 1_000) return
  tried('limit-not-below-quota', call)
  const missing = window.limit - 1 - remaining
  if (missing <= 0) return
  breach({
    law: 'limit-not-below-quota',
    // Another client may call once a minute: none does while the test clock is moved.
    place: realMs(before, call) < promptMs ? `rested ${window.name} ${remaining}` : call.seq,
    missing,
    calls: [before, call],
    expected: `Remaining: ${window.limit - 1} after two windows without a request`,
    actual: `X-RateLimit-Remaining: ${remaining}`,
    wrong: asHeader('X-RateLimit-Remaining', 'too low', String(remaining)),
  })
})

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

const recentTo = (to: Call): number => {
  const sinceMs = to.exchange.sentMs - lagMs
  let recent = 0
  let { servedBefore: call } = to
  for (; call && call.latestReceivedMs > sinceMs; call = call.servedBefore) {
    recent += Number(call.exchange.receivedMs > sinceMs)
  }
  return recent
}

/** What calls that leave a log give back between two responses, and those of other clients. */
const leavingBetween = (from: Call, to: Call): number => {
  const { limit = 0, ms = 1 } = from.window ?? {}
  const { all } = to
  const sent = firstPlace(all, (call) => call.fromMs > to.toMs + 1_000 - ms)
  const gone = answeredBy(all, from.fromMs - ms - 1_000 - slackMs).count
  const leaving = Math.max(0, Math.min(sent, to.place + 1) - gone)
  const begin = firstPlace(all, (call) => call.fromMs > from.fromMs - ms)
  const recent = answeredBy(all, from.toMs, begin).served
  // Calls before the run leave a log at any moment, again and again.
  return leaving + Math.max(0, limit - from.remaining - recent)
}

/** A rise that only a tick of a bucket explains, which gives back at least so much at once. */
interface Tick {
  readonly from: Call
  readonly to: Call
  /** The shortest time between two ticks of that bucket. */
  readonly everyMs: number
  readonly breach: Breach
}

/** A smaller rise is no more than some calls that come back, or are counted late. */
const minShare = 0.1

const tickAt = (from: Call, to: Call): Tick | undefined => {
  if (!isBefore(from, to) || mayHaveEnded(from, to) || to.remaining === 0) return undefined
  if (to.remaining <= from.remaining - (to.place - from.place)) return undefined
  const begin = firstPlace(to.all, (call) => call.fromMs >= from.toMs - slackMs)
  const own = answeredBy(to.all, to.fromMs + slackMs, begin).served + Number(to.served)
  const rise = to.remaining - (from.remaining - own)
  const { limit = 0, ms = 1 } = from.window ?? {}
  const spanMs = to.toMs - from.fromMs
  const leaving = leavingBetween(from, to)
  const given = Math.ceil((limit * spanMs) / ms + minShare * limit) + 1 + leaving
  if (rise <= given || rise - recentTo(to) <= given || hasBan(from, to)) return undefined
  const atOnce = rise - recentTo(to) - leaving - 1
  const max = Math.max(0, from.remaining - own + given)
  return {
    from,
    to,
    everyMs: (atOnce * ms) / limit - spanMs,
    breach: {
      law: 'remaining-rises-at-reset',
      place: to.seq,
      sure: true,
      calls: [from, to],
      expected: `at most ${max} to remain before Reset ${from.reset}, refills included`,
      actual: `went ${fromTo(from, to)} with ${count(own, 'served call', 'served calls')}`,
      wrong: asHeader('X-RateLimit-Remaining', 'does not fall'),
    },
  }
}

/** A rise is compared with so many before it. */
const maxTicks = 100

/**
 * A bucket may give back up to half of the quota at once, at any moment, but then not again within
 * the time of as much. @returns what contradicts that: the rise, or an earlier one with it
 */
const breachOf = (tick: Tick, earlier: readonly Tick[]): Breach | undefined => {
  const { from, to, everyMs, breach } = tick
  const ms = from.window?.ms ?? 0
  const other = earlier.findLast(
    (one) =>
      one.to.window?.name === to.window?.name &&
      (one.to === from || isBefore(one.to, from)) &&
      Math.max(one.everyMs, everyMs) > to.toMs - one.from.fromMs + graceMs,
  )
  if (!other) return everyMs > ms / 2 ? breach : undefined
  const laterMs = to.toMs - other.to.toMs
  const before = `${duration(laterMs)} after it went ${fromTo(other.from, other.to)}`
  const actual = `${breach.actual}, ${before}`
  const found = { ...breach, calls: [other.from, other.to, from, to], actual }
  return countedApart(found) ?? found
}

const isNo429 = ({ status }: Call): boolean => status !== 429

const isAboutQuota = (call: Call): boolean => isNo429(call) && call.window !== undefined

/** Remaining falls by no more than the calls meanwhile. */
export const remainingFalls = stateless((to, { breach, tried }) => {
  if (!isAboutQuota(to)) return
  const near = [...anchorsOf(to, isNo429)]
  if (near.length > 0) tried('remaining-falls-by-one', to)
  if (near.some((from) => isOtherKind(from, to))) tried('calls-share-one-count', to)
  const [fall] = near.flatMap((from) => fallAt(from, to) ?? [])
  if (fall) breach(fall)
})

/** Remaining rises only as any design gives back. */
export const remainingRises: Law = (of) => {
  /** By the name of a window: the first response since which none ended or came back at once. */
  const firsts = new Map<string | undefined, Call>()
  const tell = createTelling(of)
  let ticks: readonly Tick[] = []
  return (to) => {
    if (!isAboutQuota(to)) return
    const known = firsts.get(to.window?.name)
    const first = known && !mayHaveEnded(known, to) ? known : to
    const near = new Set([...anchorsOf(to, isNo429), first])
    near.delete(to)
    if (near.size > 0) of.tried('remaining-rises-at-reset', to)
    const [tick] = [...near].flatMap((from) => tickAt(from, to) ?? [])
    firsts.set(to.window?.name, tick ? to : first)
    tell(tick && breachOf(tick, ticks), to)
    if (tick) ticks = [...ticks.slice(1 - maxTicks), tick]
  }
}

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
    near = near.filter(({ from }) => to.toMs - from.fromMs < ms - graceMs)
    if (to.toMs - refill.from.fromMs >= ms - graceMs) return
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
    breach(countedApart(found) ?? found)
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
