// What of a request may be the reason for its status, as far as other exchanges do not rule it out.
import { type Exchange, isAnswered, isSuccess, statusCode } from '../../history/exchange.ts'
import type { Json } from '../../history/json.ts'
import { petsIn, requestedId, sentObject } from '../../history/known-pets.ts'
import { headerKinds, read } from '../../model/read.ts'
import { type Part, partOf, shownValue } from '../../model/read-body.ts'

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
  if (parts.length === 0 && query !== undefined) return []
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

const minChanged = 3

/**
 * `with any name`: of plain creations none came back with the value of a member that was sent, so
 * no value of it is peculiar.
 */
export const changesOfAny = (member: string, trace: readonly Exchange[]): readonly Part[] => {
  const pairs = trace.flatMap((one) => {
    const sent = sentObject(one)?.[member]
    if (sent === undefined || !isAnswered(one) || !isSuccess(one)) return []
    const [got] = read(one).parts.some(({ part }) => part === member) ? [] : petsIn(one)
    return got ? [[sent, got[member]] as const] : []
  })
  const areAll = pairs.length >= minChanged && pairs.every(([sent, got]) => sent !== got)
  return areAll ? [partOf(member, 'valid', 'any', `with any ${member}`)] : []
}
