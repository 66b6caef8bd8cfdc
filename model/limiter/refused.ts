// When a key may be refused: not while calls remain that the server announced, not below its quota
// in two windows, not after the stated wait, not after a silence.

import { bodyObject } from '../../history/body.ts'
import { headerValues } from '../../history/exchange.ts'
import { count, duration } from '../../history/quote.ts'
import { short } from '../clause.ts'
import {
  type Call,
  followsRefusal,
  graceMs,
  hasTimeBefore,
  isBefore,
  isOfKey,
  isSpent,
  mayBeBan,
  promptMs,
  realMs,
  roundingMs,
  type Window,
  wasRefusedLately,
} from './calls.ts'
import { type Law, stateless } from './laws.ts'
import {
  anchorsOf,
  answeredBy,
  between,
  countOverlapping,
  maxReach,
  overlapping,
  skipsNumbers,
} from './spans.ts'

/** Whether less than half remained at first, which own calls do not explain. */
const showsOthers = (since: readonly Call[], to: Call): boolean => {
  const isCounted = ({ window, refused }: Call) => window?.name === to.window?.name && !refused
  const [first, ...more] = since.filter(isCounted)
  const most = Math.max(...[first, ...more].map((call) => call?.remaining ?? 0))
  const limit = first?.window?.limit ?? 0
  if (!first || most + 1 >= limit / 2) return false
  let whole: Call | undefined = first
  const isWhole = (call: Call) => isCounted(call) && call.remaining === limit - 1
  while (whole && !isWhole(whole)) {
    whole = whole.place > first.place - maxReach ? whole.before : undefined
  }
  if (!whole) return true
  // Those that were in flight with it may have come before it.
  const own = overlapping(whole.fromMs, to).filter(isCounted)
  return Math.min(...own.map(({ remaining }) => remaining)) !== limit - own.length
}

/** What was used of a day before the run shows in no number, unless a response is about the day. */
const isWatched = ({ window, all, fromMs }: Call, since: readonly Call[]): boolean =>
  window?.name !== 'day' ||
  (all[0]?.fromMs ?? fromMs) <= fromMs - 2 * window.ms ||
  since.some((call) => call.window?.name === 'day' && !call.refused)

/** No design counts a call for longer than two windows. */
export const refusedBelow = stateless((call, { windows, breach, tried }) => {
  if (!call.refused || followsRefusal(call)) return
  tried('limit-not-below-quota', call)
  const about = windows.filter(({ name }) => !call.window || call.window.name === name)
  const beside = overlapping(call.fromMs, call).filter(({ refused }) => refused).length
  const counts = about.map(({ limit, ms }) => {
    // Of refusals in flight together one was the first.
    const count = countOverlapping(call.fromMs - 2 * ms - graceMs, call) - beside
    return { count, limit, spanMs: 2 * ms }
  })
  const [least] = counts
  // A request that was lost, as at a kill of the run, may have counted too.
  if (!least || counts.some(({ count, limit }) => count >= limit / 2)) return
  const since = call.window && overlapping(call.fromMs - 2 * call.window.ms, call)
  const isClear =
    since !== undefined &&
    isWatched(call, since) &&
    !hasTimeBefore(call) &&
    !skipsNumbers(since) &&
    !showsOthers(since, call)
  // Of calls in flight together it is not known how many were counted before.
  const where = call.quiet ? '' : ' in flight'
  breach({
    law: 'limit-not-below-quota',
    place: isClear ? `below ${call.window?.name} ${least.count}${where}` : call.seq,
    calls: [call],
    expected: `no refusal with fewer than ${least.limit} calls in ${duration(least.spanMs)}`,
    actual: `${call.status} after ${count(least.count, 'call', 'calls')} in that time`,
  })
})

/** How many calls were still announced to a refused one, and what came in between. */
const announcedTo = (from: Call, call: Call) => {
  const some = between(from, call)
  const isLater = (one: Call) => one.refused && isBefore(from, one) && isBefore(one, call)
  const left = from.remaining - some.filter(({ status }) => status !== 429).length
  return left < 1 || some.some(isLater) ? undefined : { from, some, left }
}

/** Whether others use the key; a day may be announced only once little of it remains. */
const isTaken = (since: readonly Call[], call: Call): boolean =>
  skipsNumbers(since) || (call.window?.name === 'minute' && showsOthers(since, call))

