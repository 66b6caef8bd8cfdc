// What of a request decides, as far as the history isolates it: a request that fails and one that
// passes, which differ in what is named and in nothing else.
import {
  type ApiRequest,
  type Exchange,
  isAnswered,
  isSuccess,
  memoized,
  statusCode,
} from '../history/exchange.ts'
import type { Json } from '../history/json.ts'
import { petsIn, requestedId, sentObject } from '../history/known-pets.ts'
import { read } from '../model/read.ts'
import { type Part, partOf, shownValue } from '../model/read-body.ts'
import { headerKinds } from '../model/read-head.ts'

const isFault = ({ is }: Part): boolean => is === 'invalid' || is === 'lenient'

/** Of what is valid, and of names, the kind may matter; of all else each value. */
const keyOf = ({ part, is, kind, words }: Part): string => {
  const isOfName = part === 'name' && is === 'open'
  const isAny = (is === 'valid' || isOfName) && kind !== 'scheme' && !headerKinds.includes(kind)
  return `${part}|${kind}${isAny ? '' : `|${words}`}`
}

const keysIn = memoized(
  (apiRequest: ApiRequest): ReadonlySet<string> => new Set(read({ apiRequest }).parts.map(keyOf)),
)

const nameLength = (one: Exchange): number => {
  const name = sentObject(one)?.name
  return typeof name === 'string' ? [...name].length : 0
}

/** A part that decides; of a name its length may. */
export type Decisive = Part & { readonly longerThan?: number }

export const has = (one: Exchange, part: Decisive): boolean =>
  part.longerThan === undefined
    ? keysIn(one.apiRequest).has(keyOf(part))
    : nameLength(one) > part.longerThan

/** Whether a valid request was served, or a faulty one refused for its fault. */
const passes = (one: Exchange): boolean => {
  const code = statusCode(one)
  const faults = read(one).parts.filter(isFault)
  if (faults.length === 0) return isSuccess(one)
  const isOfKey = faults.some(({ part }) => part === 'key')
  return isOfKey ? [400, 401, 403].includes(code) : code >= 400 && code < 500 && code !== 429
}

/** The exchanges of a run so far. */
export interface Seen {
  readonly trace: readonly Exchange[]
  /** By operation what passes; of requests that are read alike the one with the longest name. */
  readonly passing: ReadonlyMap<string, readonly Exchange[]>
}

export const passingIn = (trace: readonly Exchange[]): Seen['passing'] =>
  new Map(
    [...Map.groupBy(trace.filter(passes), (one) => read(one).name)].map(([name, all]) => {
      const alike = new Map<string, Exchange>()
      for (const one of all) {
        const key = [...keysIn(one.apiRequest)].join()
        const other = alike.get(key)
        if (!other || nameLength(one) > nameLength(other)) alike.set(key, one)
      }
      return [name, [...alike.values()]]
    }),
  )

/** Whether something that was served before shows a pet of the id. */
const isShown = (id: Json, exchange: Exchange, trace: readonly Exchange[]): boolean =>
  trace.some(
    (one) =>
      one.seq <= exchange.seq &&
      one !== exchange &&
      isAnswered(one) &&
      isSuccess(one) &&
      petsIn(one).some((pet) => pet.id === id),
  )

const wordsOfValue = (member: string, one: Exchange): string =>
  `with ${member} ${shownValue(sentObject(one)?.[member] ?? null)}`

/** Others that are read alike pass: a value itself may matter, if none passes with it. */
const ofValues = (
  exchange: Exchange,
  alike: readonly Exchange[],
  trace: readonly Exchange[],
): readonly Part[] => {
  const { name, parts } = read(exchange)
  const id = requestedId(exchange)
  if (id !== undefined && !isShown(id, exchange, trace)) {
    return [partOf('petId', 'valid', 'unknown id', 'with an unknown id')]
  }
  const members = sentObject(exchange) ?? {}
  const served = trace.filter((one) => isSuccess(one) && read(one).name === name)
  return [...new Set(parts.map(({ part }) => part))].flatMap((member) => {
    const value = member === 'status' ? undefined : members[member]
    if (value === undefined || served.some((one) => sentObject(one)?.[member] === value)) return []
    const words = wordsOfValue(member, exchange)
    const isOfAll = alike.every((one) => wordsOfValue(member, one) === words)
    const isOfOther = member === 'id' && isShown(value, exchange, trace)
    const shown = `${words}${isOfOther ? ', as an earlier pet has' : ''}`
    return isOfAll ? [partOf(member, 'valid', 'value', shown)] : []
  })
}

/** A name grows by one with the number of pets. */
const minLonger = 2

const ofLength = (alike: readonly Exchange[], served: readonly Exchange[]): readonly Decisive[] => {
  const longest = Math.max(...served.map(nameLength))
  const isLonger = served.length > 0 && alike.every((one) => nameLength(one) >= longest + minLonger)
  const words = `with a name of more than ${longest} characters`
  const part = partOf('name', 'valid', 'length', words)
  return isLonger ? [{ ...part, longerThan: longest }] : []
}

/** More parts that differ at once isolate nothing. */
const maxTogether = 2

/** @param plainer what passes without another fault, none of it with all parts of the request */
const isolatedBy = (exchange: Exchange, plainer: readonly Exchange[], named: readonly Part[]) => {
  const { parts, query } = read(exchange)
  const single = plainer
    .map((one) => parts.filter((each) => !has(one, each)))
    .flatMap((own) => (own.length === 1 ? own : []))
  // What a list is asked for matters together.
  const isAsked = ({ part }: Part) => query !== undefined && (part === 'limit' || part === 'status')
  if (single.length > 0) {
    return parts.filter((each) => single.includes(each) || named.includes(each) || isAsked(each))
  }
  if (named.length > 0) return named
  const found = parts.filter((each) => isAsked(each) || !plainer.some((one) => has(one, each)))
  return found.length > maxTogether ? found.filter(isAsked) : found
}

/**
 * @param alike requests that got the same status: of their values one matters that all have
 * @returns none where nothing is isolated
 */
export const findConditions = (
  exchange: Exchange,
  { passing, trace }: Seen,
  alike: readonly Exchange[] = [exchange],
): readonly Decisive[] => {
  const { name, parts } = read(exchange)
  // Where the request says what is sent for a key, nothing else matters.
  if (exchange.apiRequest.says !== undefined) return parts.slice(0, 1)
  const faults = parts.filter(isFault)
  const others = passing.get(name) ?? []
  const served = others.filter(isSuccess)
  if (others.length === 0) return faults
  // Another status is due for its faults.
  const named = statusCode(exchange) < 500 ? faults : []
  const plainer = others.filter((one) =>
    read(one).parts.every((each) => !isFault(each) || has(exchange, each)),
  )
  const long = ofLength(alike, served)
  const isAlike = (one: Exchange) => parts.every((each) => has(one, each))
  if (plainer.some(isAlike)) {
    if (named.length === 0) return long.length > 0 ? long : ofValues(exchange, alike, trace)
    // No pet has the id, and others with such an id were refused for their key.
    const isOfId = ({ apiRequest }: Exchange) => apiRequest.path === exchange.apiRequest.path
    const isOther =
      statusCode(exchange) === 404 &&
      !trace.some((one) => isOfId(one) && one !== exchange && passes(one) && isAlike(one))
    return parts.filter((each) => named.includes(each) || (isOther && each.part === 'petId'))
  }
  const found = isolatedBy(exchange, plainer, named)
  // It may be the length of the name as well.
  const isOfName = found.every(({ part, is }) => part === 'name' && is === 'valid')
  return isOfName && long.length > 0 ? [] : found
}
