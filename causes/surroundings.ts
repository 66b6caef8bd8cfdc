// What of a run, next to the request, may be why a response is wrong: what was sent before it, the
// keys that show it, the time at the target.

import { type Exchange, isAnswered, isSuccess, statusCode } from '../history/exchange.ts'
import type { Violation } from '../history/outcome.ts'
import { dayMs, givenDateMs, rateHeaders } from '../history/rate-headers.ts'
import type { Wrong } from '../history/wrong.ts'
import {
  type Isolated,
  isFar,
  isFault,
  isLike,
  isOnNewConnection,
  isTogether,
  kindOf,
  longMs,
  minNoChance,
  passes,
} from '../model/conditions.ts'
import { removalDay } from '../model/due.ts'
import { afterRefusals, whereResetMoves } from '../model/isolation/refusals.ts'
import { repeated, servedFor } from '../model/isolation/repeats.ts'
import { inFlightIn, type Seen, seenIn } from '../model/isolation/seen.ts'
import { inSequence, onUsedConnection, stepBefore } from '../model/isolation/states.ts'
import { isNoChance, placeInWindow } from '../model/isolation/times.ts'
import { read } from '../model/read.ts'
import { headerKinds } from '../model/read-head.ts'

/** So many valid ones on connections of their own are no chance. */
const minNew = 3

/** Its operation, and its key as it is written. */
const credentialsOf = (one: Exchange): string => {
  const { authorization, scheme } = one.apiRequest
  return JSON.stringify([read(one).name, authorization, scheme])
}

/** A field, or how fields are written, may matter more. */
const hasField = (one: Exchange): boolean =>
  read(one).parts.some(({ part, kind }) => part === 'head' || headerKinds.includes(kind))

/** Whether requests with the same key got what is due on each new connection. */
const areOfConnection = (exchanges: readonly Exchange[], trace: readonly Exchange[]): boolean => {
  const isKept = (one: Exchange) => !isTogether(one) && !isOnNewConnection(one)
  // Where it is so without a field, none matters.
  const plain = exchanges.filter((one) => !hasField(one))
  if (plain.length === 0 || !exchanges.every(isKept)) return false
  const own = new Set(plain.map(credentialsOf))
  const anew = trace.filter(isOnNewConnection)
  const others = anew.filter((one) => own.has(credentialsOf(one)))
  const isKeyless = exchanges[0]?.key === null
  if (own.size === new Set(others.map(credentialsOf)).size)
    return others.length >= (isKeyless ? 1 : minNew) && others.every(passes)
  // What was not sent on a new one is as all other requests without a key.
  const bare = anew.filter((one) => one.key === null && read(one).operation !== undefined)
  return isKeyless && bare.length >= minNew && !bare.some(isSuccess)
}

export const inFlight = 'while other requests are in flight'

/** What each served call of a key says of its count, and which calls are in flight together. */
const countsOf = (key: string, trace: readonly Exchange[]) => {
  let [latestMs, crowd] = [0, 0]
  const all = trace.filter((one) => one.key === key && isAnswered(one))
  return all.map((one) => {
    const isAlone = one.sentMs >= latestMs
    latestMs = Math.max(latestMs, one.receivedMs)
    crowd += Number(isAlone)
    const { limit, reset, remaining = 0 } = (isSuccess(one) && rateHeaders(one)) || {}
    return { isAlone, crowd, remaining, window: limit && `${limit} until ${reset}` }
  })
}

/** Whether each call of a key counts where it is sent alone, and not all that are in flight do. */
const areMissedTogether = (key: string, trace: readonly Exchange[]): boolean => {
  const counts = countsOf(key, trace)
  const falls = counts.flatMap((to, at) => {
    const from = counts[at - 1]
    const areAlone = from?.isAlone && to.isAlone && to.window && from.window === to.window
    return areAlone ? [from.remaining - to.remaining] : []
  })
  const left = counts.filter(({ window, remaining }) => window && remaining > 0)
  const texts = left.map(({ crowd, window, remaining }) => [crowd, window, remaining].join())
  const isMissed = new Set(texts).size < texts.length
  return isMissed && falls.length >= minNoChance && falls.every((fall) => fall === 1)
}

