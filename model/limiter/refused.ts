// When a key may be refused: not while calls remain that the server announced, not below its quota
// in two windows, not after the stated wait, not after a silence.

import { bodyObject } from '../../history/body.ts'
import { headerValues } from '../../history/exchange.ts'
import { count, duration } from '../../history/quote.ts'
import { dayMs } from '../../history/rate-headers.ts'
import { short } from '../clause.ts'
import { asBehaviour, asStatus, type Findings } from './breach.ts'
import {
  anchorsOf,
  between,
  type Call,
  forgottenMs,
  graceMs,
  isBefore,
  isOwnEnd,
  mayBeBan,
  overlapping,
  promptMs,
  realMs,
  skipsNumbers,
  statusOf,
  type Window,
} from './calls.ts'

/** Whether less than half remained at first, which own calls do not explain. */
const showsOthers = (calls: readonly Call[], since: readonly Call[], to: Call): boolean => {
  const isCounted = ({ window, refused }: Call) => window?.name === to.window?.name && !refused
  const [first, ...more] = since.filter(isCounted)
  const limit = first?.window?.limit ?? 0
  if (
    !first ||
    Math.max(first.remaining, ...more.map(({ remaining }) => remaining)) + 1 >= limit / 2
  )
    return false
  const before = calls.slice(0, first.place + 1).filter(isCounted)
  const whole = before.findLast(({ remaining }) => remaining === limit - 1)
  if (!whole) return true
  const own = calls.slice(whole.place, to.place).filter(isCounted)
  return Math.min(...own.map(({ remaining }) => remaining)) !== limit - own.length
}

/** No design counts a call for longer than two windows. */
export const refusedBelow = (
  calls: readonly Call[],
  windows: readonly Window[],
  { breach, tried }: Findings,
): void => {
  for (const call of calls) {
    if (!call.refused || call.earlierRefusals > 0) continue
    tried('limit-not-below-quota', call)
    const about = windows.filter(({ name }) => !call.window || call.window.name === name)
    const counts = about.map(({ limit, ms }) => {
      const near = overlapping(calls, call.fromMs - 2 * ms - graceMs, call)
      // Of refusals in flight together one was the first.
      const count = near.filter((one) => !one.refused || one.toMs <= call.fromMs).length
      return { count, limit, spanMs: 2 * ms }
    })
    const [least] = counts
    // A request that was lost, as at a kill of the run, may have counted too.
    if (!least || counts.some(({ count, limit }) => count >= limit / 2)) continue
    const since = call.window && overlapping(calls, call.fromMs - 2 * call.window.ms, call)
    const isClear = since !== undefined && !skipsNumbers(since) && !showsOthers(calls, since, call)
    // Of calls in flight together it is not known how many were counted before.
    const where = call.quiet ? '' : ' in flight'
    breach({
      law: 'limit-not-below-quota',
      place: isClear ? `below ${call.window?.name} ${least.count}${where}` : call.seq,
      sure: false,
      calls: [call],
      expected: `no refusal with fewer than ${least.limit} calls in ${duration(least.spanMs)}`,
      actual: `${statusOf(call)} after ${count(least.count, 'call', 'calls')} in that time`,
      wrong: asStatus,
    })
  }
}

/** So many calls nobody else makes between two of a burst, whose exact number is uncertain. */
const manyLeft = 100

const amount = ({ quiet }: Call, left: number): string =>
  !quiet && left >= manyLeft ? 'many' : `${left}`

/** How many calls were still announced to a refused one, and what came in between. */
const announcedTo = (calls: readonly Call[], from: Call, call: Call) => {
  const some = between(calls, from, call)
  const isLater = (one: Call) => one.refused && isBefore(from, one) && isBefore(one, call)
  if (some.some(isLater)) return undefined
  const left = from.remaining - some.filter((one) => statusOf(one) !== 429).length
  return left < 1 ? undefined : { from, some, left }
}

