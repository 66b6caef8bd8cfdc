// Compares a pet with what is known of it from earlier responses; finds known pets.

import { usableBody, usableObject } from '../../engine/check/body.ts'
import { type Context, permissions } from '../../engine/check/context.ts'
import { expectAllRead } from '../../engine/check/control-request.ts'
import type { AnsweredExchange, Exchange } from '../../engine/check/exchange.ts'
import { describeMember, short, shownValue as show, violateAs } from '../../engine/check/expect.ts'
import {
  isInt64,
  isObject,
  type Json,
  type JsonObject,
  printJson,
} from '../../engine/check/json.ts'
import type { Creation } from '../../engine/check/known-pets.ts'
import { Untested, type Wrong } from '../../engine/check/outcome.ts'
import { count } from '../../engine/check/quote.ts'
import { describeChange } from '../../engine/check/value-kinds.ts'

export const statuses = ['available', 'pending', 'sold'] as const

export type IdentifiedPet = JsonObject & { readonly id: bigint }

/** `1 pet`, `2 pets`. */
export const howMany = (number: number): string => count(number, 'pet', 'pets')

/** Characters are code points: an emoji is one, although it takes two units of UTF-16. */
const isLong = (name: string): boolean => [...name].length > 100

/** 1 to 100 characters, well formed, without control characters and spaces at the ends. */
export const isOrdinaryName = (name: Json | undefined): name is string =>
  typeof name === 'string' &&
  name !== '' &&
  !isLong(name) &&
  name.isWellFormed() &&
  name.trim() === name &&
  !/\p{Cc}/u.test(name)

/** Empty, blank, very long, with control characters or a lone surrogate. */
export const isExtremeName = (name: Json | undefined): name is string =>
  typeof name === 'string' &&
  (name.trim() === '' || isLong(name) || /\p{Cc}/u.test(name) || !name.isWellFormed())

/**
 * The pet of a success, whatever else is wrong with it: other checks judge the form of each
 * response, and one fault should fail one requirement.
 * @throws Untested (blocked) if it has no id
 */
export const petWithId = (success: AnsweredExchange): IdentifiedPet => {
  const pet = usableObject(success)
  if (typeof pet?.id === 'bigint') return { ...pet, id: pet.id }
  throw new Untested('blocked', 'the response has no pet with an id', [success])
}

/**
 * The pets of a list with status 200, likewise.
 * @throws Untested (blocked) if it is not an array of pets with ids
 */
export const petsWithIds = (list: AnsweredExchange): readonly JsonObject[] => {
  const body = usableBody(list)
  const value = 'value' in body ? body.value : undefined
  const pets = Array.isArray(value) ? value.filter(isObject) : []
  const isList = Array.isArray(value) && pets.length === value.length
  if (isList && pets.every(({ id }) => typeof id === 'bigint')) return pets
  throw new Untested('blocked', 'the list is not an array of pets with ids', [list])
}

/** The status of a pet for an observation; `none` if it has no status. */
export const describeStatus = ({ status = null }: JsonObject, none: string): string => {
  if (status === null) return none
  return typeof status === 'string' ? short(status) : show(status)
}

/** What is wrong with a list of `found` pets where `bound` are the most or fewest it may have. */
export const wrongCount = (found: number, bound: number): Wrong => {
  const by = Math.abs(found - bound) === 1 ? 'one' : 'several'
  return { aspect: 'count', kind: `${by} too ${found > bound ? 'many' : 'few'}` }
}

/** Fewer distinct pets than there must be: a list may lack some, or repeat some in their place. */
export const tooFew = (pets: readonly JsonObject[], wanted: number) => {
  const { size } = new Set(pets.map(({ id }) => id))
  if (size >= wanted) return undefined
  if (size === pets.length) return { actual: howMany(size), wrong: wrongCount(size, wanted) }
  const wrong: Wrong = { aspect: 'count', kind: 'pets are repeated' }
  return { actual: `${howMany(pets.length)}, of which ${size} are different`, wrong }
}

/** More pets than there may be: time does not excuse it, as it does a pet not listed yet. */
export const isTooMany = ({ aspect, kind }: Wrong): boolean =>
  aspect === 'count' && kind?.endsWith('too many') === true

/** A pet that must be in a list is not; the text that says so. */
export const petMissing: Wrong = { aspect: 'count', kind: 'a pet is missing' }
export const without = 'a list without it'

/** A refused creation has an effect. */
export const refusedStored: Wrong = { aspect: 'count', kind: 'a refused pet is stored' }

export const idRepeated: Wrong = { aspect: 'member', name: 'id', kind: 'repeated' }
export const idAsSent: Wrong = { aspect: 'member', name: 'id', kind: 'as sent' }
/** What is wrong with a pet in a list that another status filters. */
export const otherStatus = (wanted: string, { status }: JsonObject): Wrong => {
  const isOther = statuses.some((each) => each === status)
  const kind = isOther ? 'not of the filter' : describeChange(wanted, status)
  return { aspect: 'member', name: 'status', kind }
}

/** Expects no pet with another status in a list that a status filters. */
export const expectOnly = (
  status: string,
  pets: readonly JsonObject[],
  response: Exchange,
): void => {
  const other = pets.find((pet) => pet.status !== status)
  if (!other) return
  const actual = `a pet with ${describeMember(other, 'status')}`
  violateAs(otherStatus(status, other), `only pets with the status ${status}`, actual, response)
}

