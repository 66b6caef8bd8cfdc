// Which statuses are legal for a request: the rulings as a relation. Where they leave a point open
// every status below 500 is legal.

import { isUnread, usableBody, usableObject } from '../history/body.ts'
import {
  type AnsweredExchange,
  type Exchange,
  isOpenMethod,
  isSuccess,
  type ReceivedResponse,
  statusCode,
} from '../history/exchange.ts'
import { type KnownPets, petsIn } from '../history/known-pets.ts'
import { percentDecoded } from '../history/quote.ts'
import { dateMs } from '../history/rate-headers.ts'
import { any4xx, exactly, no2xx, type Statuses, upTo499 } from '../history/statuses.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { groupOf, ofKey, ofRefusal, ofSuccess } from './demanded.ts'
import { isFromBelow } from './from-below.ts'
import { read } from './read.ts'
import { isExtra, type Part } from './read-body.ts'
import { beyondAscii, ofFront } from './read-head.ts'

/** What a status is about. */
export type DuePart =
  | 'valid'
  | 'body'
  | 'lenient'
  | 'removed'
  | 'id'
  | 'prefix'
  | 'method'
  | 'key'
  | 'bytes'

/** The statuses that are legal for a request, and the requirement that follows from it. */
export interface Due {
  readonly part: DuePart
  readonly statuses: Statuses
  readonly requirement: BindingRequirementId
}

/** What of the target is known when a response is judged. */
interface Facts {
  /** Free: any positive id may be used; else those that are known. */
  readonly categories: { readonly free: boolean; readonly known: readonly bigint[] }
  readonly knownPets: KnownPets
}

/** Whether a status is legal. */
export const isDue = ({ statuses }: Pick<Due, 'statuses'>, status: number): boolean =>
  statuses.some(([from, to]) => status >= from && status <= to)

const only = (part: DuePart, requirement: Due['requirement'], ...legal: number[]): Due => {
  return { part, requirement, ...exactly(...legal) }
}

const refused = (part: DuePart, requirement: Due['requirement']): Due => {
  return { part, requirement, statuses: [any4xx] }
}
const noServerError = (part: DuePart, may501 = false): Due => ({
  part,
  requirement: 'service.no-server-error',
  statuses: may501 ? [upTo499, [501, 501]] : [upTo499],
})
const refusedOrListed: Due = {
  part: 'valid',
  requirement: 'list.success',
  statuses: [any4xx, [200, 200]],
}
const notServed: Due = {
  part: 'method',
  requirement: 'service.method',
  statuses: [any4xx, [501, 501]],
}
/** Its parameter may be refused as well. */
const removedWithQuery: Due = { ...notServed, part: 'removed', requirement: 'get.removed' }
const anything: Due = {
  part: 'method',
  requirement: 'service.nonsense-address',
  statuses: [[0, 599]],
}
/** A misspelled address that is served breaks a should. */
const notFound: Due = { ...anything, statuses: no2xx }

/**
 * Whatever gives out or creates a pet needs a valid key, at any spelling of an address; beside the
 * base URL may be another service.
 */
const isOpen = (exchange: AnsweredExchange): boolean =>
  exchange.key === null &&
  exchange.apiRequest.from === 'base' &&
  isSuccess(exchange) &&
  // Another check reports a body that is not read.
  !isUnread(exchange) &&
  (petsIn(exchange).length > 0 || usableObject(exchange)?.id !== undefined)

/** Other spellings of a path of the interface are open (ruling 26). */
const isSpelledOtherwise = (path: string): boolean => {
  const decoded = percentDecoded(path)
  return decoded === undefined || /pets/i.test(decoded)
}

const has = (parts: readonly Part[], is: Part['is']): boolean => parts.some((one) => one.is === is)

/** A fault in a member is a fault whatever else the object holds. */
const isMember = ({ part, kind }: Part): boolean =>
  ['name', 'categoryId', 'status'].includes(part) || isExtra(kind)

/** Whether the category of a valid creation is one that may be used. */
const isKnownCategory = (
  exchange: Pick<AnsweredExchange, 'apiRequest'>,
  { categories: { free, known } }: Pick<Facts, 'categories'>,
): boolean => {
  const category = read(exchange).pet?.categoryId
  return free || (typeof category === 'bigint' && known.includes(category))
}

const createDue = (exchange: AnsweredExchange, facts: Facts): Due => {
  const { parts } = read(exchange)
  // What exceeds the limits of a server, and has a fault all the same (ruling 1).
  const isLarge = parts.some(({ kind }) => ['padded', 'large', 'deep'].includes(kind))
  if (isLarge && has(parts, 'invalid')) return only('body', 'create.too-large', 400, 413)
  // A server may require Content-Length (RFC 9110, 15.5.12).
  if (parts.every(({ is, kind }) => is === 'valid' || kind === 'chunked')) {
    if (has(parts, 'open')) return only('valid', ofSuccess(exchange), 201, 411)
  }
  if (parts.some((one) => one.is === 'open' && !isMember(one))) return noServerError('body')
  if (has(parts, 'lenient')) return refused('lenient', 'create.strict-json')
  if (has(parts, 'invalid')) return only('body', ofRefusal(exchange), 400)
  const isOpen = has(parts, 'open') || !isKnownCategory(exchange, facts)
  return isOpen ? noServerError('body') : only('valid', ofSuccess(exchange), 201)
}

