// What of a run, next to the request, may be why a response is wrong: what was sent before it, the
// keys that show it, the time at the target.

import { bodyText } from '../../history/body.ts'
import {
  type Exchange,
  isAnswered,
  isSuccess,
  sentWith,
  statusCode,
} from '../../history/exchange.ts'
import { sentObject } from '../../history/known-pets.ts'
import type { Violation, Wrong } from '../../history/outcome.ts'
import { dayMs, givenDateMs } from '../../history/rate-headers.ts'
import { removalDay } from '../../model/due.ts'
import { describeRequest, headerKinds, read } from '../../model/read.ts'
import { extraMember, shownValue } from '../../model/read-body.ts'

const maxBefore = 2

const described = (one: Exchange): string => `${describeRequest(one)} (${statusCode(one)})`

const minTogether = 2
const isTogether = (one: Exchange): boolean => sentWith(one).length > 1

const isOnSharedConnection = (one: Exchange): boolean =>
  one.apiRequest.fresh !== true && !isTogether(one)

/** A response that its own request deserved: another one after it may be the same once more. */
const isDeserved = (one: Exchange): boolean =>
  read(one).key !== 'valid' || read(one).parts.some(({ is }) => is === 'invalid')

/** Whether the request before each, on its connection, rightly got the same status. */
const followEqual = (exchanges: readonly Exchange[], trace: readonly Exchange[]): boolean => {
  const shared = trace.filter(isOnSharedConnection)
  return exchanges.every((one) => {
    const before = shared.findLast(({ seq }) => seq < one.seq)
    return (
      before !== undefined &&
      statusCode(before) === statusCode(one) &&
      isDeserved(before) &&
      isOnSharedConnection(one) &&
      one.response?.opened !== true
    )
  })
}

const credentials = ({ apiRequest }: Exchange): string => JSON.stringify(apiRequest.authorization)

/** Whether each was served next to requests with a key, and refused on a connection of its own. */
const areLentKey = (exchanges: readonly Exchange[], trace: readonly Exchange[]): boolean =>
  exchanges.every(
    (one) =>
      one.key === null &&
      isSuccess(one) &&
      isOnSharedConnection(one) &&
      one.response?.opened !== true &&
      trace.some(
        (other) =>
          other.apiRequest.fresh === true &&
          statusCode(other) === 401 &&
          read(other).name === read(one).name &&
          credentials(other) === credentials(one),
      ),
  )

/** So many on connections of their own are no chance. */
const minFresh = 5

/** Whether a valid key was refused on shared connections only, and served on others meanwhile. */
const areOfConnection = (exchanges: readonly Exchange[], trace: readonly Exchange[]): boolean => {
  const firstSeq = Math.min(...exchanges.map(({ seq }) => seq))
  const since = trace.filter((one) => one.seq > firstSeq && read(one).key === 'valid')
  const fresh = since.filter(({ apiRequest }) => apiRequest.fresh)
  const served = new Set(fresh.filter(isSuccess).map((one) => read(one).name))
  // How its scheme, or a field, is written may matter more.
  const isPlain = (one: Exchange) =>
    read(one).parts.every(({ part, kind }) => part !== 'key' && !headerKinds.includes(kind))
  return (
    fresh.length >= minFresh &&
    fresh.every((one) => statusCode(one) !== 401) &&
    exchanges.every((one) => statusCode(one) === 401 && isOnSharedConnection(one)) &&
    exchanges.every((one) => isPlain(one) && served.has(read(one).name))
  )
}

/** Fewer valid requests may fail one by one. */
const minInState = 3

const isFaultless = (one: Exchange): boolean =>
  read(one).key === 'valid' &&
  read(one).parts.every(({ is }) => is !== 'invalid' && is !== 'lenient')

/** A request that may have changed the state, with what is peculiar about it first of all. */
const changeIn = (one: Exchange): readonly string[] => {
  const { name, parts } = read(one)
  const peculiar = one.apiRequest.method === 'GET' ? [] : parts.filter(({ is }) => is !== 'valid')
  return peculiar.slice(0, 1).map(({ part, kind, words }) => {
    // Another value of the member may change nothing.
    const value = kind === extraMember ? sentObject(one)?.[part] : undefined
    const shown = value === undefined ? words : `with ${part} ${shownValue(value)}`
    return `${name} ${shown} (${statusCode(one)})`
  })
}

const firstLine = (one: Exchange): string => bodyText(one).trim().split('\n', 1)[0] ?? ''

