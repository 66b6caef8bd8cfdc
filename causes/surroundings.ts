// What of a run, next to the request, may be why a response is wrong: what was sent before it, the
// keys that show it, the time at the target.

import { bodyText } from '../history/body.ts'
import { type Exchange, isAnswered, isSuccess, statusCode } from '../history/exchange.ts'
import type { Violation } from '../history/outcome.ts'
import { dayMs, givenDateMs, rateHeaders } from '../history/rate-headers.ts'
import type { Wrong } from '../history/wrong.ts'
import { has, isTogether, passes } from '../model/conditions.ts'
import { removalDay } from '../model/due.ts'
import { isFar, longMs } from '../model/isolation/isolate.ts'
import { type Seen, seenIn } from '../model/isolation/seen.ts'
import { describeRequest, read } from '../model/read.ts'
import type { Part } from '../model/read-body.ts'
import { headerKinds } from '../model/read-head.ts'

const maxBefore = 2
/** More say nothing. */
const maxCounted = 12

/** Of more than two the first and the last are named. */
const after = (before: readonly string[]): string =>
  before.length > maxBefore
    ? `after one of ${before.length} requests, ${before[0]} to ${before.at(-1)}`
    : `after ${before.join(' and ')}`

const described = (one: Exchange): string => `${describeRequest(one)} (${statusCode(one)})`

const isOnNewConnection = (one: Exchange): boolean =>
  one.apiRequest.fresh === true || one.response?.opened === true

/** So many valid ones on connections of their own are no chance. */
const minNew = 3

const wordsOfConnection = 'on some connections that were used before, and on no new one'

/** Its operation, and its key as it is written. */
const credentialsOf = (one: Exchange): string => {
  const { authorization, scheme } = one.apiRequest
  return JSON.stringify([read(one).name, authorization, scheme])
}

/** How a field is written may matter more. */
const hasField = (one: Exchange): boolean =>
  read(one).parts.some(({ kind }) => headerKinds.includes(kind))

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

/** Fewer valid requests may fail one by one. */
const minInState = 3

const isFaultless = (one: Exchange): boolean =>
  read(one).key === 'valid' &&
  read(one).parts.every(({ is }) => is !== 'invalid' && is !== 'lenient')

/**
 * A request that may have changed the state, with what is peculiar about it first of all.
 * @param harmless what requests had after which the server still served
 */
const changeIn = (one: Exchange, harmless: readonly Exchange[]) => {
  const { name, parts } = read(one)
  // A method that there is not changes nothing.
  const isNone = one.apiRequest.method === 'GET' || [405, 501].includes(statusCode(one))
  const isNew = (part: Part) => part.is !== 'valid' && !harmless.some((each) => has(each, part))
  const peculiar = isNone ? [] : parts.filter(isNew)
  const status = statusCode(one)
  const isRefused = status >= 400 && status < 500
  return peculiar
    .slice(0, 1)
    .map(({ words }) => ({ isRefused, words: `${name} ${words} (${status})` }))
}

const isPlain = (one: Exchange): boolean => read(one).parts.every(({ is }) => is === 'valid')

const isBroken = (one: Exchange): boolean => statusCode(one) >= 500

const firstLine = (one: Exchange): string => bodyText(one).trim().split('\n', 1)[0] ?? ''

/**
 * What left a state that breaks the server: what was sent from the last request of the operation
 * that was served to the second one after it, or to the first one with the same error, where the
 * server broke at every valid one since.
 */
export const breakingState = (
  { wrong, evidence }: Violation,
  trace: readonly Exchange[],
): string | undefined => {
  const exchange = evidence.at(-1)
  if (wrong.aspect !== 'status' || !exchange || statusCode(exchange) < 500) return undefined
  const { name } = read(exchange)
  const own = trace.filter((one) => read(one).name === name && statusCode(one) !== 429)
  const [served, ...since] = own.slice(Math.max(0, own.findLastIndex(isSuccess)))
  if (!served || !isSuccess(served) || exchange.seq <= served.seq) return undefined
  // The time at the target may be why.
  if (since[0] && isFar(served, since[0])) return undefined
  // What is peculiar about a request may be refused before the state is reached.
  const valid = since.filter((one) => isFaultless(one) && (isBroken(one) || isPlain(one)))
  if (valid.length < minInState || !valid.every(isBroken)) return undefined
  return changesIn(served, since, trace)
}