/** Ignores trimmed spaces, which other checks judge, and how a lone surrogate comes back. */
const isSameName = (before: Json, after: Json | undefined): boolean =>
  typeof before === 'string' &&
  typeof after === 'string' &&
  (!before.isWellFormed() || before.trim() === after)

/** Objects and arrays are what a server may have accepted. */
const isSame = (before: Json, after: Json | undefined): boolean =>
  before === after || (after !== undefined && printJson(before) === printJson(after))

/** How a pet differs from what is known of it. */
interface Difference {
  readonly says: string
  readonly wrong: Wrong
}

/**
 * The first difference; undefined if there is none. A status that was not sent may be in one
 * response and missing in another.
 */
export const findDifference = (before: JsonObject, after: JsonObject): Difference | undefined => {
  for (const member of ['id', 'categoryId', 'name', 'status']) {
    const [was, is] = [before[member], after[member]]
    if (was === undefined || isSame(was, is) || (member === 'name' && isSameName(was, is))) continue
    const wrong: Wrong = { aspect: 'member', name: member, kind: describeChange(was, is) }
    return { says: `${member} ${show(is)} instead of ${show(was)}`, wrong }
  }
  return undefined
}

/** @param expected `pet 7 as it was created` */
export const expectSamePet = (
  expected: string,
  before: JsonObject,
  after: JsonObject,
  ...evidence: Exchange[]
): void => {
  const difference = findDifference(before, after)
  if (difference) violateAs(difference.wrong, expected, difference.says, ...evidence)
}

/** What a creation sent that must come back as it is. */
const sentToKeep = ({ name, categoryId }: JsonObject): JsonObject => ({
  ...(isOrdinaryName(name) && { name }),
  ...(isInt64(categoryId) && categoryId > 0n && { categoryId }),
})

/**
 * The pet as in its 201; what that lacks, as it was sent. Leaves out the status if none was sent,
 * and the name if it was not valid UTF-8: how these come back is open.
 */
export const asCreated = ({ sent, pet, exchange }: Creation): JsonObject => {
  const { status = sent.status, name, ...rest } = { ...sentToKeep(sent), ...pet }
  const isSent = typeof sent.status === 'string'
  const isText = exchange.request.bodyBase64 === undefined
  return {
    ...rest,
    ...(name !== undefined && isText && { name }),
    ...(status !== undefined && isSent && { status }),
  }
}

/** @throws Untested (blocked) if two creations got this id: another check reports that */
export const expectOwnId = ({ knownPets }: Context, id: bigint): void => {
  if (knownPets.isRepeated(id)) throw new Untested('blocked', `two creations got the id ${id}`)
}

/** What is known of a pet: as this run created it, or as it was first seen. */
export const recallPet = (context: Context, id: bigint): JsonObject | undefined => {
  const { knownPets } = context
  expectOwnId(context, id)
  const creation = knownPets.creationOf(id)
  return creation ? asCreated(creation) : knownPets.seen.get(id)
}

/**
 * Explains why a check that needs a pet cannot run, and what to do.
 * @param which what follows `no pet` in the message
 * @throws Untested (ambiguous) where a body that was not read may show one
 */
export const noPet = ({ allow, categories, knownPets }: Context, which: string): Untested => {
  expectAllRead(knownPets)
  if (!allow.includes('write')) {
    const allowed = permissions.filter((word) => word === 'write' || allow.includes(word)).join(',')
    return new Untested('permission', `no pet ${which}; add one, or --allow ${allowed}`)
  }
  if (!categories.free && categories.known.length === 0) {
    const message = `no pet ${which}, and none can be created without a category`
    return new Untested('category', `${message}; configure \`categories\` (--category ID)`)
  }
  return new Untested('blocked', `no pet ${which}; add one, or fix the creation`)
}

/** No pet is known with this status, or with any if it is undefined. */
export const noneMatching = (context: Context, status: string | undefined): Untested =>
  noPet(context, status === undefined ? 'is known' : `with the status ${status} is known`)

/** The status that the fewest known pets have, so that there are enough of each. */
export const scarcestStatus = ({ knownPets }: Context): (typeof statuses)[number] =>
  [...statuses].sort((a, b) => knownPets.count(a) - knownPets.count(b))[0] ?? statuses[0]

/** So many pets of a status show what its filter does. */
const enoughToFilter = 3

/**
 * A status that the target has accepted. All pets beyond a few of each have one, so that early in a
 * run its list is already longer than the default limit.
 */
export const acceptedStatus = ({ knownPets }: Context): (typeof statuses)[number] => {
  const accepted = new Set(knownPets.creations.map(({ sent }) => sent.status))
  const known = statuses.filter((status) => accepted.has(status))
  const scarce = known.find((status) => knownPets.count(status) < enoughToFilter)
  return scarce ?? known.find((status) => status === 'pending') ?? known[0] ?? statuses[0]
}

export const someId = (context: Context): bigint => {
  const id = context.knownPets.someId()
  if (id === undefined) throw noPet(context, 'is known')
  return id
}
