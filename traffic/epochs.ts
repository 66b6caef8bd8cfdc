// Where a store was emptied between two requests, as tests do: nothing that was known before is
// shown any more. What follows is a history of its own.
import { isUnread } from '../history/body.ts'
import { type AnsweredExchange, isSuccess, keptIn, statusCode } from '../history/exchange.ts'
import type { Json } from '../history/json.ts'
import { listedWithinMs, petsIn, printQuery, requestedId } from '../history/known-pets.ts'

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
export const findEmptied = (all: readonly AnsweredExchange[]): readonly number[] => {
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
