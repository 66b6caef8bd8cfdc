// What a key may be granted at most: in a span, in a window that the server declared, after a rest
// of two windows; and how far apart two refills are.

import { asCount, asRefills, type Findings } from './breach.ts'
import {
  type Call,
  fromTo,
  givenBack,
  graceMs,
  isBefore,
  mayBeBan,
  mayBePast,
  roundingMs,
  silentMs,
  type Window,
} from './calls.ts'

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

/** A suspended machine, such as a virtual one, measures less time than has passed. */
const mayHaveSlept = (first: Call, last: Call, ms: number): boolean => {
  const [from, to] = [first.clocksMs.at(-1), last.clocksMs.at(-1)]
  return from !== undefined && to !== undefined && to - from >= ms
}

/** In less than one window no design grants more than two windows' worth. */
export const grantedInSpan = (
  calls: readonly Call[],
  { name, limit, ms }: Window,
  { breach, tried }: Findings,
): void => {
  // Once the whole quota was sent within a window, the next call may be one too many.
  for (const call of calls.slice(limit)) {
    const first = calls[call.place - limit] as Call
    if (call.toMs - first.fromMs < ms) tried('limit-not-late', call)
  }
  const served = calls.filter((call) => call.served)
  let begin = 0
  for (const [at, last] of served.entries()) {
    const first = at - 2 * limit < begin ? undefined : served[at - 2 * limit]
    if (!first || last.latestMs - first.fromMs >= ms - graceMs) continue
    begin = at + 1
    breach({
      law: 'limit-not-late',
      place: 'span',
      sure: !mayHaveSlept(first, last, ms),
      calls: [first, last],
      expected: `at most ${2 * limit} requests (2 x ${limit}) served in less than a ${name}`,
      actual: `${2 * limit + 1} served within ${seconds(last.latestMs - first.fromMs)}`,
      wrong: asCount,
    })
  }
}

/** Under one declared Reset no more than Limit are granted; a bucket's next token is no window. */
export const grantedDeclared = (calls: readonly Call[], { breach }: Findings): void => {
  const counted = calls.filter((call) => call.served && call.window)
  const groups = Map.groupBy(counted, (call) => `${call.window?.name} ${call.reset}`)
  for (const group of groups.values()) {
    const last = group.at(-1) as Call
    const { limit = 0, ms = 0 } = last.window ?? {}
    if (group.length <= limit) continue
    // A longer time with one Reset is no window: calls may have left the count meanwhile.
    const some = group.filter((call) => last.toMs - call.fromMs < ms)
    const [first = last] = some
    const isToken = last.fromMs - first.toMs <= roundingMs
    const max = limit + (isToken ? Math.floor(((last.latestMs - first.fromMs) * limit) / ms) : 0)
    if (some.length <= max) continue
    breach({
      law: 'limit-not-late',
      place: 'declared',
      sure: !mayHaveSlept(first, last, ms),
      calls: [first, last],
      expected: `at most ${max} requests served until Reset ${last.reset}`,
      actual: `${some.length} served`,
      wrong: asCount,
    })
  }
}

/** A response that announced how many requests remain, and what came after it. */
interface Announced {
  readonly call: Call
  /** The first call after the rest, from which on a bucket refills. */
  readonly rested: Call
  since: number
  /** Infinite where those of a minute may be hidden, as a response spoke of the day. */
  rises: number
  previous: Call
}

/** No zone has its midnight within a half hour of UTC that begins on the hour or at half past. */
const halfHourMs = 1_800_000

const halfHourOf = ({ clocksMs }: Call): string =>
  clocksMs.map((ms) => Math.floor(ms / halfHourMs)).join()

/** Whether no window of a clock may have ended between the rest and the announcement. */
const isFirstWindow = ({ call, rested }: Announced, name: Window['name']): boolean =>
  call === rested ||
  (name === 'day' && call.clocksMs.length > 0 && halfHourOf(call) === halfHourOf(rested))

/**
 * What was announced after a rest, with what may have come back since. A bucket moves Reset then; a
 * sliding counter does not, while it gives back the calls of the window before.
 */
const announcedAt = (said: Announced, to: Call, { name, limit, ms }: Window) => {
  const { call, rested, rises } = said
  const isSame = to.window?.name === name && to.reset === call.reset && isFirstWindow(said, name)
  if (isSame && to.fromMs - call.toMs > roundingMs) return call.remaining
  const spanMs = to.latestMs - rested.fromMs
  const paced = Math.ceil(((spanMs + ms / 10) * limit) / ms)
  return call.remaining + Math.max(Math.floor((spanMs * limit) / ms), Math.min(rises, paced))
}

/** Adds a call to what came after an announcement. */
const follow = (said: Announced, call: Call, name: Window['name']): void => {
  if (call.window?.name === name) {
    const rise = call.remaining - said.previous.remaining + (call.served ? 1 : 0)
    if (call.remaining > 0 && isBefore(said.previous, call)) said.rises += Math.max(0, rise)
    said.previous = call
  } else if (name === 'minute') said.rises = Number.POSITIVE_INFINITY
  if (call.served && isBefore(said.call, call)) said.since += 1
}

/** The first calls after a rest of two windows, each with those of the window that follow. */
const restedGroups = (calls: readonly Call[], ms: number): readonly (readonly Call[])[] => {
  const firsts = calls.filter((call) => silentMs(calls, call) >= 2 * ms)
  return firsts.map((first, at) =>
    calls
      .slice(first.place, firsts[at + 1]?.place)
      .filter((call) => call.toMs - first.fromMs < ms - graceMs),
  )
}

