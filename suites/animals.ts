// An animal as it was known against the same animal in a later answer; and what is known at all.

import { bodyObject, readBody } from '../engine/body.ts'
import type { Context } from '../engine/context.ts'
import { count } from '../engine/count.ts'
import type { Answered } from '../engine/exchange.ts'
import { short, shownValue as show } from '../engine/expect.ts'
import type { Creation } from '../engine/herd.ts'
import type { Json, JsonObject } from '../engine/json.ts'
import { isObject } from '../engine/json.ts'
import { Untested } from '../engine/outcome.ts'
import { permissions } from '../engine/permission.ts'
import { statuses } from './requests.ts'

/** An animal that can be told from others. */
export type Animal = JsonObject & { readonly id: bigint }

/** `1 animal`, `2 animals`. */
export const howMany = (number: number): string => count(number, 'animal', 'animals')

/** Characters are code points: an emoji is one, although it takes two units of UTF-16. */
const isLong = (name: string): boolean => [...name].length > 100

/** 1 to 100 characters, whole, nothing but what a person might type, no space at the ends. */
export const isOrdinaryName = (name: Json | undefined): name is string =>
  typeof name === 'string' &&
  name !== '' &&
  !isLong(name) &&
  name.isWellFormed() &&
  name.trim() === name &&
  !/\p{Cc}/u.test(name)

/** Empty, blank, very long, with control characters or half of a surrogate pair. */
export const isExtremeName = (name: Json | undefined): name is string =>
  typeof name === 'string' &&
  (name.trim() === '' || isLong(name) || /\p{Cc}/u.test(name) || !name.isWellFormed())

/**
 * The animal of a success, whatever else is wrong with it: other checks judge the form of each
 * answer, and one fault is to break one sentence.
 * @throws Untested (blocked) where nothing could be told of it
 */
export const animalIn = (success: Answered): Animal => {
  const pet = bodyObject(success)
  if (typeof pet?.id === 'bigint') return { ...pet, id: pet.id }
  throw new Untested('blocked', 'the answer shows no animal with an id', [success])
}

/**
 * The animals of a list that was answered 200, likewise.
 * @throws Untested (blocked) where nothing could be told of such a list
 */
export const animalsIn = (list: Answered): readonly JsonObject[] => {
  const body = readBody(list)
  const value = 'value' in body ? body.value : undefined
  const animals = Array.isArray(value) ? value.filter(isObject) : []
  const isList = Array.isArray(value) && animals.length === value.length
  if (isList && animals.every(({ id }) => typeof id === 'bigint')) return animals
  throw new Untested('blocked', 'the list is no array of animals with ids', [list])
}

/** The status of an animal for an observation, and a word for none. */
export const toldStatus = ({ status = null }: JsonObject, none: string): string => {
  if (status === null) return none
  return typeof status === 'string' ? short(status) : show(status)
}

/** Where cut ends of a name, and the spelling of a lone surrogate, are left to the server. */
const isSameName = (before: Json | undefined, after: Json | undefined): boolean => {
  if (typeof before !== 'string' || typeof after !== 'string') return before === after
  if (!before.isWellFormed()) return true
  return before === after || before.trim() === after
}

/**
 * What differs, in a few words, if anything does. A status that was not sent on creation may
 * show in one answer and lack in another.
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
 * The animal as its 201 showed it; without a status where none was sent, and without a name where
 * its bytes were no UTF-8: how they come back is open.
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

/** What is known of an animal: as this run created it, or as it first saw it. */
export const knownOf = ({ herd }: Context, id: bigint): JsonObject | undefined => {
  const creation = herd.creationOf(id)
  return creation ? asCreated(creation) : herd.seen.get(id)
}

/**
 * Why a check that needs an animal cannot be held, and what would change that.
 * @param which the words that follow `no animal`
 */
export const noAnimal = ({ allow, categories }: Context, which: string): Untested => {
  if (!allow.includes('write')) {
    const allowed = permissions.filter((word) => word === 'write' || allow.includes(word)).join(',')
    return new Untested('permission', `no animal ${which}; add one, or --allow ${allowed}`)
  }
  if (!categories.free && categories.known.length === 0) {
    const message = `no animal ${which}, and none can be created without a category`
    return new Untested('category', `${message}; configure \`categories\` (--category ID)`)
  }
  return new Untested('blocked', `no animal ${which}; add one, or mend the creation`)
}

const withStatus = (status: string | undefined): string =>
  status === undefined ? '' : `with the status ${status} `

/** What a check says that needs an animal with a status (any, where undefined). */
export const noneMatching = (context: Context, status: string | undefined): Untested =>
  noAnimal(context, `${withStatus(status)}is known`)

/** The status that the fewest known animals have, so that there come to be enough of each. */
export const scarcestStatus = (
  { herd }: Context,
  among: readonly (typeof statuses)[number][] = statuses,
): (typeof statuses)[number] =>
  [...among].sort((a, b) => herd.count(a) - herd.count(b))[0] ?? statuses[0]

/** The same of those that were accepted: in a body that is about something else. */
export const acceptedStatus = (context: Context): (typeof statuses)[number] => {
  const accepted = new Set(context.herd.creations.map(({ sent }) => sent.status))
  return scarcestStatus(
    context,
    statuses.filter((status) => accepted.has(status)),
  )
}

/** An id of an animal that exists. */
export const someId = (context: Context): bigint => {
  const id = context.herd.someId()
  if (id === undefined) throw noAnimal(context, 'is known')
  return id
}