/** Never refused while the latest response about that window announced that requests remain. */
export const refusedAnnounced = (calls: readonly Call[], { breach, tried }: Findings): void => {
  const known = new Set<Call>()
  for (const call of calls) {
    if ((calls[call.place - 1]?.remaining ?? 0) > 0) tried('limit-not-early', call)
    if (!call.refused || !call.window || mayFollowBan(call)) continue
    const anchors = [...anchorsOf(calls, call, (other) => !other.refused)]
    const fresh = anchors.filter((from) => !known.has(from))
    const [found] = fresh.flatMap((from) => announcedTo(calls, from, call) ?? [])
    if (!found) continue
    const { from, some, left } = found
    known.add(from)
    const meanwhile = from.remaining - left
    const more = meanwhile > 0 ? ` and ${count(meanwhile, 'more call', 'more calls')}` : ''
    const [remains, remain] = ['request remains', 'requests remain']
    breach({
      law: 'limit-not-early',
      place: skipsNumbers([from, ...some]) ? call.seq : `${call.window.name} ${amount(call, left)}`,
      sure: false,
      missing: left,
      calls: [from, call],
      expected: `no 429 while ${count(left, remains, remain)} of the ${call.window.name}`,
      actual: `429 after Remaining: ${from.remaining}${more}`,
      wrong: asStatus,
    })
  }
}

const mayFollowBan = (call: Call): boolean => call.refusals > 0 && statusOf(call) !== 429

const isSpent = ({ window, remaining }: Call): boolean => window !== undefined && remaining === 0

const whatCameBefore = (call: Call): string =>
  isSpent(call) ? 'Remaining: 0' : 'the key was served'

/** What a key that was not refused in the last day must get after a call that was served. */
const dueAfter = (call: Call): string =>
  isSpent(call)
    ? '429, as the key got no refusal in the day before'
    : 'no refusal of a key that got none in the day before'

/** A ban follows refusals: a key that was not refused for a day is not shut out. */
export const shutOutFirst = (calls: readonly Call[], { breach, tried }: Findings): void => {
  let refusedMs = Number.NEGATIVE_INFINITY
  for (const call of calls) {
    const latest = calls[call.place - 1]
    if (latest && call.fromMs - refusedMs > forgottenMs) tried('ban-only-after-refusals', call)
    if (!call.refused) continue
    const isFirst = call.fromMs - refusedMs > forgottenMs && call.refusals === 0
    refusedMs = call.toMs
    if (!isFirst || !latest?.served || statusOf(call) === 429) continue
    const isNext = latest.exchange.seq + 1 === call.exchange.seq
    breach({
      law: 'ban-only-after-refusals',
      // Another client may have been refused meanwhile.
      place: isNext && realMs(latest, call) < promptMs ? 'first' : call.seq,
      sure: false,
      unseen: isOwnEnd(calls, latest, call),
      calls: [latest, call],
      expected: dueAfter(latest),
      actual: `${statusOf(call)} after ${whatCameBefore(latest)}`,
      wrong: asStatus,
    })
  }
}

/** The silence before a call, and the longest wait that its latest refusals stated, with these. */
const waitBefore = (calls: readonly Call[], call: Call) => {
  let lastMs = Number.NEGATIVE_INFINITY
  let waitMs = 0
  let refusal: Call | undefined
  const latest = calls[call.place - 1] as Call
  for (let at = latest.place; at >= 0; at -= 1) {
    const other = calls[at] as Call
    if (other.latestMs <= latest.fromMs) break
    if (other !== latest && other.toMs <= latest.fromMs) continue
    lastMs = Math.max(lastMs, other.toMs)
    if (other.refused && other.waitMs === undefined) waitMs = Number.POSITIVE_INFINITY
    if (other.refused) waitMs = Math.max(waitMs, other.waitMs ?? 0)
    if (other.refused && !refusal) refusal = other
  }
  return { latest, refusal, silentMs: call.fromMs - lastMs, waitMs }
}

/** An error of another kind does not tell whether the key was served. */
const showsIfServed = (call: Call): boolean => call.served || call.refused

/** A wait is whole seconds, and so is Reset. */
const sameTimeMs = 1_500

/**
 * Where a wait is too short: what has come back another client may use, except where the wait was
 * until Reset, and the same Reset is still ahead.
 */
const placeOfWait = (latest: Call, call: Call): string | number => {
  if (realMs(latest, call) < promptMs) return 'wait'
  const isUntilReset = latest.clocksMs.some(
    (ms) => Math.abs(latest.reset * 1000 - ms - (latest.waitMs ?? 0)) <= sameTimeMs,
  )
  const isSame = latest.window?.name === call.window?.name && latest.reset === call.reset
  return latest.window && isUntilReset && isSame ? 'reset' : call.seq
}