/** What one call too many shows where calls in flight are counted as one. */
const ofMissed: readonly Wrong['kind'][] = [
  ...(['too many served', 'refilled too soon', 'does not fall'] as const),
]

/** Whether a header is wrong in calls alone that are in flight with others. */
const areInFlight = ({ aspect }: Wrong, failing: ReadonlySet<Exchange>, seen: Seen): boolean => {
  const crowd = inFlightIn(seen)
  const areAll = aspect === 'header' && [...failing].every((one) => crowd.has(one))
  const kinds = new Set([...failing].map(kindOf))
  const isAlone = (one: Exchange) => one.key !== null && kinds.has(kindOf(one)) && !crowd.has(one)
  const alone = areAll ? seen.trace.filter(isAlone) : []
  return alone.length >= minNoChance && isNoChance(crowd.size, failing.size, seen)
}

/** Whether the connection explains how a key was taken, or that there was none. */
const isOfConnection = (exchanges: readonly Exchange[], trace: readonly Exchange[]): boolean => {
  const [first] = exchanges
  if (!first) return false
  const isOfKey = first.key === null ? isSuccess(first) : statusCode(first) === 401
  return isOfKey && areOfConnection(exchanges, trace)
}

const isOfName = (one: Exchange, other: Exchange): boolean => read(one).name === read(other).name

/** What is in flight with others may be of a connection that something was left on. */
const inFlightOf = (
  { aspect }: Wrong,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
) => {
  const [first] = exchanges
  const crowd = inFlightIn(seen)
  if (aspect !== 'status') {
    if (exchanges.every(isTogether)) return (first && stepBefore(first, seen)) ?? inFlight
    // Others of its operation are right where they are sent alone.
    const isRight = (one: Exchange) => !crowd.has(one) && !failing.has(one) && passes(one)
    const alone = first ? seen.trace.filter((one) => isRight(one) && isOfName(one, first)) : []
    const areMany = exchanges.length >= minNoChance && alone.length >= minNoChance
    return areMany && exchanges.every((one) => crowd.has(one)) ? inFlight : undefined
  }
  // An equal request passes that was sent alone.
  const isOther = (one: Exchange) => !crowd.has(one) && first && !isLike(first)(one)
  const passesAlone = first && seen.equalTo(first).some(isOther)
  return passesAlone && exchanges.every((one) => crowd.has(one)) ? inFlight : undefined
}

/** What is around a request, in words. */
export interface Around {
  readonly after?: string
  /** The body is that of an earlier response, which `after` names. */
  readonly isRepeat?: true
}

const repeatOf = (
  { aspect }: Wrong,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): Around | undefined => {
  const isOfPets = aspect === 'count' || aspect === 'member'
  const after = isOfPets ? repeated(exchanges, failing, seen) : undefined
  return after === undefined ? undefined : { after, isRepeat: true }
}

/** What is around calls of a key that violate a law of the limit. */
const aroundCalls = (
  wrong: Wrong,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): string | undefined => {
  const keys = [...new Set(exchanges.map(({ key }) => key))]
  const isMissed = (key: string | null) => key !== null && areMissedTogether(key, seen.trace)
  const isOfCrowd = ofMissed.includes(wrong.kind) && keys.some(isMissed)
  if (isOfCrowd || areInFlight(wrong, failing, seen)) return inFlight
  const after = afterRefusals(exchanges, seen)
  return after ?? (wrong.aspect === 'status' ? whereResetMoves(exchanges, seen) : undefined)
}

/**
 * Of what was shrunk the requests before the last; or that the response is that of another request,
 * or of a connection.
 * @returns it in words, and whether the request itself then does not matter
 */
