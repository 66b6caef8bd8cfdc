// What of a request may be the reason for its status, as far as other exchanges do not rule it out;
// and of the responses with one status, which of them violate a clause.
import { bodyObject, isUnread } from '../history/body.ts'
import {
  type Exchange,
  headerValues,
  isAnswered,
  isSuccess,
  statusCode,
} from '../history/exchange.ts'
import type { Json } from '../history/json.ts'
import { petsIn, requestedId, sentObject } from '../history/known-pets.ts'
import type { Violation } from '../history/outcome.ts'
import { unique } from '../history/quote.ts'
import { noJson } from '../history/value-kinds.ts'
import type { Wrong } from '../history/wrong.ts'
import { read } from '../model/read.ts'
import { type Part, partOf, shownValue } from '../model/read-body.ts'
import { headerKinds } from '../model/read-head.ts'

const unknownId = partOf('petId', 'valid', 'unknown id', 'with an unknown id')

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

/** Of other creations of its kind some were served: the value itself, if none was with it. */
const ofValues = (
  exchange: Exchange,
  alike: readonly Exchange[],
  served: readonly Exchange[],
  trace: readonly Exchange[],
): readonly Part[] => {
  const members = sentObject(exchange) ?? {}
  const peculiar = new Set(read(exchange).parts.map(({ part }) => part))
  const isServed = (member: string) =>
    served.some((one) => sentObject(one)?.[member] === members[member])
  return [...peculiar].flatMap((member) => {
    const value = member === 'status' ? undefined : members[member]
    if (value === undefined || isServed(member)) return []
    const words = wordsOfValue(member, exchange)
    const isOfAll = alike.every((one) => wordsOfValue(member, one) === words)
    const isOfOther = member === 'id' && isShown(value, exchange, trace)
    const shown = `${words}${isOfOther ? ', as an earlier pet has' : ''}`
    return isOfAll ? [partOf(member, 'valid', 'value', shown)] : []
  })
}

const withoutId = (one: Exchange): string => {
  const parts = read(one).parts.filter(({ part }) => part !== 'petId')
  const words = parts.map((each) => each.words)
  return JSON.stringify([read(one).name, one.apiRequest.authorization, words])
}

/** Whether requests with the same wrong key were refused for it, all with other ids. */
const isIdBeforeKey = ({ part }: Part, exchange: Exchange, trace: readonly Exchange[]): boolean => {
  if (part !== 'petId' || statusCode(exchange) !== 404) return false
  const own = withoutId(exchange)
  const refused = trace.filter((one) => statusCode(one) === 401 && withoutId(one) === own)
  return (
    refused.length > 0 &&
    refused.every(({ apiRequest }) => apiRequest.path !== exchange.apiRequest.path)
  )
}

/**
 * What of a request may matter to its status: all that is invalid; and what is not, if requests of
 * the same operation were served without it, and none with it. What a valid query asks for together
 * matters together, if no list was served that asked for all of it.
 * @param alike requests that got the same status: of their values one matters that all have
 */
export const findConditions = (
  exchange: Exchange,
  trace: readonly Exchange[],
  alike: readonly Exchange[] = [],
): readonly Part[] => {
  const { name, parts, query } = read(exchange)
  const served = trace.filter((one) => isSuccess(one) && read(one).name === name)
  const has = (one: Exchange, { part, is, kind, words }: Part) => {
    // Of what is open, and of fields, one value may matter and another not.
    const isAny = is === 'valid' && kind !== 'scheme' && !headerKinds.includes(kind)
    return read(one).parts.some(
      (each) => each.part === part && each.kind === kind && (isAny || each.words === words),
    )
  }
  // Where the request says what is sent for a key, nothing else matters.
  if (exchange.apiRequest.says !== undefined) return parts.slice(0, 1)
  const isAsked = served.some((one) => parts.every((each) => has(one, each)))
  const isKeyless = parts.some(({ part, is }) => part === 'key' && is === 'invalid')
  if (query !== undefined && served.length > 0 && !isAsked && !isKeyless) return parts
  const found = parts.filter(
    (each) =>
      each.is === 'invalid' ||
      each.is === 'lenient' ||
      // Whatever else a request without a key has may be why it is not refused for that.
      (isKeyless && (headerKinds.includes(each.kind) || isIdBeforeKey(each, exchange, trace))) ||
      (!isKeyless && served.length > 0 && !served.some((one) => has(one, each))),
  )
  if (found.length > 0 || served.length === 0) return found
  const id = requestedId(exchange)
  if (id !== undefined && !isShown(id, exchange, trace)) return [unknownId]
  return ofValues(exchange, alike, served, trace)
}

