// The histories of recorded traffic: other clients are assumed, categories are open, and what may
// be of a key that was withdrawn says nothing. Where a store was emptied between two requests, as
// tests do, nothing that was known before is shown any more: a history of its own begins.
import { isUnread } from '../history/body.ts'
import {
  type AnsweredExchange,
  type Exchange,
  isAnswered,
  isSuccess,
  keptIn,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { RunHistory } from '../history/history.ts'
import type { Json } from '../history/json.ts'
import {
  listedWithinMs,
  petsIn,
  printQuery,
  requestedId,
  sentObject,
} from '../history/known-pets.ts'
import { Categories, Names } from '../history/naming.ts'
import { is429 } from '../history/rate-headers.ts'
import { noteDue } from '../model/due.ts'

/** A pet as it was shown; after it is gone, or for another key, another one may have its id. */
interface Pet {
  readonly id: bigint
  readonly name: Json | undefined
  readonly categoryId: Json | undefined
  /** The places of the first and of the last exchange that show it. */
  readonly firstAt: number
  lastAt: number
}

/** The pets that each response shows. A server may change one member of a pet, but hardly two. */
const findShown = (all: readonly AnsweredExchange[]): readonly (readonly Pet[])[] => {
  const known = new Map<bigint, Pet[]>()
  let unreadAt = -1
  return all.map((exchange, at) => {
    if (exchange.key === null || !isSuccess(exchange)) return []
    const isCreation = exchange.apiRequest.method === 'POST'
    if (isUnread(exchange)) {
      if (isCreation) unreadAt = at
      return []
    }
    return petsIn(exchange).flatMap(({ id, name, categoryId }) => {
      if (typeof id !== 'bigint') return []
      const latest = known.get(id)?.at(-1)
      // Another pet that was created in between has its id: any other may be another one too.
      if (latest && latest.name !== name && latest.lastAt < unreadAt) known.clear()
      const own = keptIn(known, id, () => [])
      const alike = own.filter((pet) => pet.name === name || pet.categoryId === categoryId)
      const isEqual = (pet: Pet) => pet.name === name && pet.categoryId === categoryId
      const before = isCreation ? undefined : (alike.findLast(isEqual) ?? alike.at(-1))
      const pet = before ?? { id, name, categoryId, firstAt: at, lastAt: at }
      if (!before) own.push(pet)
      pet.lastAt = at
      return [pet]
    })
  })
}

/** Whether a list shows all pets that there are. */
const isWholeList = (exchange: AnsweredExchange, shown: readonly Pet[]): boolean => {
  const { limit = 0, status } = printQuery(exchange) ?? {}
  const isList = exchange.apiRequest.method === 'GET' && statusCode(exchange) === 200
  return isList && status === undefined && shown.length < limit && !isUnread(exchange)
}

/** The places behind the last sight of a pet before which no pet was known that is shown there. */
const findGaps = (pets: Iterable<Pet>): readonly number[] => {
  const gaps: number[] = []
  let end = 0
  for (const { firstAt, lastAt } of pets) {
    if (firstAt >= end) gaps.push(end)
    end = Math.max(end, lastAt + 1)
  }
  return [...gaps, end]
}

/**
 * @param all in the order in which they came
 * @returns the places before which the store may have been emptied, in their order
 */
const findEmptied = (all: readonly AnsweredExchange[]): readonly number[] => {
  const shownAt = findShown(all)
  const gaps = findGaps(new Set(shownAt.flat()))
  const places: number[] = []
  let known = new Set<Pet>()
  for (const [at, exchange] of all.entries()) {
    const shown = new Map(shownAt[at]?.map((pet) => [pet.id, pet]))
    const asked = statusCode(exchange) === 404 ? requestedId(exchange) : undefined
    const isWhole = isWholeList(exchange, [...shown.values()])
    const isGone = (pet: Pet): boolean => {
      const lastMs = all[pet.lastAt]?.receivedMs ?? Number.POSITIVE_INFINITY
      const isMissing = isWhole && lastMs + listedWithinMs <= exchange.sentMs
      return pet.lastAt < at && (pet.id === asked || shown.has(pet.id) || isMissing)
    }
    const lastAt = Math.max(...[...known].filter(isGone).map((pet) => pet.lastAt))
    // Pets that are as old and shown later are there: then those that are gone are missing.
    const own = lastAt < 0 ? [] : gaps.filter((gap) => gap > lastAt && gap <= at)
    const place = own.at(-1)
    if (place !== undefined) known = new Set([...known].filter(({ firstAt }) => firstAt >= place))
    places.push(...own)
    for (const pet of shown.values()) known.add(pet)
  }
  return places
}

/** Not known to be of one run only. */
const anyNames: RunHistory['names'] = { mark: '\0', timesSent: () => Number.POSITIVE_INFINITY }

/** petvet gives what it creates names of their own. */
const namesIn = (exchanges: readonly Exchange[]): RunHistory['names'] => {
  const bodies = exchanges.map(({ request }) => request.body)
  const [, runId] = bodies.flatMap((body) => /petvet-(\w+)-\d+/.exec(body ?? '') ?? [])
  if (runId === undefined) return anyNames
  const names = new Names(runId)
  for (const body of bodies) names.countSent(body)
  return names
}

/**
 * Refusals of a key that say nothing of the server: it may have been withdrawn, or never valid. One
 * may be a ban where there was a 429 since the key was served, and it is served later.
 */
const unclearOf = (own: readonly AnsweredExchange[]): readonly Exchange[] => {
  const unclear: Exchange[] = []
  let [isRefused, open] = [false, [] as Exchange[]]
  for (const exchange of own) {
    if (is429(exchange)) isRefused = true
    else if (isSuccess(exchange)) [isRefused, open] = [false, []]
    else if ([401, 403].includes(statusCode(exchange))) (isRefused ? open : unclear).push(exchange)
  }
  return [...unclear, ...open]
}

/** Categories are open: the server may be configured with any that was accepted so far. */
const learnCategory = (known: bigint[], exchange: AnsweredExchange): void => {
  const category = sentObject(exchange)?.categoryId
  const isMade = isSuccess(exchange) && recognizeOperation(exchange) === 'create'
  if (isMade && typeof category === 'bigint') known.push(category)
}

/**
 * @param exchanges a piece of traffic, in the order of sending
 * @param alone whether no other client used the keys
 * @param record gets each exchange when its response came
 */
export const makeHistories = (
  exchanges: readonly Exchange[],
  alone: boolean,
  record: (exchange: Exchange) => void,
) => {
  const came = exchanges.toSorted((a, b) => a.receivedMs - b.receivedMs || a.seq - b.seq)
  const answered = came.filter(isAnswered)
  const byKey = [...Map.groupBy(answered, ({ key }) => key)].filter(([key]) => key !== null)
  const unclear = new Set<Exchange>(byKey.flatMap(([, own]) => unclearOf(own)))
  const begins = new Set<Exchange | undefined>(findEmptied(answered).map((at) => answered[at]))
  const isWholly = alone && begins.size === 0
  const names = isWholly ? namesIn(exchanges) : anyNames
  const begin = () => {
    const known: bigint[] = []
    const categories = new Categories(known, '')
    categories.free = false
    const history = new RunHistory({ names, categories, shared: !isWholly })
    history.isWhole = true
    return { history, known }
  }
  const all = [begin()]
  for (const exchange of came) {
    if (begins.has(exchange)) all.push(begin())
    const { history, known } = all.at(-1) ?? begin()
    record(exchange)
    if (unclear.has(exchange)) history.lost.push({ seq: exchange.seq, key: exchange.key })
    else {
      if (isAnswered(exchange)) {
        learnCategory(known, exchange)
        noteDue(exchange, history)
      }
      history.complete(exchange)
    }
  }
  return { histories: all.map(({ history }) => history), unclear: unclear.size }
}