/** What was sent from a request that was served to what failed since. */
export const changesIn = (
  served: Exchange,
  since: readonly Exchange[],
  trace: readonly Exchange[],
): string | undefined => {
  const [first, second] = since.filter(isBroken)
  // What breaks it may get another error than what finds it broken, and is peculiar.
  const wasBroken = first && second && firstLine(first) === firstLine(second) && isPlain(first)
  const endSeq = (wasBroken ? first : second)?.seq ?? served.seq
  const harmless = trace.filter(({ seq }) => seq < served.seq)
  const before = trace
    .filter(({ seq }) => seq >= served.seq && seq < endSeq)
    .flatMap((one) => changeIn(one, harmless))
  // What is refused leaves nothing behind, as far as something else may have.
  const left = before.filter(({ isRefused }) => !isRefused)
  const words = (left.length > 0 ? left : before).map((each) => each.words)
  return words.length === 0 || words.length > maxCounted ? undefined : after(words)
}

export const rightAfter = (step: string): string => `right after ${step}`

const inFlight = 'while other requests are in flight'

/** So many calls of a key that count, one by one, are no chance. */
const minCounted = 5

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
  return isMissed && falls.length >= minCounted && falls.every((fall) => fall === 1)
}

/** What one call too many shows where calls in flight are counted as one. */
const ofMissed: readonly Wrong['kind'][] = [
  ...(['too many served', 'refilled too soon', 'does not fall'] as const),
]

/** Whether an equal request passes that was sent alone. */
const passesAlone = ([first]: readonly Exchange[], seen: Seen): boolean =>
  first !== undefined &&
  seen.equalTo(first).some((one) => !seen.isInFlight(one) && statusCode(one) !== statusCode(first))

/** Whether the connection explains how a key was taken, or that there was none. */
const isOfConnection = (exchanges: readonly Exchange[], trace: readonly Exchange[]): boolean => {
  const [first] = exchanges
  if (!first) return false
  const isOfKey = first.key === null ? isSuccess(first) : statusCode(first) === 401
  return isOfKey && areOfConnection(exchanges, trace)
}

/** What is in flight with others may be of a connection that something was left on. */
const inFlightOf = ({ aspect }: Wrong, exchanges: readonly Exchange[], seen: Seen) => {
  const areTogether = exchanges.every(isTogether)
  const [first] = exchanges
  const step = first && seen.steps.before(first)
  if (aspect !== 'status') {
    if (!areTogether) return undefined
    return { after: step === undefined ? inFlight : rightAfter(step) }
  }
  if (step !== undefined) return {}
  const areInFlight = exchanges.every((one) => seen.isInFlight(one))
  return areInFlight && passesAlone(exchanges, seen) ? { after: inFlight } : undefined
}

/**
 * A state that breaks the server; of what was shrunk the requests before the last; or that the
 * response is that of another request, or of a connection.
 * @returns it in words, and whether the request itself then does not matter
 */
export const whatIsAround = (
  violation: Violation,
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): { readonly after?: string; readonly explains?: boolean } => {
  const { wrong, evidence } = violation
  const since = breakingState(violation, trace)
  if (since !== undefined) return { after: since, explains: true }
  if (wrong.inSequence) {
    const before = evidence.slice(0, -1)
    const shown = before.slice(-maxBefore).map(described).join(' and ')
    return { after: `${before.length > maxBefore ? 'after' : 'right after'} ${shown}` }
  }
  if (wrong.ofKey) {
    const keys = [...new Set(exchanges.map(({ key }) => key))]
    const isMissed = (key: string | null) => key !== null && areMissedTogether(key, trace)
    const isOfCrowd = ofMissed.includes(wrong.kind) && keys.some(isMissed)
    return isOfCrowd ? { after: inFlight } : {}
  }
  const flight = inFlightOf(wrong, exchanges, seenIn(trace))
  if (flight !== undefined) return flight
  if (!isOfConnection(exchanges, trace)) return {}
  // A valid key that is refused because of its connection is so likewise.
  return { after: wordsOfConnection, explains: exchanges.every(({ key }) => key !== null) }
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

/** The time at the target, by its Date, if what is read alike failed at no other time. */
export const dateOf = (
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): string | undefined => {
  const first = exchanges.reduce((a, b) => (b.seq < a.seq ? b : a))
  const ms = isAnswered(first) ? givenDateMs(first) : undefined
  const isOther = (one: Exchange) => isSuccess(one) !== isSuccess(first) && statusCode(one) !== 429
  const others = seenIn(trace).alikeTo(first).filter(isOther)
  // What was served at that time too has another reason.
  const isOfTime = others.length > 0 && others.every((one) => isFar(first, one))
  if (ms === undefined || !isLate(exchanges) || !isOfTime) return undefined
  const later = exchanges.some((one) => isFar(first, one)) ? ' and later' : ''
  const date = new Date(ms).toISOString().replace('.000', '') + later
  const isNear = Math.abs(ms - removalDay.firstMs) <= nearMs
  const removed = read(first).operation === 'get' ? 'its removal' : 'the removal of GET by id'
  return isNear ? `${date}, ${ms < removalDay.firstMs ? 'before' : 'after'} ${removed}` : date
}