/** Never refused while the latest response about that window announced that requests remain. */
export const refusedAnnounced: Law = ({ breach, tried }) => {
  const known = new WeakSet<Call>()
  return (call) => {
    if ((call.before?.remaining ?? 0) > 0) tried('limit-not-early', call)
    const { refused, window, status } = call
    if (!refused || !window || (mayBeBan(call) && status !== 429)) return
    const fresh = [...anchorsOf(call, (one) => !one.refused)].filter((from) => !known.has(from))
    const [found] = fresh.flatMap((from) => announcedTo(from, call) ?? [])
    if (!found) return
    const { from, some, left } = found
    known.add(from)
    const meanwhile = from.remaining - left
    // Round trips are time too.
    const isSoon = call.exchange.receivedMs - from.exchange.sentMs < promptMs
    const isOwn = isSoon && !isTaken([from, ...some], call)
    const remain = count(left, 'request remains', 'requests remain')
    const more = meanwhile > 0 ? ` and ${count(meanwhile, 'more call', 'more calls')}` : ''
    breach({
      law: 'limit-not-early',
      place: isOwn ? `${window.name} ${left}` : call.seq,
      missing: left,
      calls: [from, call],
      expected: `no 429 while ${remain} of the ${window.name}`,
      actual: `${status} after Remaining: ${from.remaining}${more}`,
    })
  }
}

/** Whether another client was hardly refused meanwhile: it had no time, or too much remained. */
const isAlone = (before: Call, call: Call): boolean => {
  const isMuch = 2 * before.remaining > (before.window?.limit ?? 0)
  return (before.seq + 1 === call.seq || isMuch) && realMs(before, call) < promptMs
}

const describeBefore = (before: Call): string => {
  if (isSpent(before)) return 'Remaining: 0'
  return before.served ? 'the key was served' : `a ${before.status} that is no refusal`
}

/** So many invalid requests may have got 401 or 403 for what they are, or for their key. */
const maxUnclear = 20

/** The latest call before one that shows whether its key was shut out. */
const clearBefore = ({ before }: Call): Call | undefined => {
  let last = before
  for (let count = 0; last && count < maxUnclear; count += 1) {
    if (last.refused || ![401, 403].includes(last.status)) return last
    last = last.before
  }
  return undefined
}

/** A ban follows refusals: a key that was not refused for a day is not shut out. */
export const shutOutFirst = stateless((call, { breach, tried }) => {
  const { status } = call
  if (!call.before || wasRefusedLately(call)) return
  tried('ban-only-after-refusals', call)
  if (!call.refused || mayBeBan(call) || status === 429) return
  const before = clearBefore(call)
  if (!before || before.refused || !isOfKey(before.exchange)) return
  breach({
    law: 'ban-only-after-refusals',
    place: isAlone(before, call) ? 'first' : call.seq,
    calls: [before, call],
    expected: 'no refusal but 429, as the key got none in the day before',
    actual: `${status} after ${describeBefore(before)}`,
  })
})

/** An error of another kind does not tell whether the key was served. */
const showsIfServed = (call: Call): boolean => call.served || call.refused

const waitOf = ({ waitMs = Number.POSITIVE_INFINITY }: Call): number => waitMs

/** Of the latest call, and refusals in flight with it, the one that states the longest wait. */
const longestWait = (latest: Call): Call | undefined => {
  let longest: Call | undefined
  const isWith = (one: Call) => one === latest || one.latestMs > latest.fromMs
  let one = latest.refused ? latest : latest.refusedBefore
  for (; one && isWith(one); one = one.refusedBefore) {
    const isOwn = one === latest || one.toMs > latest.fromMs
    if (isOwn && waitOf(one) > (longest ? waitOf(longest) : 0)) longest = one
  }
  return longest
}

/**
 * Whether what was served beside a refusal was decided before it: of its window nothing comes back
 * until then. What was neither served nor refused may be counted, or be a ban.
 */
const isLatest = (refusal: Call, before: Call, call: Call): boolean =>
  before.refused ||
  (refusal.window?.name === call.window?.name &&
    waitOf(refusal) - roundingMs > before.latestMs - refusal.fromMs &&
    overlapping(refusal.fromMs, call).every(showsIfServed))

/** A wait is whole seconds, and so is Reset. */
const sameTimeMs = 1_500

/** Whether own calls received all numbers of a window, one after the other. */
const countsDown = (last: Call): boolean => {
  let [one, remaining]: [Call | undefined, number] = [last, 0]
  for (; one && one.remaining === remaining; one = one.servedBefore) remaining += 1
  return last.window !== undefined && remaining >= last.window.limit
}