const listDue = (exchange: AnsweredExchange): Due => {
  const { parts } = read(exchange)
  if (has(parts, 'open')) return noServerError('valid')
  if (has(parts, 'invalid')) return refusedOrListed
  const part = parts.some(({ kind }) => kind === beyondAscii) ? 'bytes' : 'valid'
  return only(part, ofSuccess(exchange), 200)
}

/** Whether a response shows the pet with this id, or what it shows is not read, or is no text. */
const isOwn = (exchange: AnsweredExchange, id: bigint): boolean => {
  if (statusCode(exchange) !== 200) return false
  if (isUnread(exchange)) return true
  const body = usableBody(exchange)
  return 'fault' in body ? body.fault === 'a body that is no UTF-8' : Object(body.value).id === id
}

const getDue = (exchange: AnsweredExchange, { knownPets }: Facts): Due => {
  const { parts } = read(exchange)
  if (isPastRemoval(exchange)) {
    // From the end of that day on (ruling 23).
    const isRemoved = (dateMs(exchange) ?? 0) >= removalDay.lastMs
    const others = parts.filter(({ is }) => is !== 'valid')
    if (!isRemoved || others.some(({ part }) => part !== 'query')) return noServerError('id', true)
    return others.length > 0 ? removedWithQuery : only('removed', 'get.removed', 404, 410, 501)
  }
  if (has(parts, 'open')) return noServerError('id')
  if (has(parts, 'invalid')) return refused('id', 'get.id-parameter')
  if (has(parts, 'lenient')) return refused('prefix', 'get.id-prefix')
  const id = BigInt(exchange.apiRequest.path.slice('/pets/'.length))
  const exists = knownPets.seen.has(id)
  if (exists && knownPets.isKnown(exchange.key, id)) return only('valid', ofSuccess(exchange), 200)
  // A pet may have the id after all: then it is the one that is returned.
  return exists || isOwn(exchange, id)
    ? only('id', 'get.unknown', 200, 404)
    : only('id', 'get.unknown', 404)
}

/** A front may refuse or redirect a field on purpose, before any key or method is looked at. */
const isForFront = (exchange: AnsweredExchange): boolean =>
  read(exchange).parts.some(({ kind }) => kind === ofFront)

/** A response from below the application says nothing about the key. */
const keylessDue = (exchange: AnsweredExchange): Due => {
  const { operation, key } = read(exchange)
  const mayBeRemoved = operation === 'get' && isPastRemoval(exchange)
  return isFromBelow(exchange) || mayBeRemoved || isForFront(exchange) || key === 'carried'
    ? noServerError('key', mayBeRemoved)
    : only('key', ofKey(exchange), 401)
}

const elsewhereDue = (exchange: AnsweredExchange): Due => {
  const group = groupOf(exchange)
  if (isOpen(exchange)) return only('key', 'service.key', 401)
  if (isOpenMethod(exchange) || isForFront(exchange)) return anything
  if (group && read(exchange).key === 'valid') return refused('method', group)
  return isSpelledOtherwise(exchange.apiRequest.path) ? anything : notFound
}

/** Which statuses are legal for a request, by its reading and by what is known of the target. */
const dueFor = (exchange: AnsweredExchange, facts: Facts): Due => {
  const { operation, at, key } = read(exchange)
  if (at === 'elsewhere') return elsewhereDue(exchange)
  if (operation === undefined) {
    const isOpen = isOpenMethod(exchange) || isForFront(exchange)
    return isOpen ? noServerError('method', true) : notServed
  }
  if (key !== 'valid') return keylessDue(exchange)
  if (operation === 'create') return createDue(exchange, facts)
  return operation === 'list' ? listDue(exchange) : getDue(exchange, facts)
}

const noted = new WeakMap<AnsweredExchange, Due>()

/** Notes what is due for a request when its response comes, before anything is learnt of it. */
export const noteDue = (exchange: AnsweredExchange, facts: Facts): void => {
  noted.set(exchange, dueFor(exchange, facts))
}

/** What was due by what was known when the response came. */
export const dueOf = (exchange: AnsweredExchange, facts: Facts): Due =>
  noted.get(exchange) ?? dueFor(exchange, facts)

const nothing: ReceivedResponse = { status: 0, headers: [], bytes: new Uint8Array(), cut: false }

/** What was due for a request that got no response. */
export const dueInstead = (exchange: Exchange, facts: Facts): Due =>
  dueFor({ ...exchange, response: nothing }, facts)

/** The day on which `GET /pets/{petId}` is removed: its start and its end. */
export const removalDay = { firstMs: Date.UTC(2030, 11, 5), lastMs: Date.UTC(2030, 11, 6) }

/** Whether the deprecated operation may be gone, by the target's own clock. */
export const isPastRemoval = (exchange: AnsweredExchange): boolean => {
  const date = dateMs(exchange)
  // Without a reliable Date, a test clock that was moved may show any time.
  const mayBeMoved = exchange.timeIsUnknown || exchange.movedMs > 0
  return date === undefined ? mayBeMoved : date >= removalDay.firstMs
}