export const whatIsAround = (
  { wrong, evidence }: Violation,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  isolated: Isolated | undefined,
  seen: Seen,
): Around & { readonly explains?: boolean } => {
  // A state explains it whatever else there is.
  if (isolated?.after !== undefined && isolated.chance === undefined) return {}
  if (wrong.inSequence) return { after: inSequence(evidence) }
  if (wrong.ofKey) {
    const after = aroundCalls(wrong, exchanges, failing, seen)
    return after === undefined ? {} : { after }
  }
  const [first] = exchanges
  const after =
    placeInWindow(wrong, failing, seen) ??
    inFlightOf(wrong, exchanges, failing, seen) ??
    (first && servedFor(first, seen))
  if (after !== undefined) return { after }
  const repeat = repeatOf(wrong, exchanges, failing, seen)
  if (repeat) return repeat
  if (!isOfConnection(exchanges, seen.trace)) return {}
  // A valid key that is refused because of its connection is so likewise.
  return { after: onUsedConnection, explains: exchanges.every(({ key }) => key !== null) }
}

/** The keys whose calls show it, that of the first one first; none where all keys show it. */
export const keysOf = (
  { ofKey }: Wrong,
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): readonly string[] | undefined => {
  if (!ofKey) return undefined
  const keysIn = (some: readonly Exchange[]) =>
    new Set(some.flatMap(({ key }) => (key === null ? [] : [key])))
  const own = keysIn(exchanges)
  return own.size === keysIn(trace).size ? [] : [...own]
}

/** Whether it showed only after a long move of the clock. */
export const isLate = (shown: readonly Exchange[]): boolean =>
  Math.min(...shown.map(({ movedMs }) => movedMs)) >= longMs

/** So near to the removal a time is compared with it. */
const nearMs = 8 * dayMs

const isoOf = (ms: number): string => new Date(ms).toISOString().replace('.000', '')

/** What it got at the nearest other time, ` (410 at 2031-01-05T00:00:00Z)`. */
const otherwise = (ms: number, others: readonly Exchange[]): string => {
  // An unknown id gets 404 at any time.
  const known = others.filter((one) => isSuccess(one) || [410, 501].includes(statusCode(one)))
  const [nearest] = known
    .flatMap((one) => {
      const atMs = isAnswered(one) ? givenDateMs(one) : undefined
      return atMs === undefined ? [] : [{ atMs, status: statusCode(one) }]
    })
    .toSorted((a, b) => Math.abs(a.atMs - ms) - Math.abs(b.atMs - ms))
  return nearest ? ` (${nearest.status} at ${isoOf(nearest.atMs)})` : ''
}

/** The time at the target, by its Date, if what is read alike failed at no other time. */
export const dateOf = (
  { aspect }: Wrong,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  trace: readonly Exchange[],
): string | undefined => {
  const first = exchanges.reduce((a, b) => (b.seq < a.seq ? b : a))
  const ms = isAnswered(first) ? givenDateMs(first) : undefined
  // A pet that is shown after the removal is so for the time alone.
  const { operation, parts } = read(first)
  const isShown = operation === 'get' && isSuccess(first) && !parts.some(isFault)
  const isStillServed = isShown && (ms ?? 0) >= removalDay.lastMs
  const isOther = (one: Exchange) =>
    aspect === 'count'
      ? isSuccess(one) && !failing.has(one)
      : isSuccess(one) !== isSuccess(first) && statusCode(one) !== 429
  const others = seenIn(trace).alikeTo(first).filter(isOther)
  // What was served at that time too has another reason.
  const isOfTime = isStillServed || (others.length > 0 && others.every((one) => isFar(first, one)))
  if (ms === undefined || !isLate(exchanges) || !isOfTime) return undefined
  const later = exchanges.some((one) => isFar(first, one)) ? ' and later' : ''
  const date = isoOf(ms) + later
  const isNear = Math.abs(ms - removalDay.firstMs) <= nearMs
  const removed = operation === 'get' ? 'its removal' : 'the removal of GET by id'
  const when = isNear ? `, ${ms < removalDay.firstMs ? 'before' : 'after'} ${removed}` : ''
  return `${date}${when}${aspect === 'count' ? '' : otherwise(ms, others)}`
}