/** Whether own calls explain a refusal: a quota of them was served, and no number was skipped. */
const isOwnWork = (last: Call | undefined, windows: readonly Window[]): boolean =>
  last !== undefined &&
  windows.some(({ limit, ms }) => {
    const sinceMs = last.fromMs - 2 * ms - graceMs
    const served = last.servedCount - answeredBy(last.all, sinceMs).served
    if (served < limit) return countsDown(last)
    return !skipsNumbers([last, ...overlapping(sinceMs, last)])
  })

/** Whether a day, by its wait, is too young for anyone to have used it up, minute by minute. */
const isUnused = (call: Call, [minute, day]: readonly [Window, Window]): boolean =>
  call.window?.name === 'day' &&
  call.status === 429 &&
  (call.waitMs ?? 0) > day.ms - (Math.floor(day.limit / minute.limit) - 2) * minute.ms

/**
 * Where a wait is too short: what has come back another client may use, except where it has not
 * called before and has no time, or the wait was until Reset, and the same Reset is still ahead.
 */
const placeOfWait = (
  latest: Call,
  call: Call,
  windows: readonly [Window, Window],
): string | number => {
  const [, day] = windows
  const isOwn = () =>
    // Some may have been served beside it.
    isOwnWork(call.before?.served ? call.before : latest.servedBefore, windows) ||
    (isUnused(call, windows) && !skipsNumbers(overlapping(latest.fromMs - 2 * day.ms, latest)))
  if (realMs(latest, call) < promptMs && isOwn()) return 'wait'
  const isUntilReset = latest.clocksMs.some(
    (ms) => Math.abs(latest.reset * 1000 - ms - (latest.waitMs ?? 0)) <= sameTimeMs,
  )
  const isSame = latest.window?.name === call.window?.name && latest.reset === call.reset
  return latest.window && isUntilReset && isSame ? 'reset' : call.seq
}

/** `429 (key_banned)`: what the server says that it is. */
const named = ({ status, exchange }: Call): string => {
  const code = bodyObject(exchange)?.code
  return `${status}${typeof code === 'string' ? ` (${short(code)})` : ''}`
}

/** Longer than any window of a minute, with room for clocks that differ. */
const minSilenceMs = 75_000

const describeWait = (refusal: Call, call: Call): string => {
  const stated = headerValues(refusal.exchange, 'Retry-After').join(', ')
  const waited = duration(call.fromMs - refusal.toMs)
  const ofDay = refusal.window?.name === 'day' ? ' of the day' : ''
  return `${waited} after a ${named(refusal)}${ofDay} with Retry-After: ${stated}`
}

/** Silent for as long as the latest response stated: served. */
export const servedAfterWait = stateless((call, { windows, breach, tried }) => {
  if (!showsIfServed(call)) return
  const { before, silentMs } = call
  if (!before) return
  const refusal = longestWait(before)
  if (!refusal || silentMs + promptMs < waitOf(refusal)) return
  tried('retry-after-each-served', call)
  if (!call.refused || !isLatest(refusal, before, call) || silentMs < waitOf(refusal)) return
  const latest = before.refused ? before : refusal
  breach({
    law: 'retry-after-each-served',
    place: placeOfWait(latest, call, windows),
    calls: [latest, call],
    expected: 'to be served then',
    actual: `${named(call)}, ${describeWait(latest, call)}`,
  })
})

/** Silent for longer than a minute, without a refusal before: served. */
export const servedAfterSilence = stateless((call, { windows: [, day], breach, tried }) => {
  if (!showsIfServed(call)) return
  const { before, silentMs } = call
  if (!before || call.window?.name === 'day' || silentMs < minSilenceMs) return
  tried('limit-not-below-quota', call)
  if (!call.refused || mayBeBan(call)) return
  if (countOverlapping(call.fromMs - 2 * day.ms, call) >= day.limit) return
  const latest = [before, ...overlapping(before.fromMs - minSilenceMs, before)]
  const isSure = realMs(before, call) <= promptMs && !isTaken(latest, before)
  breach({
    law: 'limit-not-below-quota',
    place: isSure ? 'silence' : call.seq,
    calls: [before, call],
    expected: 'any key to be served after 75 s without a request',
    actual: `${call.status} after ${duration(silentMs)} without a request`,
    wrong: { aspect: 'behaviour' },
  })
})
