// When Remaining may rise: as a window, a log or a bucket gives back, and no more.

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
  mayHaveEnded,
  slackMs,
} from './calls.ts'
import { asSeveralCounts, createCrossings, createTelling, isOtherKind } from './kinds.ts'
import type { Breach, Law, OfKey } from './laws.ts'
import { anchorsOf, answeredBy, firstPlace } from './spans.ts'

/** So long a count may take to reach all replicas. */
const lagMs = 250

export const recentTo = (to: Call): number => {
  const sinceMs = to.exchange.sentMs - lagMs
  let recent = 0
  let { servedBefore: call } = to
  for (; call && call.latestReceivedMs > sinceMs; call = call.servedBefore) {
    recent += Number(call.exchange.receivedMs > sinceMs)
  }
  return recent
}

/** Own calls that leave a log between two responses. */
const leavingBetween = (from: Call, to: Call): number => {
  const { ms = 1 } = from.window ?? {}
  const sent = firstPlace(to.all, (call) => call.fromMs > to.toMs + 1_000 - ms)
  const gone = answeredBy(to.all, from.fromMs - ms - 1_000 - slackMs).count
  return Math.max(0, Math.min(sent, to.place + 1) - gone)
}

/** Calls of others, before the run, that leave a log at any moment, again and again. */
const leavingOfOthers = (from: Call, to: Call): number => {
  const { limit = 0, ms = 1 } = from.window ?? {}
  const begin = firstPlace(to.all, (call) => call.fromMs > from.fromMs - ms)
  const recent = answeredBy(to.all, from.toMs, begin).served
  return Math.max(0, limit - from.remaining - recent)
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

/** A rise between two calls that only a tick explains; undefined: other designs may. */
const riseAt = (from: Call, to: Call, remaining: number) => {
  const begin = firstPlace(to.all, (call) => call.fromMs >= from.toMs - slackMs)
  const own = answeredBy(to.all, to.fromMs + slackMs, begin).served + Number(to.served)
  const rise = remaining - (from.remaining - own)
  const { limit = 0, ms = 1 } = from.window ?? {}
  const spanMs = to.toMs - from.fromMs
  const leaving = leavingBetween(from, to) + leavingOfOthers(from, to)
  const given = Math.ceil((limit * spanMs) / ms + minShare * limit) + 1 + leaving
  if (rise <= given) return undefined
  const old = rise - recentTo(to)
  return old > given
    ? { own, given, everyMs: ((old - leaving - 1) * ms) / limit - spanMs }
    : undefined
}

/** Whether a rise would have been seen, had the count been whole again. */
const mayRise = (from: Call, to: Call): boolean =>
  isBefore(from, to) &&
  !mayHaveEnded(from, to) &&
  riseAt(from, to, (from.window?.limit ?? 0) - 1) !== undefined

const tickAt = (from: Call, to: Call): Tick | undefined => {
  if (!isBefore(from, to) || mayHaveEnded(from, to) || to.remaining === 0) return undefined
  if (to.remaining <= from.remaining - (to.place - from.place)) return undefined
  const rise = riseAt(from, to, to.remaining)
  if (!rise || hasBan(from, to)) return undefined
  const { own, given, everyMs } = rise
  const max = Math.max(0, from.remaining - own + given)
  return {
    from,
    to,
    everyMs,
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
  return asSeveralCounts(found)
}

/** So many served calls in turn that show the same number, of which half came back at most. */
const minStays = 50

/** What comes back does so at no call exactly: a number that stays is not counted down. */
const createStays = ({ breach }: OfKey) => {
  let first: Call | undefined
  return (to: Call): void => {
    const isSame = first?.remaining === to.remaining && first.window?.name === to.window?.name
    if (!first || !isSame || mayHaveEnded(first, to)) first = to.served ? to : undefined
    if (!first || !to.served || to.servedCount - first.servedCount < minStays) return
    const { limit = 0, ms = 1 } = first.window ?? {}
    const served = to.servedCount - first.servedCount
    const stays = served - recentTo(to)
    const back = ((to.toMs - first.fromMs) * limit) / ms + leavingBetween(first, to)
    if (to.remaining === 0 || stays < minStays || 2 * back > stays) return
    breach({
      law: 'remaining-rises-at-reset',
      place: to.seq,
      sure: true,
      calls: [first, to],
      expected: 'one less with each call, but for what comes back',
      actual: `${to.remaining} after ${served + 1} served calls in turn`,
      wrong: asHeader('X-RateLimit-Remaining', 'does not fall'),
    })
    first = undefined
  }
}

/** Remaining rises only as any design gives back. */
export const remainingRises: Law = (of) => {
  /** By the name of a window: the first response since which none ended or came back at once. */
  const firsts = new Map<string | undefined, Call>()
  const tell = createTelling(of)
  const cross = createCrossings(of)
  const stay = createStays(of)
  let ticks: readonly Tick[] = []
  return (to) => {
    if (!isAboutQuota(to)) return
    const known = firsts.get(to.window?.name)
    const first = known && !mayHaveEnded(known, to) ? known : to
    const anchors = anchorsOf(to, isNo429)
    const near = new Set([...anchors, first])
    near.delete(to)
    const telling = [...near].filter((from) => mayRise(from, to))
    if (telling.length > 0) of.tried('remaining-rises-at-reset', to)
    if ([...anchors].some((from) => isOtherKind(from, to))) of.tried('calls-share-one-count', to)
    const [tick] = [...near].flatMap((from) => tickAt(from, to) ?? [])
    firsts.set(to.window?.name, tick ? to : first)
    tell(tick && breachOf(tick, ticks), to)
    if (tick) ticks = [...ticks.slice(1 - maxTicks), tick]
    cross(to)
    stay(to)
  }
}