/**
 * What was sent from the last request of an operation that was served to the second one after it,
 * or to the first one with the same error, where the server broke at every valid one since: a state
 * that an earlier request left.
 */
const brokenSince = (exchange: Exchange, trace: readonly Exchange[]): string | undefined => {
  const own = trace.filter((one) => read(one).name === read(exchange).name)
  const [served, ...since] = own.slice(Math.max(0, own.findLastIndex(isSuccess)))
  if (!served || !isSuccess(served) || exchange.seq <= served.seq) return undefined
  const valid = since.filter(isFaultless)
  if (valid.length < minInState || valid.some((one) => statusCode(one) < 500)) return undefined
  const [first, second] = since.filter((one) => statusCode(one) >= 500)
  // What breaks it may get another error than what finds it broken.
  const isBroken = first && second && firstLine(first) === firstLine(second)
  const endSeq = (isBroken ? first : second)?.seq ?? served.seq
  const before = trace.filter(({ seq }) => seq >= served.seq && seq < endSeq).flatMap(changeIn)
  if (before.length === 0 || before.length > maxBefore) return undefined
  return `after ${before.join(' and ')}`
}

/**
 * What got the same error as the first read that got it, and came after that read was served: what
 * it left breaks others.
 */
const brokenBy = (exchange: Exchange, trace: readonly Exchange[]): string | undefined => {
  const error = firstLine(exchange)
  const isSame = (one: Exchange) => statusCode(one) >= 500 && firstLine(one) === error
  const first = trace.find((one) => isSame(one) && read(one).name === read(exchange).name)
  if (!first || error === '' || first.apiRequest.method !== 'GET') return undefined
  const earlier = trace.filter(({ seq }) => seq < first.seq)
  const at = earlier.findLastIndex(
    (one) => isSuccess(one) && describeRequest(one) === describeRequest(first),
  )
  const [change] = at < 0 ? [] : earlier.slice(at).filter(isSame).flatMap(changeIn)
  return change === undefined ? undefined : `after ${change}`
}

/** What was sent before that left a state which breaks the server. */
export const breakingState = (
  exchange: Exchange,
  trace: readonly Exchange[],
): string | undefined =>
  statusCode(exchange) < 500
    ? undefined
    : (brokenSince(exchange, trace) ?? brokenBy(exchange, trace))

/** Of what was shrunk the requests before the last; or that the response is that of another one. */
export const whatCameBefore = (
  { wrong, evidence }: Violation,
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): string | undefined => {
  if (wrong.inSequence) {
    const before = evidence.slice(0, -1)
    const shown = before.slice(-maxBefore).map(described).join(' and ')
    return before.length > maxBefore ? `after ${shown}` : `right after ${shown}`
  }
  const [first] = exchanges
  if (!first) return undefined
  const areTogether = exchanges.length >= minTogether && exchanges.every(isTogether)
  if (areTogether && !wrong.ofKey) return 'while other requests are in flight'
  if (areLentKey(exchanges, trace)) return 'on a connection that carried a valid key'
  if (first.key === null || isSuccess(first)) return undefined
  const wasServed = trace.some((one) => isSuccess(one) && read(one).name === read(first).name)
  if (!isDeserved(first) && wasServed && followEqual(exchanges, trace)) {
    return `right after a ${statusCode(first)} on the same connection`
  }
  const isReused = !wrong.ofKey && areOfConnection(exchanges, trace)
  // Which of the connections that others used it was is not known.
  return isReused ? 'on some connections that were used before, and on no new one' : undefined
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

/** So near to the removal a time is compared with it. */
const nearMs = 8 * dayMs

const hourMs = 3_600_000

/** The time at the target, by its Date, if it showed nothing such at an earlier time. */
export const dateOf = (
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): string | undefined => {
  const first = exchanges.reduce((a, b) => (b.seq < a.seq ? b : a))
  const ms = isAnswered(first) ? givenDateMs(first) : undefined
  const { name } = read(first)
  const wasOtherwise = trace.some(
    (one) => isSuccess(one) && read(one).name === name && one.movedMs <= first.movedMs - hourMs,
  )
  if (ms === undefined || !wasOtherwise) return undefined
  const date = new Date(ms).toISOString().replace('.000', '')
  const isNear = Math.abs(ms - removalDay.firstMs) <= nearMs
  const removed = read(first).operation === 'get' ? 'its removal' : 'the removal of GET by id'
  return isNear ? `${date}, ${ms < removalDay.firstMs ? 'before' : 'after'} ${removed}` : date
}