/** The first served call beyond what was announced, before its Reset or a ban may have come. */
const firstBeyond = (said: Announced, calls: readonly Call[], window: Window) => {
  for (const one of calls) {
    if (mayBePast(said.call, one) || mayBeBan(one)) return undefined
    if (one.refused) continue
    follow(said, one, window.name)
    const max = announcedAt(said, one, window)
    if (one.served && said.since > max) return { one, max }
  }
  return undefined
}

/**
 * After two windows of silence, until the Reset that the first response announces: what it
 * announced is granted, and floor(D N / W) more. Ticks of a bucket show as rises.
 */
export const grantedAnnounced = (
  calls: readonly Call[],
  window: Window,
  { breach }: Findings,
): void => {
  for (const group of restedGroups(calls, window.ms)) {
    const call = group.find((one) => one.served && one.quiet && one.window?.name === window.name)
    const [rested] = group
    if (!call || !rested) continue
    const said: Announced = { call, rested, since: 0, rises: 0, previous: call }
    const over = firstBeyond(said, group.slice(group.indexOf(call) + 1), window)
    if (!over) continue
    const { one, max } = over
    breach({
      law: 'limit-not-late',
      place: 'more',
      // Less than the whole may have been announced as others had called.
      sure: call.remaining + call.place - rested.place + 1 >= window.limit,
      calls: [call, one],
      expected: `at most ${max} requests served after Remaining ${call.remaining}`,
      actual: `${said.since} served`,
      wrong: asCount,
    })
  }
}

/** After two days of silence, while no midnight can come: a day, and what a bucket refills. */
export const grantedInDay = (
  calls: readonly Call[],
  { limit, ms }: Window,
  { breach, tried }: Findings,
): void => {
  let first: Call | undefined
  let served = 0
  for (const call of calls) {
    if (silentMs(calls, call) >= 2 * ms) [first, served] = [call, 0]
    const isOver = first && halfHourOf(first) !== halfHourOf(call)
    if (isOver || call.clocksMs.length === 0) first = undefined
    if (!first) continue
    if (served >= limit) tried('limit-not-late', call)
    if (!call.served) continue
    served += 1
    if (served <= limit + Math.floor(((call.toMs - first.fromMs) * limit) / ms)) continue
    breach({
      law: 'limit-not-late',
      place: 'day',
      // A day that another client's call began may end meanwhile: its calls would show.
      sure: false,
      unseen: !mayHaveSlept(first, call, ms),
      calls: [first, call],
      expected: `at most ${limit} requests served in a day`,
      actual: `${served} served`,
      wrong: asCount,
    })
    first = undefined
  }
}

interface Jump {
  readonly from: Call
  readonly to: Call
  /** From a quarter of the quota to all of it: calls before the run can leave a log so, once. */
  readonly isFull: boolean
  readonly isRise: boolean
  /** Calls of other clients that leave a log do not explain it either. */
  readonly isAny: boolean
}

const jumpAt = (calls: readonly Call[], from: Call, to: Call, limit: number): Jump => {
  const { own, foreign } = givenBack(calls, from, to)
  const rise = to.remaining - from.remaining + (to.served ? 1 : 0)
  return {
    from,
    to,
    isFull: from.remaining <= limit / 4 && to.remaining >= limit - 2,
    isRise: rise > own,
    isAny: rise > own + foreign && !from.refused,
  }
}

/** Steps in which Remaining rose by more than a bucket or a log gives back, or to the whole. */
const jumpsOf = (calls: readonly Call[], { name, limit }: Window): readonly Jump[] => {
  let latest: Call | undefined
  const jumps: Jump[] = []
  for (const to of calls) {
    if (to.window?.name !== name) continue
    const from = mayBeBan(to) ? undefined : latest
    latest = mayBeBan(to) ? undefined : to
    if (!from || !isBefore(from, to) || to.remaining <= from.remaining) continue
    jumps.push(jumpAt(calls, from, to, limit))
  }
  return jumps.filter(({ isFull, isRise }) => isFull || isRise)
}

/** Only the end of a window gives back more than a bucket or a log does: once in a window. */
export const refillsApart = (
  calls: readonly Call[],
  window: Window,
  { breach, tried }: Findings,
): void => {
  const { ms } = window
  const jumps = jumpsOf(calls, window)
  for (const [at, { from, to, isFull, isRise, isAny }] of jumps.entries()) {
    const first = jumps
      .slice(0, at)
      .filter((one) => (isFull && one.isFull) || (isRise && one.isRise))
      .findLast((one) => isBefore(one.to, from))
    if (!first) continue
    tried('refills-minute-apart', to)
    const apartMs = to.toMs - first.from.fromMs
    const isCut = calls.slice(first.from.place, to.place).some(mayBeBan)
    if (apartMs >= ms - graceMs || isCut) continue
    const rises = `${fromTo(first.from, first.to)} and ${fromTo(from, to)}`
    breach({
      law: 'refills-minute-apart',
      place: to.seq,
      sure: (isFull && first.isFull) || (isAny && !first.from.refused),
      calls: [first.from, first.to, from, to],
      expected: `two refills at least ${ms / 1000} s apart`,
      actual: `Remaining rose twice within ${seconds(apartMs)}, ${rises}`,
      wrong: asRefills,
    })
  }
}
