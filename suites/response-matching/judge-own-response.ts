// Whether the content of a response fits its request. Pure.

import { usableObject } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { describeMember, shownValue } from '../../engine/check/expect.ts'
import { compactJson, isInt64, type JsonObject, printJson } from '../../engine/check/json.ts'
import {
  type KnownPets,
  petsIn,
  printQuery,
  requestedId,
  sentObject,
} from '../../engine/check/known-pets.ts'
import type { Names } from '../../engine/check/naming.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import type { Wrong } from '../../engine/check/outcome.ts'
import { describeChange } from '../../engine/check/value-kinds.ts'
import {
  asCreated,
  findDifference,
  howMany,
  isOrdinaryName,
  otherStatus,
  petMissing,
  statuses,
  tooFew,
  wrongCount,
} from '../pets/compare-pets.ts'

/** A difference between a response and what its request must get. */
export interface Misfit {
  readonly expected: string
  readonly actual: string
  readonly wrong: Wrong
}

/** The query of a list with status 200; undefined if it is not a valid one. */
export const queryOfList = (exchange: AnsweredExchange) => {
  if (recognizeOperation(exchange) !== 'list' || statusCode(exchange) !== 200) return undefined
  const query = printQuery(exchange)
  if (query === undefined || query.limit < 1 || query.limit > 100) return undefined
  const isStatus = query.status === undefined || statuses.some((each) => each === query.status)
  return isStatus ? query : undefined
}

export const beyondLimit = (list: AnsweredExchange): Misfit | undefined => {
  const limit = queryOfList(list)?.limit ?? 100
  const { length } = petsIn(list)
  if (length <= limit) return undefined
  const wrong = wrongCount(length, limit)
  return { expected: `at most ${howMany(limit)}`, actual: howMany(length), wrong }
}

export const beyondFilter = (list: AnsweredExchange): Misfit | undefined => {
  const status = queryOfList(list)?.status
  if (status === undefined) return undefined
  const other = petsIn(list).find((pet) => pet.status !== status)
  if (other === undefined) return undefined
  return {
    expected: `only ${status} pets`,
    actual: `a pet with ${describeMember(other, 'status')}`,
    wrong: otherStatus(status, other),
  }
}

/** @param known the ids that the list must have, unless a limit cuts it */
export const fewerThan = (list: AnsweredExchange, known: readonly bigint[]): Misfit | undefined => {
  const query = queryOfList(list)
  if (query === undefined) return undefined
  const pets = petsIn(list)
  const wanted = Math.min(query.limit, known.length)
  const which = `since ${howMany(known.length)} are known to match`
  const found = tooFew(pets, wanted)
  if (found) return { expected: `at least ${howMany(wanted)}, ${which}`, ...found }
  const ids = new Set(pets.map(({ id }) => id))
  const missing = ids.size < query.limit ? known.find((id) => !ids.has(id)) : undefined
  if (missing === undefined) return undefined
  const room = `as the list has fewer pets than its limit (${ids.size} of ${query.limit})`
  const expected = `pet ${missing}, ${room}`
  return { expected, actual: `no pet ${missing}`, wrong: petMissing }
}

/** More pets of a name than requests that had it: a creation was stored twice. */
export const createdAgain = (
  list: AnsweredExchange,
  timesSent: Names['timesSent'],
  creationOf: KnownPets['creationOf'],
): Misfit | undefined => {
  // A name that is cut, or changed in another way, may become that of another pet.
  const isOfOther = ({ id, name }: JsonObject): boolean => {
    const creation = typeof id === 'bigint' ? creationOf(id) : undefined
    return creation !== undefined && creation.sent.name !== name
  }
  const named = Map.groupBy(
    petsIn(list).filter((pet) => !isOfOther(pet)),
    ({ name }) => name,
  )
  for (const [name, pets] of named) {
    const times = timesSent(name)
    const { size } = new Set(pets.map(({ id }) => id))
    if (size <= times) continue
    const wrong = wrongCount(size, times)
    const expected = `${howMany(times)}, as so many creations had that name`
    return { expected, actual: `${howMany(size)} named ${name}`, wrong }
  }
  return undefined
}

/** What of a list does not fit its query, or what this run created. */
export const otherList = (
  list: AnsweredExchange,
  { knownPets, names }: Pick<Context, 'knownPets' | 'names'>,
): Misfit | undefined =>
  beyondLimit(list) ??
  beyondFilter(list) ??
  changedPet(list, knownPets) ??
  createdAgain(list, names.timesSent, knownPets.creationOf)

export const changedPet = (
  exchange: AnsweredExchange,
  { creationOf, isRepeated }: Pick<KnownPets, 'creationOf' | 'isRepeated'>,
): Misfit | undefined => {
  for (const pet of petsIn(exchange)) {
    const creation = typeof pet.id === 'bigint' ? creationOf(pet.id) : undefined
    // Two creations with the same id are another fault.
    if (!creation || creation.exchange === exchange || isRepeated(creation.id)) continue
    const found = findDifference(asCreated(creation), pet)
    if (!found) continue
    const { says: actual, wrong } = found
    return { expected: `pet ${pet.id} as it was created`, actual, wrong }
  }
  return undefined
}

export const otherId = (fetched: AnsweredExchange): Misfit | undefined => {
  const id = requestedId(fetched)
  const found = usableObject(fetched)?.id
  // A body without an id is another fault.
  if (id === undefined || found === undefined || found === id) return undefined
  const wrong = { aspect: 'member', name: 'id', kind: describeChange(id, found) } as const
  return { expected: `a pet with id ${id}`, actual: `id ${shownValue(found)}`, wrong }
}

/**
 * The values that were sent, if they are valid and unambiguous: no repeated member, no other
 * spelling of a number. Other checks judge other accepted bodies.
 */
export const validBody = (exchange: AnsweredExchange): JsonObject | undefined => {
  const sent = sentObject(exchange)
  if (!sent || printJson(sent) !== compactJson(exchange.request.body ?? '')) return undefined
  const { name, categoryId, status } = sent
  if (!isOrdinaryName(name) || !isInt64(categoryId) || categoryId <= 0n) return undefined
  if (!Object.hasOwn(sent, 'status')) return { name, categoryId }
  return statuses.some((each) => each === status)
    ? { name, categoryId, status: status ?? null }
    : undefined
}

/** Compares the pet of a 201 with the body that was sent; a missing member is another fault. */
export const otherEcho = (created: AnsweredExchange): Misfit | undefined => {
  const pet = usableObject(created)
  const sent = Object.entries(validBody(created) ?? {}).filter(([member]) => pet && member in pet)
  const found = pet && findDifference(Object.fromEntries(sent), pet)
  return found && { expected: 'the values that were sent', actual: found.says, wrong: found.wrong }
}

/** Whether a creation got the pet that another one sent. */
export const isOfAnother = (
  response: AnsweredExchange,
  others: readonly AnsweredExchange[],
): boolean => {
  const name = petsIn(response)[0]?.name
  if (name === undefined || sentObject(response)?.name === name) return false
  return others.some((other) => sentObject(other)?.name === name)
}
