// Where a store was emptied between two requests, as tests do: nothing that was known before is
// shown any more. What follows is a history of its own.
import { isUnread } from '../history/body.ts'
import { type AnsweredExchange, isSuccess, keptIn, statusCode } from '../history/exchange.ts'
import type { Json } from '../history/json.ts'
import { listedWithinMs, petsIn, printQuery, requestedId } from '../history/known-pets.ts'

/** A pet as a key was shown it; after it is gone another one may have its id. */
interface Pet {
  readonly id: bigint
  readonly name: Json | undefined
  readonly categoryId: Json | undefined
  /** The places of the exchanges that show it, in their order. */
  readonly at: number[]
}

type Pets = Map<bigint, Pet>

const ownOf = (byKey: Map<string | null, Pets>, { key }: AnsweredExchange): Pets =>
  keptIn(byKey, key, () => new Map<bigint, Pet>())

/** The pets that each response shows. A server may change one member of a pet, but hardly two. */
const findShown = (all: readonly AnsweredExchange[]): readonly (readonly Pet[])[] => {
  const latest = new Map<string | null, Pets>()
  let unreadAt = -1
  return all.map((exchange, at) => {
    if (exchange.key === null || !isSuccess(exchange)) return []
    const isCreation = exchange.apiRequest.method === 'POST'
    if (isUnread(exchange)) {
      if (isCreation) unreadAt = at
      return []
    }
    const own = ownOf(latest, exchange)
    const shown = petsIn(exchange).flatMap(({ id, name, categoryId }) =>
      typeof id === 'bigint' ? { id, name, categoryId } : [],
    )
    // Another pet that was created in between has its id: any other may be another one too.
    const isOther = ({ id, name }: Omit<Pet, 'at'>) => {
      const before = own.get(id)
      return before && before.name !== name && (before.at.at(-1) ?? at) < unreadAt
    }
    if (shown.some(isOther)) own.clear()
    return shown.map(({ id, name, categoryId }) => {
      const before = own.get(id)
      const isSame = before?.name === name || before?.categoryId === categoryId
      const pet = before && isSame && !isCreation ? before : { id, name, categoryId, at: [] }
      pet.at.push(at)
      own.set(id, pet)
      return pet
    })
  })
}

/** Whether a list shows all pets that there are. */
const isWholeList = (exchange: AnsweredExchange, shown: readonly Pet[]): boolean => {
  const { limit = 0, status } = printQuery(exchange) ?? {}
  const isList = exchange.apiRequest.method === 'GET' && statusCode(exchange) === 200
  return isList && status === undefined && shown.length < limit && !isUnread(exchange)
}

/**
 * @param all in the order in which they came
 * @returns the places before which the store was emptied, in their order
 */
export const findEmptied = (all: readonly AnsweredExchange[]): readonly number[] => {
  const shownAt = findShown(all)
  const places: number[] = []
  let known = new Map<string | null, Pets>()
  for (const [at, exchange] of all.entries()) {
    const own = ownOf(known, exchange)
    const shown = shownAt[at] ?? []
    const asked = statusCode(exchange) === 404 ? requestedId(exchange) : undefined
    const isWhole = isWholeList(exchange, shown)
    const lastMs = ({ at: places }: Pet) =>
      all[places.findLast((one) => one < at) ?? at]?.receivedMs ?? Number.POSITIVE_INFINITY
    const isGone = (pet: Pet): boolean => {
      if (pet.id === asked) return true
      const replacement = shown.find(({ id }) => id === pet.id)
      if (replacement) return replacement !== pet
      return isWhole && lastMs(pet) + listedWithinMs <= exchange.sentMs
    }
    const gone = [...own.values()].filter(isGone)
    const lastAt = Math.max(...gone.map((pet) => pet.at.findLast((one) => one < at) ?? -1))
    // What is shown later is there: if any of it is as old, the others are missing.
    const later = [...own.values()].filter((pet) => (pet.at.at(-1) ?? -1) >= at)
    if (gone.length > 0 && !later.some((pet) => (pet.at[0] ?? at) <= lastAt)) {
      places.push(Math.min(at, ...later.map((pet) => pet.at[0] ?? at)))
      known = new Map([[exchange.key, new Map(later.map((pet) => [pet.id, pet]))]])
    }
    for (const pet of shown) ownOf(known, exchange).set(pet.id, pet)
  }
  return places
}