/** `429 (key_banned)`: what the server says that it is. */
const named = (call: Call): string => {
  const code = bodyObject(call.exchange)?.code
  return `${statusOf(call)}${typeof code === 'string' ? ` (${short(code)})` : ''}`
}

/** Longer than any window of a minute, with room for clocks that differ. */
const minSilenceMs = 75_000

/** A ban before both, which is longer than a window, where the server names that otherwise. */
const banBefore = (calls: readonly Call[], refusal: Call, call: Call): string => {
  const isLong = ({ waitMs = 0 }: Call) => waitMs > minSilenceMs
  const isOther = (one: Call) => ![refusal, call].map(named).includes(named(one))
  const ban = calls
    .slice(0, refusal.place)
    .findLast((one) => mayBeBan(one) && isLong(one) && isOther(one))
  return ban ? `, and after a ${named(ban)}` : ''
}

const describeWait = (refusal: Call, call: Call): string => {
  const stated = headerValues(refusal.exchange, 'Retry-After').join(', ')
  const waited = duration(call.fromMs - refusal.toMs)
  const ofDay = refusal.window?.name === 'day' ? ' of the day' : ''
  return `${waited} after a ${named(refusal)}${ofDay} with Retry-After: ${stated}`
}

/** A call that comes later, as after a rest, says nothing of the wait. */
const maxLaterMs = 60_000

const describeNext = (calls: readonly Call[], call: Call): string => {
  const next = calls.slice(call.place + 1).find(({ served }) => served)
  return next && next.fromMs - call.fromMs < maxLaterMs
    ? `, and served ${duration(next.fromMs - call.fromMs)} later`
    : ''
}

/** Silent for as long as the latest response stated: served. */
export const servedAfterWait = (calls: readonly Call[], { breach, tried }: Findings): void => {
  for (const call of calls.slice(1).filter(showsIfServed)) {
    const { latest, refusal, silentMs, waitMs } = waitBefore(calls, call)
    // What was in flight with the refusal may have come after it.
    if (waitMs <= 0 || silentMs + promptMs < waitMs) continue
    tried('retry-after-each-served', call)
    if (!call.refused || !refusal || silentMs < waitMs) continue
    const place = placeOfWait(refusal, call)
    if (refusal !== latest && place !== 'reset') continue
    const waited = `${describeWait(refusal, call)}${banBefore(calls, refusal, call)}`
    breach({
      law: 'retry-after-each-served',
      place,
      sure: false,
      calls: [refusal, call],
      expected: 'to be served then',
      actual: `${named(call)}, ${waited}${describeNext(calls, call)}`,
      wrong: asStatus,
    })
  }
}

/** Whether a ban may last: one begins with a refusal, and may add up those of days. */
const mayBeBannedAt = (calls: readonly Call[], call: Call): boolean => {
  if (call.refusals !== 1) return call.refusals > 1
  return calls.slice(0, call.place).filter((one) => one.refused).length > 1
}

/** Silent for longer than a minute, with less than two refusals before: served. */
export const servedAfterSilence = (
  calls: readonly Call[],
  day: Window,
  { breach, tried }: Findings,
): void => {
  for (const call of calls.slice(1).filter(showsIfServed)) {
    const { latest, silentMs } = waitBefore(calls, call)
    if (silentMs < minSilenceMs || call.window?.name === 'day') continue
    tried('limit-not-below-quota', call)
    if (!call.refused || mayBeBannedAt(calls, call)) continue
    const today = overlapping(calls, call.fromMs - 2 * day.ms, call)
    if (today.length >= day.limit) continue
    const isLate = call.refusals === 1 && call.fromMs < dayMs
    breach({
      law: 'limit-not-below-quota',
      place: isLate || realMs(latest, call) > promptMs ? call.seq : `silence ${call.refusals}`,
      sure: false,
      calls: [latest, call],
      expected: 'any key to be served after 75 s without a request',
      actual: `${statusOf(call)} after ${duration(silentMs)} without a request`,
      wrong: asBehaviour,
    })
  }
}
