// A pet as it was known compared with the same pet in a later response; and which pets are known.

import { bodyObject, readBody } from '../engine/body.ts'
import { type Context, type Creation, permissions } from '../engine/context.ts'
import type { Answered } from '../engine/exchange.ts'
import { short, shownValue as show } from '../engine/expect.ts'
import { isObject, type Json, type JsonObject } from '../engine/json.ts'
import { Untested } from '../engine/outcome.ts'
import { count } from '../engine/record/text.ts'

export const statuses = ['available', 'pending', 'sold'] as const

/** A pet with an id. */
export type IdentifiedPet = JsonObject & { readonly id: bigint }

/** `1 animal`, `2 animals`. */
export const howMany = (number: number): string => count(number, 'animal', 'animals')

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
export const petWithId = (success: Answered): IdentifiedPet => {
  const pet = bodyObject(success)
  if (typeof pet?.id === 'bigint') return { ...pet, id: pet.id }
  throw new Untested('blocked', 'the response shows no pet with an id', [success])
}

/**
 * The pets of a list that was answered 200, likewise.
 * @throws Untested (blocked) if it is not an array of pets with ids
 */
export const petsWithIds = (list: Answered): readonly JsonObject[] => {
  const body = readBody(list)
  const value = 'value' in body ? body.value : undefined
  const pets = Array.isArray(value) ? value.filter(isObject) : []
  const isList = Array.isArray(value) && pets.length === value.length
  if (isList && pets.every(({ id }) => typeof id === 'bigint')) return pets
  throw new Untested('blocked', 'the list is not an array of pets with ids', [list])
}

/** The status of a pet for an observation, or a word for none. */
export const describeStatus = ({ status = null }: JsonObject, none: string): string => {
  if (status === null) return none
  return typeof status === 'string' ? short(status) : show(status)
}

/** Ignores trimmed ends, and the spelling of a lone surrogate; other checks judge the former. */
const isSameName = (before: Json | undefined, after: Json | undefined): boolean => {
  if (typeof before !== 'string' || typeof after !== 'string') return before === after
  if (!before.isWellFormed()) return true
  return before === after || before.trim() === after
}

/**
 * What differs, in a few words, if anything does. A status that was not sent on creation may be
 * in one response and missing in another.
 */
export const differenceOf = (before: JsonObject, after: JsonObject): string | undefined => {
  for (const member of ['id', 'categoryId'] as const) {
    if (before[member] === undefined || before[member] === after[member]) continue
    return `${member} ${show(after[member])} in place of ${show(before[member])}`
  }
  if (before.name !== undefined && !isSameName(before.name, after.name)) {
    return `name ${show(after.name)} in place of ${show(before.name)}`
  }
  if (before.status === undefined || before.status === after.status) return undefined
  return `status ${show(after.status)} in place of ${show(before.status)}`
}

/**
 * The pet as its 201 showed it; without a status if none was sent, and without a name if its
 * bytes were invalid UTF-8: how these come back is open.
 */
export const asCreated = ({ sent, pet, exchange }: Creation): JsonObject => {
  const { status, name, ...rest } = pet
  const isSent = typeof sent.status === 'string'
  const isText = exchange.request.bodyBase64 === undefined
  return {
    ...rest,
    ...(name !== undefined && isText && { name }),
    ...(status !== undefined && isSent && { status }),
  }
}

/** What is known of a pet: as this run created it, or as it first saw it. */
export const knownOf = ({ herd }: Context, id: bigint): JsonObject | undefined => {
  const creation = herd.creationOf(id)
  return creation ? asCreated(creation) : herd.seen.get(id)
}

/**
 * Why a check that needs a pet cannot run, and what to do about it.
 * @param which the words that follow `no pet`
 */
export const noPet = ({ allow, categories }: Context, which: string): Untested => {
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

const withStatus = (status: string | undefined): string =>
  status === undefined ? '' : `with the status ${status} `

/** The same for a check that needs a pet with a status (any, if undefined). */
export const noneMatching = (context: Context, status: string | undefined): Untested =>
  noPet(context, `${withStatus(status)}is known`)

/** The status that the fewest known pets have, so that there will be enough of each. */
export const scarcestStatus = (
  { herd }: Context,
  among: readonly (typeof statuses)[number][] = statuses,
): (typeof statuses)[number] =>
  [...among].sort((a, b) => herd.count(a) - herd.count(b))[0] ?? statuses[0]

/** The same among accepted ones, for a body that tests something else. */
export const acceptedStatus = (context: Context): (typeof statuses)[number] => {
  const accepted = new Set(context.herd.creations.map(({ sent }) => sent.status))
  return scarcestStatus(
    context,
    statuses.filter((status) => accepted.has(status)),
  )
}

/** An id of an existing pet. */
export const someId = (context: Context): bigint => {
  const id = context.herd.someId()
  if (id === undefined) throw noPet(context, 'is known')
  return id
}