export const otherMethods = 'methods that the interface does not have'
const otherAddresses = 'addresses that the interface does not name'

/** What the interface has. */
export const ownOperations: readonly string[] = ['GET /pets', 'POST /pets', 'GET /pets/{petId}']

/** Of a request in words its operation; what the interface does not have is one place. */
export const placeIn = (name: string): string => {
  if (ownOperations.includes(name)) return name
  return /^\S+ \/pets(?:\/[^/?]+)?(?:\?.*)?$/.test(name) ? otherMethods : otherAddresses
}

const placeOf = (one: Exchange): string => placeIn(read(one).name)

/** Of several values of one kind. */
const wordsOfKind = ({ part, kind }: Part): string => {
  if (part === 'petId') return `with an id ${kind === 'no integer' ? 'that is no integer' : kind}`
  if (part === 'body' && kind === 'no JSON') return 'with a body that is not JSON'
  return part === 'key' ? 'with an invalid key' : ''
}

/** What is wrong with all of these requests, and with none of the others, in words. */
const sharedBy = (failing: readonly Exchange[], others: readonly Exchange[]): string => {
  const hasOnly = (isOwn: (each: Part) => boolean) =>
    failing.every((one) => read(one).parts.some(isOwn)) &&
    !others.some((one) => read(one).parts.some(isOwn))
  const parts = failing[0] ? read(failing[0]).parts.filter(({ is }) => is !== 'valid') : []
  const alike = parts.find(({ words }) => hasOnly((each) => each.words === words))
  if (alike) return alike.words
  const own = parts.find(({ part, kind }) =>
    hasOnly((each) => each.part === part && each.kind === kind),
  )
  return own ? wordsOfKind(own) : ''
}

/**
 * @param others those with the same status that do not violate the clause
 * @returns `of GET /pets/{petId} with the id %22`; empty where nothing that was sent separates them
 */
const findContrast = (failing: readonly Exchange[], others: readonly Exchange[]): string => {
  const held = new Set(others.map(placeOf))
  const shared = failing.filter((one) => held.has(placeOf(one)))
  const words = sharedBy(shared, others)
  if (words === '' && shared.length > 0) return ''
  // Where a place shows it always, nothing of its requests matters.
  const places = unique(failing.map(placeOf))
  const own = places.filter((each) => held.has(each))
  const some = own.length > 0 ? [`${own.join(' or ')} ${words}`] : []
  return `of ${[...places.filter((each) => !held.has(each)), ...some].join(' or of ')}`
}

/** Whether a response has what another one lacks, whatever judged it. */
const hasPart = (exchange: Exchange, { aspect, name = '', kind }: Wrong): boolean => {
  const all = name.split(', ')
  if (kind === 'missing' && aspect === 'header') {
    return all.some((each) => headerValues(exchange, each).length > 0)
  }
  if (isUnread(exchange)) return false
  const body = bodyObject(exchange)
  return body !== undefined && (kind === noJson || all.some((each) => each in body))
}

/**
 * Of a wrong part of a response: which of those with its status have it, and of how many.
 * @param failing all that the check found wrong
 */
export const amongAlike = (
  { wrong, evidence }: Violation,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  trace: readonly Exchange[],
) => {
  const isOfPart = wrong.aspect === 'header' || (wrong.aspect === 'body' && !wrong.ofPet)
  const isLacked = wrong.kind === 'missing' || wrong.kind === noJson
  if (!isOfPart || !isLacked) return {}
  const status = evidence.at(-1)?.response?.status
  const same = trace.filter(({ response }) => response?.status === status)
  const others = same.filter((one) => !failing.has(one) && hasPart(one, wrong))
  // Those that another clause judges may lack it too: which share these are is then not known.
  const isKnown = exchanges.length + others.length === same.length
  const alike = isKnown ? { alike: same.length } : {}
  if (others.length === 0) return { ...alike, isOfAll: true } as const
  const where = findContrast(exchanges, others)
  return where === '' ? alike : { ...alike, where }
}
